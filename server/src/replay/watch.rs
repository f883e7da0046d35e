//! Settles replayed letters that have not come back for long.

use std::time::Duration;

use chrono::TimeDelta;
use sqlx::PgPool;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::duty::{Duty, Next};
use crate::store::replays::watch::settle;
use crate::store::{StoreError, shared_time};

/// Letters in one transaction.
const MOST_AT_ONCE: i64 = 500;

/// A look is followed by a pause of so many times its own length: letters that are claimed for long,
/// by a replay that is paused, are looked at each time.
const PAUSE_PER_LOOK: u32 = 20;

/// Settles letters that were replayed for so long.
pub(super) struct Watch {
    pub(super) pool: PgPool,
    pub(super) clock: SharedClock,
    pub(super) after: Duration,
}

impl Watch {
    /// How often it looks.
    pub(super) fn period(&self) -> Duration {
        (self.after / 10).clamp(Duration::from_millis(200), Duration::from_secs(30))
    }

    /// Settles some. Tells how many.
    async fn settle_some(&self) -> Result<usize, StoreError> {
        let after = TimeDelta::from_std(self.after).unwrap_or(TimeDelta::MAX);
        let mut transaction = self.pool.begin().await?;
        // By the clock that wrote down since when they are replayed, and not by this office's.
        let now = shared_time(&mut transaction, &*self.clock).await?;
        let Some(before) = now.checked_sub_signed(after) else {
            return Ok(0);
        };
        let settled = settle(&mut transaction, before, MOST_AT_ONCE, now).await?;
        transaction.commit().await?;
        Ok(settled)
    }
}

impl Duty for Watch {
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let began = Instant::now();
        while !stop.is_cancelled() && self.settle_some().await? > 0 {}
        Ok(Next::After(self.period().max(began.elapsed() * PAUSE_PER_LOOK)))
    }
}
