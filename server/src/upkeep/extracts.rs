//! What is kept for searching: made for letters from before there was any, and put into the text
//! index. Searches are right without either; this makes them complete and fast.

use std::time::Duration;

use sqlx::PgPool;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::store::{StoreError, extracts};

/// Letters in one transaction: few, since intake waits for the same disk.
const BATCH: i64 = 500;
/// How long to wait when there was nothing to do.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Makes and indexes extracts until `stop`. It rests twice as long as it works, so that what comes
/// in goes first.
pub(super) async fn keep(pool: &PgPool, stop: &CancellationToken) {
    loop {
        let began = Instant::now();
        let done = turn(pool).await;
        let rest = match done {
            Ok(0) => LOOK_EVERY,
            Ok(_) => began.elapsed() * 2,
            Err(error) => {
                tracing::debug!(%error, "extracts were not made or indexed");
                LOOK_EVERY
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(rest) => {}
        }
    }
}

/// One batch of either; tells how many letters it was.
async fn turn(pool: &PgPool) -> Result<u64, StoreError> {
    let mut transaction = pool.begin().await?;
    let made = extracts::make_missing(&mut transaction, BATCH).await?;
    transaction.commit().await?;
    let mut transaction = pool.begin().await?;
    let indexed = extracts::index_some(&mut transaction, BATCH).await?;
    transaction.commit().await?;
    Ok(indexed + u64::try_from(made).unwrap_or(u64::MAX))
}
