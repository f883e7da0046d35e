//! Small duties in the background that no person waits for.

use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::store::{StoreError, counts};

/// How often counters are folded. Between two folds a reader sums at most what was written.
const FOLD_EVERY: Duration = Duration::from_secs(5);

/// Folds counters until `stop`. A database that is away is tried again at the next turn.
pub async fn run(pool: PgPool, clock: SharedClock, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(FOLD_EVERY) => {}
        }
        if let Err(error) = fold(&pool, &clock).await {
            tracing::debug!(%error, "counters were not folded");
        }
    }
}

async fn fold(pool: &PgPool, clock: &SharedClock) -> Result<(), StoreError> {
    let mut transaction = pool.begin().await?;
    counts::fold(&mut transaction, clock.now()).await?;
    transaction.commit().await?;
    Ok(())
}
