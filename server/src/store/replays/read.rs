//! Replays as people and programs see them.

use chrono::{DateTime, Utc};
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::page::Cursor;
use dlo_domain::replay::{Outcome, OutcomeCounts, Replay, ReplayItem, ReplayState};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::letter_detail::read_outcome;

struct ReplayRow {
    id: Uuid,
    state: String,
    target: Value,
    created_by: String,
    created_at: DateTime<Utc>,
    finished_at: Option<DateTime<Utc>>,
    total: i64,
    left_out: Value,
    pending: i64,
    confirmed: i64,
    unroutable: i64,
    refused: i64,
    unknown: i64,
    died_again: i64,
    processed: i64,
    settled: i64,
}

impl TryFrom<ReplayRow> for Replay {
    type Error = StoreError;

    fn try_from(row: ReplayRow) -> Result<Self, StoreError> {
        let corrupt = |column, why: String| StoreError::corrupt("replays", column, why);
        let state = match row.state.as_str() {
            "running" => ReplayState::Running,
            "finished" => ReplayState::Finished,
            other => return Err(corrupt("state", format!("`{other}`"))),
        };
        Ok(Self {
            id: Some(ReplayId(row.id)),
            state,
            target: serde_json::from_value(row.target)
                .map_err(|why| corrupt("target", why.to_string()))?,
            created_by: row.created_by,
            created_at: row.created_at,
            finished_at: row.finished_at,
            total: row.total,
            outcomes: OutcomeCounts {
                pending: row.pending,
                confirmed: row.confirmed,
                unroutable: row.unroutable,
                refused: row.refused,
                unknown: row.unknown,
                died_again: row.died_again,
                processed: row.processed,
                settled: row.settled,
            },
            left_out: serde_json::from_value(row.left_out)
                .map_err(|why| corrupt("left_out", why.to_string()))?,
            destinations: Vec::new(),
            stripped: Vec::new(),
        })
    }
}

/// At most `limit` replays after the cursor, newest first.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn page(
    conn: &mut PgConnection,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Replay>, StoreError> {
    let rows = sqlx::query_as!(
        ReplayRow,
        "select id, state, target, created_by, created_at, finished_at, total, left_out, pending,
                confirmed, unroutable, refused, unknown, died_again, processed, settled
         from replays
         where $1::timestamptz is null or (created_at, id) < ($1, $2)
         order by created_at desc, id desc
         limit $3",
        after.map(|cursor| cursor.at),
        after.map(|cursor| cursor.id),
        limit
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(Replay::try_from).collect()
}

/// How many replays there are.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count(conn: &mut PgConnection) -> Result<i64, StoreError> {
    let counted = sqlx::query_scalar!(r#"select count(*) as "counted!" from replays"#)
        .fetch_one(conn)
        .await?;
    Ok(counted)
}

/// One replay, or nothing when there is no such replay.
///
/// # Errors
/// When Postgres does not do it or the row cannot be read.
pub async fn replay(conn: &mut PgConnection, id: ReplayId) -> Result<Option<Replay>, StoreError> {
    let row = sqlx::query_as!(
        ReplayRow,
        "select id, state, target, created_by, created_at, finished_at, total, left_out, pending,
                confirmed, unroutable, refused, unknown, died_again, processed, settled
         from replays where id = $1",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(Replay::try_from).transpose()
}

/// At most `limit` letters of a replay after a position, in the order of publishing, each with
/// its position.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn items(
    conn: &mut PgConnection,
    id: ReplayId,
    outcome: Option<Outcome>,
    after: Option<i32>,
    limit: i64,
) -> Result<Vec<(i32, ReplayItem)>, StoreError> {
    let rows = sqlx::query!(
        "select position, letter_id, queue, outcome, detail, at from replay_items
         where replay_id = $1 and ($2::text is null or outcome = $2) and position > $3
         order by position
         limit $4",
        id.0,
        outcome.map(Outcome::as_str),
        after.unwrap_or(-1),
        limit
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let item = ReplayItem {
                letter_id: LetterId(row.letter_id),
                queue: row.queue,
                outcome: read_outcome(&row.outcome)?,
                detail: row.detail,
                at: row.at,
            };
            Ok((row.position, item))
        })
        .collect()
}
