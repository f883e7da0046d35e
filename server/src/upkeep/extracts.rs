//! Puts what is kept for searching into the text index. Searches are right without; this makes them fast.

use std::time::Duration;

use sqlx::PgPool;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::store::{StoreError, extracts};

/// Letters in one transaction: few, since intake waits for the same disk.
const BATCH: i64 = 500;
/// How long to wait when there was nothing to do.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Indexes extracts until `stop`. While letters come in, it rests twice as long as it works,
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
                tracing::debug!(%error, "extracts were not indexed");
                LOOK_EVERY
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(rest) => {}
        }
    }
}

/// What one batch was.
struct Turn {
    letters: u64,
    /// Whether nothing came in lately.
    is_calm: bool,
}

async fn turn(pool: &PgPool) -> Result<Turn, StoreError> {
    let mut transaction = pool.begin().await?;
    let letters = extracts::index_some(&mut transaction, BATCH).await?;
    let is_calm = extracts::is_calm(&mut transaction).await?;
    transaction.commit().await?;
    Ok(Turn { letters, is_calm })
}
