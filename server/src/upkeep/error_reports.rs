//! Error reports that no letter shows are forgotten.

use std::time::Duration;

use dlo_domain::ids::ErrorReportId;
use tokio_util::sync::CancellationToken;

use super::Upkeep;
use crate::duty::{Duty, Next};
use crate::store::{StoreError, error_reports, shared_time};

/// How often some are looked at.
pub(super) const FORGET_EVERY: Duration = Duration::from_mins(1);

/// Reports of one step.
const BATCH: i64 = 10_000;

/// Forgets error reports.
pub(super) struct Forgetting {
    pub(super) upkeep: Upkeep,
    /// Where the next step goes on; `None` at the newest.
    pub(super) place: Option<ErrorReportId>,
}

impl Duty for Forgetting {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        let Upkeep { pool, clock, .. } = &self.upkeep;
        let mut conn = pool.acquire().await?;
        let now = shared_time(&mut conn, &**clock).await?;
        self.place = error_reports::forget_old(&mut conn, self.place, (now, BATCH)).await?;
        Ok(Next::Usual)
    }
}
