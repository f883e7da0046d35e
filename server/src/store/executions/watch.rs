//! What the monitor asks: since when it sees, and what is late. What it finds is locked, and what
//! somebody else has locked is left out: a worker that begins an execution in the same instant wins.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::execution::{Execution, Seen, Watch};
use sqlx::PgConnection;

use super::read::{Row, execution};
use crate::store::StoreError;

/// Looks: writes down that somebody sees, and tells since when. Times that a clock which was set back
/// left in the future become now.
///
/// # Errors
/// When Postgres does not do it.
pub async fn look(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<(Watch, Seen), StoreError> {
    let before = sqlx::query_as!(
        Watch,
        "select watched_since as since, seen_at from execution_watch for update",
    )
    .fetch_optional(&mut *conn)
    .await?;
    let (watch, seen) = match before {
        Some(watch) => watch.looked(now),
        None => (Watch::begun(now), Seen::AfterAGap),
    };
    sqlx::query!(
        "insert into execution_watch (watched_since, seen_at) values ($1, $2)
         on conflict (is_only) do update
         set watched_since = excluded.watched_since, seen_at = excluded.seen_at",
        watch.since,
        watch.seen_at,
    )
    .execute(&mut *conn)
    .await?;
    if seen == Seen::SetBack {
        sqlx::query!(
            "update executions set state_since = $1
             where state in ('scheduled', 'running') and state_since > $1",
            now,
        )
        .execute(conn)
        .await?;
    }
    Ok((watch, seen))
}

/// Since when somebody looks, if anybody ever did.
///
/// # Errors
/// When Postgres does not do it.
pub async fn watch(conn: &mut PgConnection) -> Result<Option<Watch>, StoreError> {
    let watch =
        sqlx::query_as!(Watch, "select watched_since as since, seen_at from execution_watch",)
            .fetch_optional(conn)
            .await?;
    Ok(watch)
}

/// Executions that were scheduled before this moment and not begun, the oldest first, locked; without
/// those of workers that report by one of these ways.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn stuck(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    cut_off: &[String],
    most: i64,
) -> Result<Vec<Execution>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        r#"select e.id, e.key, e.state, e.worker, e.attempt, e.max_attempts, e.first_seen_at,
             e.state_since, e.requested_at, e.scheduling_at, e.scheduled_at, e.running_at,
             e.ended_at, e.error, e.failed_by, e.is_read
         from executions e
         where e.state = 'scheduled' and e.state_since < $1 and not e.is_read
             and (cardinality($3::text[]) = 0 or e.worker is null
                 or e.worker not in (select w.name from workers w where w.way = any($3)))
         order by e.state_since, e.key limit $2 for update of e skip locked"#,
        before,
        most,
        cut_off,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(|row| execution(row, None)).collect()
}

/// Executions that run on workers of which nothing was heard since before this moment, or that
/// stopped before it, or that were away for so long since they began them and came back lately;
/// locked, and without those of workers that report by one of these ways.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn orphaned(
    conn: &mut PgConnection,
    (before, limit): (DateTime<Utc>, TimeDelta),
    cut_off: &[String],
    most: i64,
) -> Result<Vec<Execution>, StoreError> {
    // A time away may hold one in which nobody could be heard: that of the way is the last one, so
    // only those that ended lately can be told.
    let rows = sqlx::query_as!(
        Row,
        "select e.id, e.key, e.state, e.worker, e.attempt, e.max_attempts, e.first_seen_at,
             e.state_since, e.requested_at, e.scheduling_at, e.scheduled_at, e.running_at,
             e.ended_at, e.error, e.failed_by, e.is_read
         from executions e
         where e.state = 'running' and e.id in (
             select e.id from workers w join executions e on e.worker = w.name
             where (w.silent_since < $1 or w.state = 'stopped' and w.state_since < $1)
                 and w.first_seen_at < $1 and w.way <> all($3)
                 and e.state = 'running' and e.state_since < $1 and not e.is_read
             union all
             select e.id from worker_downtimes d
             join workers w on w.name = d.worker
             left join fleet_watches way on way.way = w.way
             join executions e on e.worker = w.name
             where d.until > $1 and d.until - d.since > $4::bigint * interval '1 millisecond'
                 and w.way <> all($3)
                 and (way.opened_at is null or way.opened_at < d.since or way.closed_at > d.until)
                 and e.state = 'running' and e.state_since < d.since and not e.is_read
             limit $2)
         order by e.state_since limit $2 for update of e skip locked",
        before,
        most,
        cut_off,
        limit.num_milliseconds(),
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(|row| execution(row, None)).collect()
}

/// Whether a worker is known to be silent, or to have stopped.
///
/// # Errors
/// When Postgres does not do it.
pub async fn is_away(conn: &mut PgConnection, worker: &str) -> Result<bool, StoreError> {
    let is = sqlx::query_scalar!(
        r#"select exists (select from workers
             where name = $1 and (silent_since is not null or state = 'stopped')) as "is!""#,
        worker,
    )
    .fetch_one(conn)
    .await?;
    Ok(is)
}

