//! Reading executions: lists, one by itself, and how many there are.

use chrono::{DateTime, Utc};
use dlo_domain::execution::{
    Execution, ExecutionDetail, ExecutionQuery, ExecutionState, StateCount,
};
use dlo_domain::page::Cursor;
use sqlx::{FromRow, PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use super::links;
use super::write::read_state;
use crate::store::StoreError;

/// Executions of a kind are counted up to here.
pub const MOST_COUNTED: i64 = 10_000;

#[derive(Debug, FromRow)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) key: Uuid,
    pub(super) state: String,
    pub(super) worker: Option<String>,
    pub(super) attempt: i32,
    pub(super) max_attempts: i32,
    pub(super) first_seen_at: DateTime<Utc>,
    pub(super) state_since: DateTime<Utc>,
    pub(super) requested_at: Option<DateTime<Utc>>,
    pub(super) scheduling_at: Option<DateTime<Utc>>,
    pub(super) scheduled_at: Option<DateTime<Utc>>,
    pub(super) running_at: Option<DateTime<Utc>>,
    pub(super) ended_at: Option<DateTime<Utc>>,
    pub(super) error: Option<String>,
    pub(super) failed_by: Option<String>,
    pub(super) is_read: bool,
}

const COLUMNS: &str = "id, key, state, worker, attempt, max_attempts, first_seen_at, state_since, \
    requested_at, scheduling_at, scheduled_at, running_at, ended_at, error, failed_by, is_read";

/// A row as it is; not begun, and in its state since before `stuck_before`, it is stuck.
pub(super) fn execution(
    row: Row,
    stuck_before: Option<DateTime<Utc>>,
) -> Result<Execution, StoreError> {
    let state = read_state(&row.state)?;
    let is_stuck =
        stuck_before.is_some_and(|before| Execution::stands_still(state, row.state_since, before));
    Ok(Execution {
        id: row.id,
        state,
        worker: row.worker,
        attempt: row.attempt,
        max_attempts: row.max_attempts,
        state_since: row.state_since,
        first_seen_at: row.first_seen_at,
        requested_at: row.requested_at,
        scheduling_at: row.scheduling_at,
        scheduled_at: row.scheduled_at,
        running_at: row.running_at,
        ended_at: row.ended_at,
        error: row.error,
        failed_by: row.failed_by,
        is_stuck,
        is_read: row.is_read,
    })
}

/// At most `limit` executions after the cursor, the newest first; stuck ones the longest first. Each
/// comes with the cursor behind it.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn page(
    conn: &mut PgConnection,
    query: &ExecutionQuery,
    stuck_before: DateTime<Utc>,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<(Cursor, Execution)>, StoreError> {
    let mut sql = QueryBuilder::new("select ");
    sql.push(COLUMNS).push(" from executions where ");
    write_query(&mut sql, query, stuck_before);
    if let Some(Cursor { at, id }) = after {
        sql.push(if query.stuck {
            " and (state_since, key) > ("
        } else {
            " and (first_seen_at, key) < ("
        });
        sql.push_bind(at).push(", ").push_bind(id).push(")");
    }
    sql.push(if query.stuck {
        " order by state_since, key limit "
    } else {
        " order by first_seen_at desc, key desc limit "
    });
    sql.push_bind(limit);
    let rows: Vec<Row> = sql.build_query_as().fetch_all(conn).await?;
    rows.into_iter()
        .map(|row| {
            let at = if query.stuck { row.state_since } else { row.first_seen_at };
            let id = row.key;
            Ok((Cursor { at, id }, execution(row, Some(stuck_before))?))
        })
        .collect()
}

/// How many there are, up to [`MOST_COUNTED`] and one more.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count(
    conn: &mut PgConnection,
    query: &ExecutionQuery,
    stuck_before: DateTime<Utc>,
) -> Result<i64, StoreError> {
    let mut sql = QueryBuilder::new("select count(*) from (select from executions where ");
    write_query(&mut sql, query, stuck_before);
    sql.push(" limit ").push_bind(MOST_COUNTED + 1).push(") as these");
    Ok(sql.build_query_scalar().fetch_one(conn).await?)
}

fn write_query(
    sql: &mut QueryBuilder<Postgres>,
    query: &ExecutionQuery,
    stuck_before: DateTime<Utc>,
) {
    sql.push("true");
    if query.stuck {
        sql.push(" and state in ('requested', 'scheduling', 'scheduled') and state_since < ")
            .push_bind(stuck_before);
    }
    if let Some(state) = query.state {
        // As text of the statement, so that partial indexes are seen to fit.
        sql.push(" and state = '").push(state.as_str()).push("'");
    }
    if let Some(worker) = &query.worker {
        sql.push(" and worker = ").push_bind(worker.clone());
    }
}

/// How many are in each state.
///
/// # Errors
/// When Postgres does not do it.
pub async fn states(conn: &mut PgConnection) -> Result<Vec<StateCount>, StoreError> {
    let mut counts = Vec::with_capacity(ExecutionState::ALL.len());
    for state in ExecutionState::ALL {
        let query = ExecutionQuery { state: Some(state), ..ExecutionQuery::default() };
        let count = count(conn, &query, DateTime::UNIX_EPOCH).await?;
        counts.push(StateCount {
            state,
            count: count.min(MOST_COUNTED),
            is_least: count > MOST_COUNTED,
        });
    }
    Ok(counts)
}

/// One execution, or nothing when there is none of that name.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn one(
    conn: &mut PgConnection,
    id: &str,
    stuck_before: DateTime<Utc>,
) -> Result<Option<ExecutionDetail>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        "select id, key, state, worker, attempt, max_attempts, first_seen_at, state_since,
             requested_at, scheduling_at, scheduled_at, running_at, ended_at, error, failed_by,
             is_read
         from executions where id = $1",
        id,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let result = sqlx::query_scalar!("select result from executions where id = $1", id)
        .fetch_one(&mut *conn)
        .await?;
    Ok(Some(ExecutionDetail {
        letters: links::of_execution(conn, id).await?,
        execution: execution(row, Some(stuck_before))?,
        result,
    }))
}
