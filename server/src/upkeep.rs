//! Small duties in the background that no person waits for: folding counters, weighing groups,
//! making the tables of the weeks to come, removing what is done and old, forgetting replays, keeping
//! texts for searching.

mod extracts;
mod replays;

use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::store::groups::{impact, totals};
use crate::store::retention::{self, Retention};
use crate::store::{StoreError, counts, timeline, weeks};

/// How often counters are folded. Between two folds a reader sums at most what was written.
const FOLD_EVERY: Duration = Duration::from_secs(2);
/// How often groups are weighed for what time alone changes.
const WEIGH_EVERY: Duration = Duration::from_mins(1);
/// How often weeks are made and removed.
const TIDY_EVERY: Duration = Duration::from_mins(10);

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
        loop {
            let done = tokio::select! {
                () = stop.cancelled() => return,
                _ = fold.tick() => self.fold().await,
                _ = weigh.tick() => self.weigh().await,
                _ = tidy.tick() => self.tidy().await,
            };
            if let Err(error) = done {
                tracing::debug!(%error, "upkeep will try again");
            }
        }
    }

    async fn fold(&self) -> Result<(), StoreError> {
        let mut transaction = self.pool.begin().await?;
        counts::fold(&mut transaction, self.clock.now()).await?;
        transaction.commit().await?;
        let mut transaction = self.pool.begin().await?;
        let groups = totals::fold(&mut transaction, self.clock.now()).await?;
        let woken = totals::wake(&mut transaction, &groups, self.clock.now()).await?;
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

    async fn tidy(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        weeks::make(&mut conn, now, now).await?;
        timeline::forget(&mut conn, now).await?;
        let removed = retention::remove_due(&mut conn, self.retention, now).await?;
        if removed > 0 {
            tracing::info!(removed, "letters that were done and old were removed");
        }
        Ok(())
    }
}
