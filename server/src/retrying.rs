//! Carries out retry policies: asks them of letters that arrive, and makes the tries whose time
//! has come, as replays like everybody's.
//!
//! Postgres holds all of it: which letters are still to be asked about, which tries are planned,
//! what is left of each budget. A step is one transaction, so an office can end at any moment and
//! another goes on: a try is made and its replay frozen together, or neither is.
//!
//! Times are told by the clock that all offices share, Postgres's (`store::shared_time`): what an
//! office's own clock says does not matter. Set forward, it makes tries early, but never more of them
//! than the budget allows; set back, tries that were planned in what is now the future wait as long
//! from now as they were to wait from then.

mod deciding;
mod letting_go;
mod made_until;
mod making;

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::policy::JUMP;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use self::made_until::MadeUntil;
use crate::clock::SharedClock;
use crate::config::ReplayConfig;
use crate::duty::{Duty, Next};
use crate::store::policies::Kept;
use crate::store::retries::{self, shadows};
use crate::store::{StoreError, shared_time};

/// Notifications wake at once, but may be lost: so often is looked in any case.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Steps of asking policies before what is due is made: many arrivals do not hold it up.
const STEPS_AT_ONCE: usize = 8;

/// How often old shadow results are removed.
const FORGET_EVERY: TimeDelta = TimeDelta::minutes(10);

/// Carries policies out, pass by pass.
#[derive(Debug)]
pub struct Scheduler {
    pool: PgPool,
    clock: SharedClock,
    /// What replays are planned by: tries are replays.
    replay: ReplayConfig,
    /// Whether the office takes part. One that does not still lets letters go whose policy is gone:
    /// that is a person's word.
    takes_part: bool,
    /// The time at the last pass, by the shared clock.
    last: Option<DateTime<Utc>>,
    forgot_at: Option<DateTime<Utc>>,
    made_until: MadeUntil,
}

impl Duty for Scheduler {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        let next = self.pass().await?;
        Ok(next.map_or(Next::Usual, |wait| Next::After(wait.min(LOOK_EVERY))))
    }

    fn is_woken_by(&self, event: &LiveEvent) -> bool {
        matches!(event, LiveEvent::Arrived { .. } | LiveEvent::Policies)
    }
}

impl Scheduler {
    /// One that has done nothing yet.
    #[must_use]
    pub fn new(pool: PgPool, clock: SharedClock, replay: ReplayConfig, takes_part: bool) -> Self {
        Self {
            pool,
            clock,
            replay,
            takes_part,
            last: None,
            forgot_at: None,
            made_until: MadeUntil::default(),
        }
    }

    /// Asks the policies of all that arrived, makes what is due and allowed, and lets letters go. Tells
    /// how long there is nothing to do, as far as is known.
    ///
    /// # Errors
    /// When Postgres does not do it; what was done until then is done.
    pub async fn pass(&mut self) -> Result<Option<Duration>, StoreError> {
        let lets_go = letting_go::round(self).await?;
        if !self.takes_part {
            return Ok(lets_go.then_some(Duration::ZERO));
        }
        let now = self.mind_the_clock().await?;
        let mut more = true;
        for _ in 0..STEPS_AT_ONCE {
            more = more && deciding::step(self).await?;
        }
        let next = making::round(self, now).await?;
        if more || lets_go {
            return Ok(Some(Duration::ZERO));
        }
        Ok(next.map(|wait| wait.to_std().unwrap_or_default()))
    }

    /// At the beginning, and when the clock went back. Tells the time.
    async fn mind_the_clock(&mut self) -> Result<DateTime<Utc>, StoreError> {
        let mut conn = self.pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        if self.last.is_none_or(|last| now < last - JUMP) {
            let rebased = retries::rebase(&mut conn, now).await?;
            if rebased > 0 {
                tracing::warn!(rebased, "the clock was set back; retries wait from now");
            }
        }
        self.last = Some(now);
        if self.forgot_at.is_none_or(|at| (now - at).abs() >= FORGET_EVERY) {
            shadows::forget(&mut conn, now).await?;
            self.forgot_at = Some(now);
        }
        Ok(now)
    }
}

/// A policy as the audit trail names it.
fn actor(kept: &Kept) -> Actor {
    Actor(format!("retry policy {}", kept.policy.name))
}

#[cfg(test)]
mod tests;
