//! Puts the texts of letters into their index. Searches are right without; this makes them fast.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Upkeep;
use crate::duty::{Duty, Next};
use crate::store::{StoreError, texts};

/// Letters in one transaction: the trigram index takes 2,000 half as fast again as 500.
const BATCH: i64 = 2_000;
/// Fewer letters than this are worth waiting for more, while others come.
const MANY: u64 = 1_000;
/// How long to wait when there was nothing to do.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Indexes texts.
pub(super) struct Indexing {
    pub(super) upkeep: Upkeep,
}

impl Duty for Indexing {
    /// While letters come in, it rests twice as long as it works, so that they go first, and takes many at once, which
    /// costs least; when the storm is over it makes up for that, with short rests.
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        let began = Instant::now();
        let mut transaction = self.upkeep.pool.begin().await?;
        let letters = texts::index_some(&mut transaction, BATCH, self.upkeep.indexed).await?;
        let is_calm = texts::is_calm(&mut transaction).await?;
        transaction.commit().await?;
        Ok(match (letters, is_calm) {
            (0, _) => Next::Usual,
            (_, true) => Next::After(began.elapsed() / 4),
            (letters, false) => {
                let rest = began.elapsed() * 2;
                Next::After(if letters < MANY { rest.max(LOOK_EVERY) } else { rest })
            }
        })
    }
}
