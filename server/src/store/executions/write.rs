//! Writing executions: reports, and what we end ourselves. Whoever writes has the rows locked, or
//! names the state that it expects.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use dlo_domain::execution::{Execution, ExecutionState};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::read::{Row, execution};
use crate::store::StoreError;

/// An execution as it is to be written, with what came of it; where that is absent, what came of the
/// same attempt before stays.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The execution.
    pub execution: Execution,
    /// What came of it.
    pub result: Option<Value>,
}

/// Locks these executions. Those that were not heard of are made, in the order of their ids, and are
/// absent from the answer: nobody else can make or see them before the transaction ends.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take(
    conn: &mut PgConnection,
    ids: &[&str],
    keys: &[Uuid],
    now: DateTime<Utc>,
) -> Result<HashMap<String, Execution>, StoreError> {
    let made = sqlx::query_scalar!(
        "insert into executions (id, key, state, first_seen_at, state_since)
         select id, key, 'requested', $3, $3
         from unnest($1::text[], $2::uuid[]) as new (id, key)
         order by id
         on conflict (id) do nothing
         returning id",
        ids as &[&str],
        keys,
        now,
    )
    .fetch_all(&mut *conn)
    .await?;
    let rows = sqlx::query_as!(
        Row,
        "select id, key, state, worker, attempt, max_attempts, first_seen_at, state_since,
             requested_at, scheduling_at, scheduled_at, running_at, ended_at, error, failed_by,
             is_read
         from executions where id = any($1) and id <> all($2) order by id for update",
        ids as &[&str],
        &made,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(|row| Ok((row.id.clone(), execution(row, None)?))).collect()
}

/// Locks one execution; nothing when it was not heard of.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn take_one(conn: &mut PgConnection, id: &str) -> Result<Option<Execution>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        "select id, key, state, worker, attempt, max_attempts, first_seen_at, state_since,
             requested_at, scheduling_at, scheduled_at, running_at, ended_at, error, failed_by,
             is_read
         from executions where id = $1 for update",
        id,
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| execution(row, None)).transpose()
}

/// Writes executions that `take` or `take_one` locked.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(conn: &mut PgConnection, told: &[Told]) -> Result<(), StoreError> {
    let texts = |pick: &dyn Fn(&Execution) -> Option<String>| -> Vec<Option<String>> {
        told.iter().map(|one| pick(&one.execution)).collect()
    };
    let times = |pick: &dyn Fn(&Execution) -> Option<DateTime<Utc>>| -> Vec<Option<DateTime<Utc>>> {
        told.iter().map(|one| pick(&one.execution)).collect()
    };
    let numbers = |pick: &dyn Fn(&Execution) -> i32| -> Vec<i32> {
        told.iter().map(|one| pick(&one.execution)).collect()
    };
    let results: Vec<Option<Value>> = told.iter().map(|one| one.result.clone()).collect();
    sqlx::query!(
        "update executions e set state = new.state, worker = new.worker, attempt = new.attempt,
             max_attempts = new.max_attempts, state_since = new.state_since,
             requested_at = new.requested_at, scheduling_at = new.scheduling_at,
             scheduled_at = new.scheduled_at, running_at = new.running_at,
             ended_at = new.ended_at, error = new.error, failed_by = new.failed_by,
             result = case when new.attempt > e.attempt then new.result
                 else coalesce(new.result, e.result) end
         from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::integer[],
             $6::timestamptz[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[],
             $10::timestamptz[], $11::timestamptz[], $12::text[], $13::text[], $14::jsonb[])
             as new (id, state, worker, attempt, max_attempts, state_since, requested_at,
                 scheduling_at, scheduled_at, running_at, ended_at, error, failed_by, result)
         where e.id = new.id",
        &texts(&|e| Some(e.id.clone())) as &[Option<String>],
        &texts(&|e| Some(e.state.as_str().to_owned())) as &[Option<String>],
        &texts(&|e| e.worker.clone()) as &[Option<String>],
        &numbers(&|e| e.attempt),
        &numbers(&|e| e.max_attempts),
        &times(&|e| Some(e.state_since)) as &[Option<DateTime<Utc>>],
        &times(&|e| e.requested_at) as &[Option<DateTime<Utc>>],
        &times(&|e| e.scheduling_at) as &[Option<DateTime<Utc>>],
        &times(&|e| e.scheduled_at) as &[Option<DateTime<Utc>>],
        &times(&|e| e.running_at) as &[Option<DateTime<Utc>>],
        &times(&|e| e.ended_at) as &[Option<DateTime<Utc>>],
        &texts(&|e| e.error.clone()) as &[Option<String>],
        &texts(&|e| e.failed_by.clone()) as &[Option<String>],
        &results as &[Option<Value>],
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::store) fn read_state(word: &str) -> Result<ExecutionState, StoreError> {
    word.parse().map_err(|why| StoreError::corrupt("executions", "state", why))
}
