//! Folds counters. Between two folds a reader sums at most what was written.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Upkeep;
use crate::duty::{Duty, Next};
use crate::store::groups::totals;
use crate::store::{StoreError, counts, shared_time};

/// How often they are folded.
pub(super) const FOLD_EVERY: Duration = Duration::from_secs(2);

/// Folds counters of letters and groups.
pub(super) struct Folding {
    pub(super) upkeep: Upkeep,
}

impl Duty for Folding {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        let Upkeep { pool, clock, .. } = &self.upkeep;
        let mut transaction = pool.begin().await?;
        let now = shared_time(&mut transaction, &**clock).await?;
        counts::fold(&mut transaction, now).await?;
        transaction.commit().await?;
        let mut transaction = pool.begin().await?;
        let now = shared_time(&mut transaction, &**clock).await?;
        let groups = totals::fold(&mut transaction, now).await?;
        let woken = totals::wake(&mut transaction, &groups, now).await?;
        transaction.commit().await?;
        if !woken.is_empty() {
            tracing::info!(groups = ?woken, "groups came back");
        }
        Ok(Next::Usual)
    }
}
