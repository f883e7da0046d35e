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

/// Makes and indexes extracts until `stop`. While letters come in, it rests twice as long as it works,
/// so that they go first; when the storm is over it makes up for that, with short rests.
pub(super) async fn keep(pool: &PgPool, stop: &CancellationToken) {
    loop {
        let began = Instant::now();
        let done = turn(pool).await;
        let rest = match done {
            Ok(Turn { letters: 0, .. }) => LOOK_EVERY,
            Ok(Turn { is_calm: true, .. }) => began.elapsed() / 4,
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

/// What one batch of either was.
struct Turn {
    letters: u64,
    /// Whether nothing came in lately.
    is_calm: bool,
}

async fn turn(pool: &PgPool) -> Result<Turn, StoreError> {
    let mut transaction = pool.begin().await?;
    let made = extracts::make_missing(&mut transaction, BATCH).await?;
    transaction.commit().await?;
    let mut transaction = pool.begin().await?;
    let indexed = extracts::index_some(&mut transaction, BATCH).await?;
    let is_calm = extracts::is_calm(&mut transaction).await?;
    transaction.commit().await?;
    Ok(Turn {
        letters: indexed + u64::try_from(made).unwrap_or(u64::MAX),
        is_calm,
    })
}
