//! The watches of the ways that heartbeats come by.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::worker::{BLIND, Pause, Standing, Watch};
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
    let pause = Pause::ended(stored.looked_at, now);
    sqlx::query!(
        "update fleet_watches set heard_ms = $2, opened_ms = $3, looked_at = $4,
             closed_at = coalesce($5, closed_at), opened_at = coalesce($6, opened_at)
         where way = $1",
        way,
        watch.heard_ms,
        watch.opened_ms,
        watch.looked_at,
        pause.map(|pause| pause.closed_at),
        pause.map(|pause| pause.opened_at),
    )
    .execute(conn)
    .await?;
    Ok(watch)
}

/// How a way stands; nothing when it was never opened.
///
/// # Errors
/// When Postgres does not do it.
pub async fn standing(conn: &mut PgConnection, way: &str) -> Result<Option<Standing>, StoreError> {
    let row = sqlx::query!(
        "select looked_at, closed_at, opened_at from fleet_watches where way = $1",
        way,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Standing {
        looked_at: row.looked_at,
        pause: row
            .closed_at
            .zip(row.opened_at)
            .map(|(closed_at, opened_at)| Pause { closed_at, opened_at }),
    }))
}

/// Ways that were closed at some time since `before`, or are closed now: who reports by one of them may
/// have been cut off. One that has been closed for an hour is not used any more.
///
/// # Errors
/// When Postgres does not do it.
pub async fn cut_off_since(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Vec<String>, StoreError> {
    let ways = sqlx::query_scalar!(
        "select way from fleet_watches
         where opened_at > $1 and opened_at <= $2 or looked_at < $3 and looked_at > $4
         order by way",
        before,
        now,
        now - BLIND,
        now - TimeDelta::hours(1),
    )
    .fetch_all(conn)
    .await?;
    Ok(ways)
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
    Ok(ways.into_iter().map(|row| (row.way, row.looked_at)).collect())
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
