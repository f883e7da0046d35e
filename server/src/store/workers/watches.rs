//! The watches of the ways that heartbeats come by.

use chrono::{DateTime, Utc};
use dlo_domain::worker::Watch;
use sqlx::PgConnection;

use crate::store::StoreError;

/// The watch of a way; nothing when it was never opened.
///
/// # Errors
/// When Postgres does not do it.
pub async fn find(conn: &mut PgConnection, way: &str) -> Result<Option<Watch>, StoreError> {
    let watch = sqlx::query_as!(
        Watch,
        "select heard_ms, opened_ms, looked_at from fleet_watches where way = $1",
        way,
    )
    .fetch_optional(conn)
    .await?;
    Ok(watch)
}

/// The way is open, as is seen at `now`, by the clock that all offices share.
///
/// # Errors
/// When Postgres does not do it.
pub async fn look(
    conn: &mut PgConnection,
    way: &str,
    now: DateTime<Utc>,
) -> Result<Watch, StoreError> {
    let begun = Watch::begun(now);
    let stored = sqlx::query_as!(
        Watch,
        "insert into fleet_watches as w (way, heard_ms, opened_ms, looked_at)
         values ($1, $2, $3, $4)
         on conflict (way) do update set way = w.way
         returning heard_ms, opened_ms, looked_at",
        way,
        begun.heard_ms,
        begun.opened_ms,
        now,
    )
    .fetch_one(&mut *conn)
    .await?;
    let watch = stored.looked(now);
    sqlx::query!(
        "update fleet_watches set heard_ms = $2, opened_ms = $3, looked_at = $4 where way = $1",
        way,
        watch.heard_ms,
        watch.opened_ms,
        watch.looked_at,
    )
    .execute(conn)
    .await?;
    Ok(watch)
}

/// Ways by which workers report and that nobody has looked at since `moment`, with when that was.
///
/// # Errors
/// When Postgres does not do it.
pub async fn closed_since(
    conn: &mut PgConnection,
    moment: DateTime<Utc>,
) -> Result<Vec<(String, DateTime<Utc>)>, StoreError> {
    let ways = sqlx::query!(
        "select way, looked_at from fleet_watches
         where looked_at < $1
             and exists (select from workers
                 where workers.way = fleet_watches.way and state = 'active' and silent_since is null)
         order by way",
        moment,
    )
    .fetch_all(conn)
    .await?;
    Ok(ways
        .into_iter()
        .map(|row| (row.way, row.looked_at))
        .collect())
}

/// The ways by which workers that are kept were heard last.
///
/// # Errors
/// When Postgres does not do it.
pub async fn of_workers(conn: &mut PgConnection) -> Result<Vec<String>, StoreError> {
    let ways = sqlx::query_scalar!(
        "select way from fleet_watches
         where exists (select from workers where workers.way = fleet_watches.way)
         order by way",
    )
    .fetch_all(conn)
    .await?;
    Ok(ways)
}