/// Another worker that is fresh: of the same kind, as far as that is known. A worker whose name tells of
/// no kind has no other of its own; it is stood in for by any, those first whose names tell of none
/// either. Of some, one that names its queue, is not full, and has the least in hand: by its own word, or
/// by what is reported of executions.
///
/// # Errors
/// When Postgres does not do it.
pub async fn another_worker(
    conn: &mut PgConnection,
    than: Option<&str>,
) -> Result<Option<String>, StoreError> {
    let worker = sqlx::query_scalar!(
        "select w.name from (
             select w.name, coalesce(w.kind = own.kind, false) as is_alike,
                 coalesce(own.is_single and w.kind = w.name, false) as is_single,
                 w.queue is not null as names_queue, w.running,
                 coalesce(w.running >= w.capacity, false) as is_full
             from workers w
             left join (select kind, kind = name as is_single from workers where name = $1) own
                 on true
             where w.state = 'active' and w.silent_since is null and w.name is distinct from $1
                 and (own.kind is null or w.kind = own.kind or own.is_single)
             order by is_alike desc, is_single desc, names_queue desc, is_full, random() limit 20) w
         order by is_alike desc, is_single desc, names_queue desc, is_full,
             greatest(coalesce(w.running, 0), (select count(*) from (
                 select from executions e
                 where e.worker = w.name and e.state in ('scheduled', 'running') limit 1000)
                 as these)),
             w.name
         limit 1",
        than,
    )
    .fetch_optional(conn)
    .await?;
    Ok(worker)
}

/// The one worker that said that it works on a queue; nothing when none did, or several.
///
/// # Errors
/// When Postgres does not do it.
pub async fn only_worker_of(
    conn: &mut PgConnection,
    queue: &str,
) -> Result<Option<String>, StoreError> {
    let only = sqlx::query_scalar!(
        "select min(name) from workers where queue = $1 having count(*) = 1",
        queue,
    )
    .fetch_optional(conn)
    .await?;
    Ok(only.flatten())
}

/// Whether a queue is what another worker said that it works on, and not this one. Nothing when no worker
/// said so.
///
/// # Errors
/// When Postgres does not do it.
pub async fn is_of_another(
    conn: &mut PgConnection,
    queue: &str,
    worker: &str,
) -> Result<Option<bool>, StoreError> {
    let is = sqlx::query_scalar!(
        "select bool_and(name <> $2) from workers where queue = $1",
        queue,
        worker,
    )
    .fetch_one(conn)
    .await?;
    Ok(is)
}

/// Whether a worker of this name was ever heard of, by itself or as the one that has an execution.
///
/// # Errors
/// When Postgres does not do it.
pub async fn is_worker(conn: &mut PgConnection, name: &str) -> Result<bool, StoreError> {
    let is = sqlx::query_scalar!(
        r#"select exists (select from workers where name = $1)
             or exists (select from executions where worker = $1) as "is!""#,
        name,
    )
    .fetch_one(conn)
    .await?;
    Ok(is)
}

/// Forgets executions that were over before this moment, a few at a time. Tells how many.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    most: i64,
) -> Result<u64, StoreError> {
    let done = sqlx::query!(
        "delete from executions where id in (
             select id from executions where ended_at < $1
             order by ended_at limit $2)",
        before,
        most,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
