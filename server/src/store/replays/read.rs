//! Replays as people and programs see them.

use chrono::{DateTime, Utc};
use dlo_domain::changing::Approval;
use dlo_domain::ids::{LetterId, PolicyId, ReplayId};
use dlo_domain::replay::{
    Canary, Earlier, Outcome, OutcomeCounts, Replay, ReplayItem, ReplayState, Stop, Written,
};
use dlo_domain::republish::HeaderChanges;
use dlo_domain::selection::LeftOut;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::letter_detail::read_outcome;

#[expect(clippy::struct_excessive_bools, reason = "a row has the columns that the table has")]
struct ReplayRow {
    id: Uuid,
    state: String,
    target: Value,
    rate_per_second: Option<i32>,
    canary: Option<Value>,
    in_order: bool,
    keep_expiration: bool,
    start_at: Option<DateTime<Utc>>,
    stopped_at: Option<DateTime<Utc>>,
    stopped_by: Option<String>,
    stopped_why: Option<String>,
    step: i32,
    watched_since: Option<DateTime<Utc>>,
    base_tried: i64,
    base_wrong: i64,
    base_well: i64,
    headers: Option<Value>,
    open_envelopes: bool,
    transform: Option<Value>,
    edited: bool,
    needs_approval: bool,
    decided_by: Option<String>,
    refused_because: Option<String>,
    policy_id: Option<Uuid>,
    created_by: String,
    created_at: DateTime<Utc>,
    finished_at: Option<DateTime<Utc>>,
    total: i64,
    left_out: Value,
    claimed_origins: Option<Value>,
    pending: i64,
    confirmed: i64,
    unroutable: i64,
    refused: i64,
    unknown: i64,
    died_again: i64,
    processed: i64,
    settled: i64,
}

impl ReplayRow {
    fn outcomes(&self) -> OutcomeCounts {
        OutcomeCounts {
            pending: self.pending,
            confirmed: self.confirmed,
            unroutable: self.unroutable,
            refused: self.refused,
            unknown: self.unknown,
            died_again: self.died_again,
            processed: self.processed,
            settled: self.settled,
        }
    }

    fn stopped(&self) -> Option<Stop> {
        Some(Stop {
            at: self.stopped_at?,
            by: self.stopped_by.clone()?,
            why: self.stopped_why.clone(),
        })
    }
}

impl TryFrom<ReplayRow> for Replay {
    type Error = StoreError;

    fn try_from(row: ReplayRow) -> Result<Self, StoreError> {
        let outcomes = row.outcomes();
        let stopped = row.stopped();
        let canary = read_canary(row.canary)?;
        let earlier = Earlier { tried: row.base_tried, wrong: row.base_wrong, well: row.base_well };
        let climb = canary
            .is_some()
            .then(|| earlier.climb(outcomes, read_step(row.step), row.watched_since));
        Ok(Self {
            id: Some(ReplayId(row.id)),
            state: read_state(&row.state)?,
            target: read("target", row.target)?,
            rate_per_second: row.rate_per_second.and_then(|rate| rate.try_into().ok()),
            canary,
            climb,
            in_order: row.in_order,
            keep_expiration: row.keep_expiration,
            start_at: row.start_at,
            stopped,
            headers: read_headers(row.headers)?,
            open_envelopes: row.open_envelopes,
            transform: read_json("transform", row.transform)?,
            edited: row.edited,
            approval: row
                .needs_approval
                .then_some(Approval { by: row.decided_by, refused_because: row.refused_because }),
            policy_id: row.policy_id.map(PolicyId),
            created_by: row.created_by,
            created_at: row.created_at,
            finished_at: row.finished_at,
            total: row.total,
            outcomes,
            pace: None,
            left_out: read_left_out(row.left_out)?,
            destinations: Vec::new(),
            replayed_before: None,
            perhaps_delivered: None,
            made_persistent: 0,
            claimed_origins: read_json("claimed_origins", row.claimed_origins)?,
            stripped: Vec::new(),
            warnings: Vec::new(),
            plan: None,
        })
    }
}

/// A step of a ladder, as it stands in its row.
pub(super) fn read_step(step: i32) -> u32 {
    step.try_into().unwrap_or_default()
}

pub(super) fn read_state(word: &str) -> Result<ReplayState, StoreError> {
    word.parse().map_err(|why| StoreError::corrupt("replays", "state", why))
}

/// Reads the headers that letters of a replay are sent without, or with.
pub(super) fn read_headers(written: Option<Value>) -> Result<HeaderChanges, StoreError> {
    Ok(read_json("headers", written)?.unwrap_or_default())
}

pub(super) fn read_canary(written: Option<Value>) -> Result<Option<Canary>, StoreError> {
    read_json("canary", written)
}

pub(super) fn read_left_out(written: Value) -> Result<Vec<LeftOut>, StoreError> {
    read("left_out", written)
}

/// Reads a JSON column of `replays` that may be null.
fn read_json<T: DeserializeOwned>(
    column: &'static str,
    written: Option<Value>,
) -> Result<Option<T>, StoreError> {
    written.map(|written| read(column, written)).transpose()
}

fn read<T: DeserializeOwned>(column: &'static str, written: Value) -> Result<T, StoreError> {
    serde_json::from_value(written)
        .map_err(|why| StoreError::corrupt("replays", column, why.to_string()))
}

/// These replays, newest first.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub(super) async fn these(
    conn: &mut PgConnection,
    ids: &[Uuid],
) -> Result<Vec<Replay>, StoreError> {
    let rows = sqlx::query_as!(
        ReplayRow,
        "select id, state, target, rate_per_second, canary, in_order, keep_expiration, start_at,
                stopped_at, stopped_by, stopped_why, step, watched_since, base_tried, base_wrong,
                base_well, headers, open_envelopes, transform, edited, needs_approval, decided_by,
                refused_because, policy_id, created_by, created_at, finished_at, total, left_out, claimed_origins,
                pending, confirmed, unroutable, refused, unknown, died_again, processed, settled
         from replays where id = any($1)
         order by created_at desc, id desc",
        ids
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(Replay::try_from).collect()
}

/// One replay, or nothing when there is no such replay.
///
/// # Errors
/// When Postgres does not do it or the row cannot be read.
pub async fn replay(conn: &mut PgConnection, id: ReplayId) -> Result<Option<Replay>, StoreError> {
    Ok(these(conn, &[id.0]).await?.pop())
}

/// What was written down last of what became of a replay's letters: the lines of the audit trail that reach furthest, at
/// most 2,000 of them.
///
/// # Errors
/// When Postgres does not do it.
pub async fn written_last(
    conn: &mut PgConnection,
    id: ReplayId,
) -> Result<Vec<Written>, StoreError> {
    let rows = sqlx::query!(
        r#"select at, cardinality(letters)::bigint as "letters!" from audit
           where replay_id = $1 and letters is not null and action like 'replay.%'
           order by first_position desc limit 2000"#,
        id.0
    )
    .fetch_all(conn)
    .await?;
    let written = rows.into_iter().map(|row| Written { at: row.at, letters: row.letters });
    Ok(written.collect())
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
        "select position, letter_id, queue, exchange, routing_key, outcome, detail, at
         from replay_items
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
                exchange: row.exchange,
                routing_key: row.routing_key,
                outcome: read_outcome(&row.outcome)?,
                detail: row.detail,
                at: row.at,
            };
            Ok((row.position, item))
        })
        .collect()
}
