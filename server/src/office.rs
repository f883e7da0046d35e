//! This office's sign of life: a connection that holds its lock as long as the process lives, and tells
//! which of its duties fail.

use std::time::Duration;

use dlo_domain::ids::OfficeId;
use dlo_domain::office::Trouble;
use sqlx::{Connection, PgConnection, PgPool};
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::duty::Conditions;
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

/// What holds the sign of life, and says by it which duties fail.
#[derive(Debug)]
pub struct Held {
    /// Connections to Postgres: how a new one is made.
    pub pool: PgPool,
    /// The office's clock.
    pub clock: SharedClock,
    /// The office.
    pub id: OfficeId,
    /// Which of its duties fail.
    pub conditions: Conditions,
}

impl Held {
    /// Holds the lock until `stop`; takes it again whenever the connection breaks.
    pub async fn hold(self, first: PgConnection, stop: CancellationToken) {
        let mut held = Some(first);
        let mut told = Vec::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(BEAT) => {}
            }
            held = match held.take() {
                Some(conn) => self.beat(conn, &mut told).await.ok(),
                None => open(&self.pool, &self.clock, self.id).await.ok(),
            };
        }
        if let Some(conn) = held {
            let _ = conn.close().await;
        }
    }

    /// Tries the connection, with what changed since it was `told` the last time.
    async fn beat(
        &self,
        mut conn: PgConnection,
        told: &mut Vec<Trouble>,
    ) -> Result<PgConnection, StoreError> {
        let troubles = self.conditions.troubles(self.clock.now());
        if *told == troubles {
            conn.ping().await?;
        } else {
            offices::set_troubles(&mut conn, self.id, &troubles).await?;
            *told = troubles;
        }
        Ok(conn)
    }
}
