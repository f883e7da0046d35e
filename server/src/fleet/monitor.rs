//! Looks every second which workers have fallen silent, and which are back. Several offices may
//! look: one at a time does.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::worker::{Verdict, judge};
use sqlx::{PgConnection, PgPool};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::HTTP;
use crate::clock::SharedClock;
use crate::store::workers::{monitor, watches};
use crate::store::{StoreError, events, shared_time};

/// How often is looked. A silence is found so much late at most.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How often workers that have been silent for long are forgotten.
const FORGET_EVERY: TimeDelta = TimeDelta::minutes(1);

/// What the monitor works with.
#[derive(Debug, Clone)]
pub struct Deps {
    /// Connections to Postgres.
    pub pool: PgPool,
    /// The office's clock.
    pub clock: SharedClock,
    /// Whether this office takes heartbeats over HTTP: while no office does, nobody who reports that
    /// way is held for silent.
    pub hears_http: bool,
    /// Whether this office judges silences; it may also only hear.
    pub judges: bool,
}

/// Looks until `stop`.
///
/// # Errors
/// When the workers cannot be read for another reason than an outage.
pub async fn run(deps: Deps, stop: CancellationToken) -> Result<(), StoreError> {
    let mut monitor = Monitor::new(deps);
    let mut pace = tokio::time::interval(LOOK_EVERY);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            _ = pace.tick() => {}
        }
        match monitor.look().await {
            Ok(()) => {}
            Err(why) if why.is_passing() => {
                tracing::debug!(%why, "workers will be looked after later");
            }
            Err(why) => return Err(why),
        }
    }
}

/// Looks, step by step.
#[derive(Debug)]
pub struct Monitor {
    deps: Deps,
    forgot_at: Option<DateTime<Utc>>,
}

impl Monitor {
    /// One that has not looked yet.
    #[must_use]
    pub fn new(deps: Deps) -> Self {
        Self { deps, forgot_at: None }
    }

    /// One look: lets the watch go on, and writes down who fell silent and who is back.
    ///
    /// # Errors
    /// When Postgres does not do it; nothing was done then.
    pub async fn look(&mut self) -> Result<(), StoreError> {
        if self.deps.hears_http {
            let mut transaction = self.deps.pool.begin().await?;
            let now = shared_time(&mut transaction, &*self.deps.clock).await?;
            watches::look(&mut transaction, HTTP, now).await?;
            transaction.commit().await?;
        }
        if !self.deps.judges {
            return Ok(());
        }
        let mut transaction = self.deps.pool.begin().await?;
        if !monitor::take_turn(&mut transaction).await? {
            return Ok(());
        }
        let now = shared_time(&mut transaction, &*self.deps.clock).await?;
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
