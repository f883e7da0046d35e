//! Makes the tables of the weeks to come, and removes what is done and old.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::retention::RetentionPace;
use sqlx::Connection as _;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Upkeep;
use crate::duty::{Duty, Next};
use crate::store::retention::{self, OwnPass};
use crate::store::{StoreError, shared_time, timeline, weeks};

/// How often weeks are made and removed.
pub(super) const TIDY_EVERY: Duration = Duration::from_mins(10);

/// A lag of retention that is told.
const TOLD_LAG: TimeDelta = TimeDelta::hours(1);

/// Makes weeks, and removes letters.
pub(super) struct Tidying {
    pub(super) upkeep: Upkeep,
    pub(super) last_pass: Option<RememberedPass>,
}

/// This office's last pass.
pub(super) struct RememberedPass {
    instant: Instant,
    at: DateTime<Utc>,
}

impl Duty for Tidying {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        let Upkeep { pool, clock, retention: kept, .. } = &self.upkeep;
        let mut conn = pool.acquire().await?;
        let now = shared_time(&mut conn, &**clock).await?;
        weeks::make(&mut conn, now, now).await?;
        timeline::forget(&mut conn, now).await?;
        let own = self.last_pass.as_ref().map(RememberedPass::as_own);
        let mut transaction = conn.begin().await?;
        let pace = retention::pass(&mut transaction, &**clock, own).await?;
        transaction.commit().await?;
        self.last_pass = Some(RememberedPass { instant: Instant::now(), at: pace.passed_at });
        tell_lag(pace);
        let removed = retention::remove_due(&mut conn, *kept, pace.horizon).await?;
        if removed > 0 {
            tracing::info!(removed, "letters that were done and old were removed");
        }
        Ok(Next::Usual)
    }
}

impl RememberedPass {
    fn as_own(&self) -> OwnPass {
        OwnPass {
            elapsed: TimeDelta::from_std(self.instant.elapsed()).unwrap_or(TimeDelta::MAX),
            at: self.at,
        }
    }
}

/// Says so when what is done is kept for longer than the configuration says.
fn tell_lag(pace: RetentionPace) {
    let lag = pace.passed_at - pace.horizon;
    if lag > TOLD_LAG {
        let hours = lag.num_hours();
        tracing::warn!(
            hours,
            "the clock of Postgres jumped ahead, or no office ran for so long: letters that are done are kept for \
             that much longer, until the clock has gone on without a jump for a day"
        );
    }
}
