//! This office's sign of life: a connection that holds its lock as long as the process lives.

use std::time::Duration;

use dlo_domain::ids::OfficeId;
use sqlx::{Connection, PgConnection, PgPool};
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::store::{StoreError, offices};

/// How often the connection is tried.
const BEAT: Duration = Duration::from_secs(1);

/// Opens the connection, registers the office and takes its lock.
///
/// # Errors
/// When Postgres does not do it.
pub async fn open(
    pool: &PgPool,
    clock: &SharedClock,
    id: OfficeId,
) -> Result<PgConnection, StoreError> {
    // Not from the pool: a pool may close a connection that it lends, and take the lock with it.
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await?;
    offices::register(&mut conn, &**clock, id).await?;
    Ok(conn)
}

/// Holds the lock until `stop`; takes it again whenever the connection breaks.
pub async fn hold(
    pool: PgPool,
    clock: SharedClock,
    id: OfficeId,
    first: PgConnection,
    stop: CancellationToken,
) {
    let mut held = Some(first);
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = tokio::time::sleep(BEAT) => {}
        }
        held = match held.take() {
            Some(mut conn) => conn.ping().await.is_ok().then_some(conn),
            None => open(&pool, &clock, id).await.ok(),
        };
    }
    if let Some(conn) = held {
        let _ = conn.close().await;
    }
}
