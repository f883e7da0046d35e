//! Alerts that have been over for long are forgotten.

use std::time::Duration;

use chrono::TimeDelta;
use tokio_util::sync::CancellationToken;

use super::Upkeep;
use crate::duty::{Duty, Next};
use crate::store::alerts::{forgetting, matches};
use crate::store::{StoreError, retention};

/// How often is looked.
pub(super) const FORGET_EVERY: Duration = Duration::from_mins(1);

/// For how long what is over is kept.
const KEPT_FOR: TimeDelta = TimeDelta::days(90);

/// For how long letters stay counted for rules: longer than the longest window.
const COUNTED_FOR: TimeDelta = TimeDelta::days(2);

/// Alerts of one step.
const BATCH: i64 = 1_000;

/// Forgets alerts.
pub(super) struct Forgetting {
    pub(super) upkeep: Upkeep,
}

impl Duty for Forgetting {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        let mut conn = self.upkeep.pool.acquire().await?;
        let before = retention::horizon(&mut conn).await? - KEPT_FOR;
        let forgotten = forgetting::forget_some(&mut conn, before, BATCH).await?;
        matches::remove_old(&mut conn, before + KEPT_FOR - COUNTED_FOR, BATCH).await?;
        if forgotten > 0 {
            tracing::info!(forgotten, "alerts and silences that were old were forgotten");
        }
        Ok(Next::Usual)
    }
}
