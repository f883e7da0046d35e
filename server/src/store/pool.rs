//! Connections to Postgres, and the migrations.

use std::io::ErrorKind;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool};

use super::StoreError;

/// How long a connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens a pool without connecting yet, so that the server can start while Postgres is away.
///
/// # Errors
/// When the address cannot be read.
pub fn connect(url: &str, most_connections: u32) -> Result<PgPool, StoreError> {
    let options: PgConnectOptions = url.parse()?;
    Ok(PgPoolOptions::new()
        .max_connections(most_connections)
        .acquire_timeout(PATIENCE)
        .connect_lazy_with(options.application_name("dlo")))
}

/// Connects once and lets go again, so that a refusal is told at once and as it is. A pool goes on
/// trying, and says in the end only that its time is up.
///
/// # Errors
/// When Postgres cannot be reached or lets nobody in.
pub async fn reach(url: &str) -> Result<(), StoreError> {
    let options: PgConnectOptions = url.parse()?;
    let unreachable = |why: String| StoreError::Unreachable {
        place: format!("{}:{}", options.get_host(), options.get_port()),
        why,
    };
    let connecting = PgConnection::connect_with(&options);
    match tokio::time::timeout(PATIENCE, connecting).await {
        Ok(Ok(connection)) => Ok(connection.close().await?),
        Ok(Err(sqlx::Error::Io(why))) if why.kind() == ErrorKind::ConnectionRefused => {
            Err(unreachable("connection refused".to_owned()))
        }
        Ok(Err(sqlx::Error::Io(why))) => Err(unreachable(why.to_string())),
        Ok(Err(other)) => Err(other.into()),
        Err(_) => Err(unreachable(format!(
            "no answer within {} s",
            PATIENCE.as_secs()
        ))),
    }
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
