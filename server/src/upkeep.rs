//! Small duties in the background that no person waits for: folding counters, weighing groups,
//! making the tables of the weeks to come, removing what is done and old, forgetting replays, keeping
//! texts for searching.

mod extracts;
mod replays;

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::retention::RetentionPace;
use sqlx::{Connection as _, PgPool};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::store::groups::{impact, totals};
use crate::store::retention::{self, OwnPass, Retention};
use crate::store::{StoreError, counts, shared_time, timeline, weeks};

/// How often counters are folded. Between two folds a reader sums at most what was written.
const FOLD_EVERY: Duration = Duration::from_secs(2);
/// How often groups are weighed for what time alone changes.
const WEIGH_EVERY: Duration = Duration::from_mins(1);
/// How often weeks are made and removed.
const TIDY_EVERY: Duration = Duration::from_mins(10);

/// A lag of retention that is told.
const TOLD_LAG: TimeDelta = TimeDelta::hours(1);

/// What upkeep works with.
#[derive(Debug, Clone)]
pub struct Upkeep {
    /// The database.
    pub pool: PgPool,
    /// The time.
    pub clock: SharedClock,
    /// How long what is done is kept.
    pub retention: Retention,
}

impl Upkeep {
    /// Does its duties until `stop`. A database that is away is tried again at the next turn.
    pub async fn run(self, stop: CancellationToken) {
        tokio::join!(
            self.tidy_up(&stop),
            extracts::keep(&self.pool, &stop),
            replays::forget(&self, &stop)
        );
    }

    async fn tidy_up(&self, stop: &CancellationToken) {
        let mut fold = tokio::time::interval(FOLD_EVERY);
        let mut weigh = tokio::time::interval(WEIGH_EVERY);
        let mut tidy = tokio::time::interval(TIDY_EVERY);
        let mut last_pass = None;
        loop {
            let done = tokio::select! {
                () = stop.cancelled() => return,
                _ = fold.tick() => self.fold().await,
                _ = weigh.tick() => self.weigh().await,
                _ = tidy.tick() => self.tidy(&mut last_pass).await,
            };
            if let Err(error) = done {
                tracing::debug!(%error, "upkeep will try again");
            }
        }
    }

    async fn fold(&self) -> Result<(), StoreError> {
        let mut transaction = self.pool.begin().await?;
        let now = shared_time(&mut transaction, &*self.clock).await?;
        counts::fold(&mut transaction, now).await?;
        transaction.commit().await?;
        let mut transaction = self.pool.begin().await?;
        let now = shared_time(&mut transaction, &*self.clock).await?;
        let groups = totals::fold(&mut transaction, now).await?;
        let woken = totals::wake(&mut transaction, &groups, now).await?;
        transaction.commit().await?;
        if !woken.is_empty() {
            tracing::info!(groups = ?woken, "groups came back");
        }
        Ok(())
    }

    async fn weigh(&self) -> Result<(), StoreError> {
        let mut transaction = self.pool.begin().await?;
        impact::weigh_all(&mut transaction).await?;
        Ok(transaction.commit().await?)
    }

    async fn tidy(&self, last_pass: &mut Option<RememberedPass>) -> Result<(), StoreError> {
        let mut conn = self.pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        weeks::make(&mut conn, now, now).await?;
        timeline::forget(&mut conn, now).await?;
        let own = last_pass.as_ref().map(RememberedPass::as_own);
        let mut transaction = conn.begin().await?;
        let pace = retention::pass(&mut transaction, &*self.clock, own).await?;
        transaction.commit().await?;
        *last_pass = Some(RememberedPass { instant: Instant::now(), at: pace.passed_at });
        tell_lag(pace);
        let removed = retention::remove_due(&mut conn, self.retention, pace.horizon).await?;
        if removed > 0 {
            tracing::info!(removed, "letters that were done and old were removed");
        }
        Ok(())
    }
}

/// This office's last pass.
struct RememberedPass {
    instant: Instant,
    at: DateTime<Utc>,
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

#[cfg(test)]
mod tests;
