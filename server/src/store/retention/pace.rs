//! How far retention has come: one row, which every pass of every office moves on.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::retention::{RetentionPace, WatchedTime};
use sqlx::PgConnection;

use crate::clock::Clock;
use crate::store::{StoreError, shared_time};

/// The last pass of an office, as it remembers it itself.
#[derive(Debug, Clone, Copy)]
pub struct OwnPass {
    /// How long ago it was, by a measure that nobody can set.
    pub elapsed: TimeDelta,
    /// What the clock of Postgres said then.
    pub at: DateTime<Utc>,
}

/// Moves retention on by the time that passed. Returns how far it has come.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn pass(
    conn: &mut PgConnection,
    clock: &dyn Clock,
    own: Option<OwnPass>,
) -> Result<RetentionPace, StoreError> {
    let before =
        sqlx::query!("select horizon, passed_at, steady_ms from retention_pace for update")
            .fetch_one(&mut *conn)
            .await?;
    // Read when no other office is at it any more.
    let now = shared_time(conn, clock).await?;
    let before = RetentionPace {
        horizon: before.horizon,
        passed_at: before.passed_at,
        steady: TimeDelta::milliseconds(before.steady_ms),
    };
    let watched = own.map(|own| WatchedTime { elapsed: own.elapsed, by_clock: now - own.at });
    let pace = before.after_pass(now, watched);
    sqlx::query!(
        "update retention_pace set horizon = $1, passed_at = $2, steady_ms = $3",
        pace.horizon,
        pace.passed_at,
        pace.steady.num_milliseconds(),
    )
    .execute(conn)
    .await?;
    Ok(pace)
}

/// The time that retention goes by, as of the last pass.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn horizon(conn: &mut PgConnection) -> Result<DateTime<Utc>, StoreError> {
    let horizon = sqlx::query_scalar!("select horizon from retention_pace").fetch_one(conn).await?;
    Ok(horizon)
}
