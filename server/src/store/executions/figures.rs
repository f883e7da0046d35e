//! How executions fared, minute by minute.

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use dlo_domain::execution::{Execution, ExecutionState, MONITOR};
use sqlx::PgConnection;

use crate::store::StoreError;

/// How long minutes are kept.
const KEPT: TimeDelta = TimeDelta::days(7);

/// What of executions is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Came to run at the first attempt, being known since they were requested. A later one says nothing
    /// of how long it takes: it may be a replay of the next day.
    pub started: i64,
    /// How long that took in all, in milliseconds.
    pub latency_ms: i64,
    /// Were over.
    pub ended: i64,
    /// Were failed by the monitor, or timed out.
    pub timeouts: i64,
}

impl Tally {
    /// Counts what an execution came to.
    pub fn add(&mut self, before: Option<ExecutionState>, now: &Execution) {
        if before == Some(now.state) {
            return;
        }
        self.ended += i64::from(now.state.is_terminal());
        let by_monitor = now.failed_by.as_deref() == Some(MONITOR);
        self.timeouts += i64::from(now.state == ExecutionState::TimedOut || by_monitor);
        if let (ExecutionState::Running, 1, Some(asked), Some(begun)) =
            (now.state, now.attempt, now.requested_at, now.running_at)
        {
            self.started += 1;
            self.latency_ms += (begun - asked).num_milliseconds().max(0);
        }
    }
}

/// Counts.
///
/// # Errors
/// When Postgres does not do it.
pub async fn add(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
    tally: Tally,
) -> Result<(), StoreError> {
    if tally == Tally::default() {
        return Ok(());
    }
    let minute = now.duration_trunc(TimeDelta::minutes(1)).unwrap_or(now);
    sqlx::query!(
        "insert into execution_minutes (minute, part, started, latency_ms, ended, timeouts)
         values ($1, pg_backend_pid() % 16, $2, $3, $4, $5)
         on conflict (minute, part) do update
         set started = execution_minutes.started + excluded.started,
             latency_ms = execution_minutes.latency_ms + excluded.latency_ms,
             ended = execution_minutes.ended + excluded.ended,
             timeouts = execution_minutes.timeouts + excluded.timeouts",
        minute,
        tally.started,
        tally.latency_ms,
        tally.ended,
        tally.timeouts,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What was counted in the hour before `now`.
///
/// # Errors
/// When Postgres does not do it.
pub async fn of_last_hour(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<Tally, StoreError> {
    let tally = sqlx::query_as!(
        Tally,
        r#"select coalesce(sum(started), 0)::bigint as "started!",
             coalesce(sum(latency_ms), 0)::bigint as "latency_ms!",
             coalesce(sum(ended), 0)::bigint as "ended!",
             coalesce(sum(timeouts), 0)::bigint as "timeouts!"
           from execution_minutes where minute > $1 and minute <= $2"#,
        now - TimeDelta::hours(1),
        now,
    )
    .fetch_one(conn)
    .await?;
    Ok(tally)
}

/// Forgets old minutes.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<(), StoreError> {
    sqlx::query!("delete from execution_minutes where minute < $1", now - KEPT)
        .execute(conn)
        .await?;
    Ok(())
}
