//! Connections to Postgres, and the migrations.

use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use super::StoreError;

/// Opens a pool without connecting yet, so that the server can start while Postgres is away.
///
/// # Errors
/// When the address cannot be read.
pub fn connect(url: &str, most_connections: u32) -> Result<PgPool, StoreError> {
    let options: PgConnectOptions = url.parse()?;
    Ok(PgPoolOptions::new()
        .max_connections(most_connections)
        .acquire_timeout(Duration::from_secs(5))
        .connect_lazy_with(options.application_name("dlo")))
}

/// Runs the migrations that are missing, under an advisory lock.
///
/// # Errors
/// When Postgres does not answer or a step fails.
pub async fn migrate(pool: &PgPool) -> Result<(), StoreError> {
    sqlx::migrate!("../migrations").run(pool).await?;
    Ok(())
}

/// Asks Postgres for a sign of life.
///
/// # Errors
/// When it does not answer.
pub async fn ping(pool: &PgPool) -> Result<(), StoreError> {
    sqlx::query!("select 1 as alive").fetch_one(pool).await?;
    Ok(())
}
