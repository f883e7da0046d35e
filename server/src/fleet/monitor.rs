//! Looks every second which workers have fallen silent, and which are back. Several offices may
//! look: one at a time does.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::worker::{Verdict, judge};
use sqlx::{PgConnection, PgPool};
use tokio_util::sync::CancellationToken;

use super::HTTP;
use crate::clock::SharedClock;
use crate::duty::{Duty, Next};
use crate::store::workers::{monitor, watches};
use crate::store::{StoreError, events, shared_time};

/// How often is looked. A silence is found so much late at most.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How often workers that have been silent for long are forgotten.
const FORGET_EVERY: TimeDelta = TimeDelta::minutes(1);

/// Looks, step by step.
#[derive(Debug)]
pub struct Monitor {
    pool: PgPool,
    clock: SharedClock,
    part: Part,
    forgot_at: Option<DateTime<Utc>>,
}

/// What an office does for the watch over workers.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Whether it takes heartbeats over HTTP: while no office does, nobody who reports that way is held
    /// for silent.
    pub hears_http: bool,
    /// Whether it judges silences; it may also only hear.
    pub judges: bool,
}

impl Duty for Monitor {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        self.look().await.map(|()| Next::Usual)
    }
}

impl Monitor {
    /// One that has not looked yet.
    #[must_use]
    pub fn new(pool: PgPool, clock: SharedClock, part: Part) -> Self {
        Self { pool, clock, part, forgot_at: None }
    }

    /// One look: lets the watch go on, and writes down who fell silent and who is back.
    ///
    /// # Errors
    /// When Postgres does not do it; nothing was done then.
    pub async fn look(&mut self) -> Result<(), StoreError> {
        if self.part.hears_http {
            let mut transaction = self.pool.begin().await?;
            let now = shared_time(&mut transaction, &*self.clock).await?;
            watches::look(&mut transaction, HTTP, now).await?;
            transaction.commit().await?;
        }
        if !self.part.judges {
            return Ok(());
        }
        let mut transaction = self.pool.begin().await?;
        if !monitor::take_turn(&mut transaction).await? {
            return Ok(());
        }
        let now = shared_time(&mut transaction, &*self.clock).await?;
        let back = monitor::welcome_back(&mut transaction).await?;
        let gone = judge_quiet(&mut transaction, now).await?;
        let forgotten = self.forget(&mut transaction, now).await?;
        if !back.is_empty() || gone || forgotten {
            events::notify(&mut transaction, &LiveEvent::Workers).await?;
        }
        transaction.commit().await?;
        if !back.is_empty() {
            tracing::info!(workers = ?first(&back), count = back.len(), "workers are back");
        }
        Ok(())
    }

    async fn forget(
        &mut self,
        conn: &mut PgConnection,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let is_due = |at: DateTime<Utc>| (now - at).abs() >= FORGET_EVERY;
        if !self.forgot_at.is_none_or(is_due) {
            return Ok(false);
        }
        self.forgot_at = Some(now);
        Ok(monitor::forget(conn).await? > 0)
    }
}

/// Tells whether anybody was found.
async fn judge_quiet(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let (mut stale, mut stopped) = (Vec::new(), Vec::new());
    for worker in monitor::quiet(conn).await? {
        match judge(worker.state, worker.interval, worker.silent) {
            Verdict::Keep => {}
            Verdict::Stale => stale.push(worker.name),
            Verdict::Stopped => stopped.push(worker.name),
        }
    }
    if !stale.is_empty() {
        monitor::mark_stale(conn, &stale, now).await?;
        tracing::warn!(workers = ?first(&stale), count = stale.len(), "workers fell silent");
    }
    if !stopped.is_empty() {
        monitor::mark_stopped(conn, &stopped, now).await?;
        tracing::info!(workers = ?first(&stopped), count = stopped.len(), "drained workers stopped");
    }
    Ok(!stale.is_empty() || !stopped.is_empty())
}

/// As many names as a line of the log should have.
fn first(names: &[String]) -> &[String] {
    &names[..names.len().min(10)]
}
