//! What the monitor asks and writes. One office looks at a time, in one transaction, so that each
//! change is written once.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::worker::{MISSED, Watch, WorkerState, kept_for};
use sqlx::PgConnection;

use crate::store::StoreError;

/// The key of the lock that whoever looks holds: "dlofleet" in ASCII.
const LOCK: i64 = 0x646c_6f66_6c65_6574;

/// Takes the turn to look, until the transaction ends. `false` when another office has it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take_turn(conn: &mut PgConnection) -> Result<bool, StoreError> {
    let is_ours = sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "ours!""#, LOCK)
        .fetch_one(conn)
        .await?;
    Ok(is_ours)
}

/// A worker that has missed heartbeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quiet {
    /// Its name.
    pub name: String,
    /// What it said last that it does.
    pub state: WorkerState,
    /// How often it beats.
    pub interval: TimeDelta,
    /// How long nothing was heard of it, while it could have been.
    pub silent: TimeDelta,
}

/// Workers that have missed heartbeats and of which nothing was said yet, locked. One that is being
/// written just now is heard just now, and left out.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn quiet(conn: &mut PgConnection) -> Result<Vec<Quiet>, StoreError> {
    let rows = sqlx::query!(
        "select name, state, interval_ms, w.heard_ms,
             watch.heard_ms as now_ms, watch.opened_ms, watch.looked_at
         from workers w join fleet_watches watch using (way)
         where state in ('active', 'draining') and silent_since is null
             and watch.heard_ms - greatest(w.heard_ms, watch.opened_ms) > interval_ms::bigint * $1
         for no key update of w skip locked",
        i64::from(MISSED),
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let watch =
                Watch { heard_ms: row.now_ms, opened_ms: row.opened_ms, looked_at: row.looked_at };
            Ok(Quiet {
                state: super::state(&row.state)?,
                interval: TimeDelta::milliseconds(row.interval_ms.into()),
                silent: watch.silence(row.heard_ms),
                name: row.name,
            })
        })
        .collect()
}

/// These are stale: they are away since their last sign of life.
///
/// # Errors
/// When Postgres does not do it.
pub async fn mark_stale(
    conn: &mut PgConnection,
    names: &[String],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "with gone as (
             update workers set silent_since = last_heartbeat_at
             where name = any($1) and silent_since is null
             returning name, silent_since)
         insert into worker_downtimes (worker, since, found_at)
         select name, silent_since, $2 from gone",
        names,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// These have stopped in good order: they are done.
///
/// # Errors
/// When Postgres does not do it.
pub async fn mark_stopped(
    conn: &mut PgConnection,
    names: &[String],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update workers set state = 'stopped', state_since = $2
         where name = any($1) and state = 'draining'",
        names,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends the silence of those that were heard again. Tells which.
///
/// # Errors
/// When Postgres does not do it.
pub async fn welcome_back(conn: &mut PgConnection) -> Result<Vec<String>, StoreError> {
    // The time of a heartbeat tells it from the one before, even where the clock was set back.
    let names = sqlx::query_scalar!(
        "with back as (
             update workers set silent_since = null
             where silent_since is not null and silent_since <> last_heartbeat_at
             returning name, last_heartbeat_at),
         ended as (
             update worker_downtimes d set until = greatest(d.since, back.last_heartbeat_at)
             from back where d.worker = back.name and d.until is null)
         select name from back order by name",
    )
    .fetch_all(conn)
    .await?;
    Ok(names)
}

/// Forgets workers that have been silent for long, at most 1,000 of them. Tells how many.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget(conn: &mut PgConnection) -> Result<u64, StoreError> {
    let (random, other) = (kept_for(true), kept_for(false));
    let gone = sqlx::query!(
        "delete from workers where name in (
             select name from workers w join fleet_watches watch using (way)
             where (silent_since is not null or state = 'stopped')
                 and watch.heard_ms - w.heard_ms
                     > case when is_autoscaled then $1::bigint else $2::bigint end
             limit 1000 for update of w skip locked)",
        random.num_milliseconds(),
        other.num_milliseconds(),
    )
    .execute(conn)
    .await?;
    Ok(gone.rows_affected())
}
