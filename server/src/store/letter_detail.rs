//! One letter with everything known of it, and the bodies of its arrivals.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use dlo_domain::arrival::Arrival;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::letter::{Letter, LetterSummary};
use dlo_domain::replay::{LetterReplay, Outcome};
use dlo_domain::wire::Properties;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::executions::links;
use super::letter_list::{self, SummaryRow};
use super::replays::bodies;
use super::topology::workers;
use super::{StoreError, audit, retries};

/// The beginning of a body, and how to read it.
#[derive(Debug)]
pub struct BodyPart {
    /// Its first bytes.
    pub bytes: Vec<u8>,
    /// The size of the whole in bytes.
    pub size_bytes: i64,
    /// What the sender calls it.
    pub content_type: Option<String>,
    /// How the sender says it is packed.
    pub content_encoding: Option<String>,
}

/// One letter, or nothing when there is no such letter.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn letter(conn: &mut PgConnection, id: LetterId) -> Result<Option<Letter>, StoreError> {
    let Some(rest) = rest(conn, id).await? else {
        return Ok(None);
    };
    let Some(summary) = summary(conn, id).await? else {
        return Ok(None);
    };
    let arrivals = arrivals(conn, id).await?;
    let (execution_id, worker) = links::of_letter(conn, id).await?.unzip();
    let worker = match worker.flatten() {
        Some(worker) => Some(worker),
        None => only_worker(conn, summary.queue.as_deref()).await?,
    };
    Ok(Some(Letter {
        summary,
        vhost: rest.vhost,
        deaths: arrivals
            .last()
            .map(|last| last.deaths.clone())
            .unwrap_or_default(),
        stack_trace: rest.stack_trace,
        told_by: rest.told_by,
        arrivals,
        execution_id,
        worker,
        replays: replays(conn, id).await?,
        retries: retries::of_letter(conn, id).await?,
        audit: audit::of_letter(conn, id).await?,
    }))
}

/// The worker of a queue on which no other one works.
async fn only_worker(
    conn: &mut PgConnection,
    queue: Option<&str>,
) -> Result<Option<String>, StoreError> {
    let Some(queue) = queue else { return Ok(None) };
    let workers = workers::of_queue(conn, queue).await?;
    Ok(match <[_; 1]>::try_from(workers) {
        Ok([(only, _)]) => Some(only),
        Err(_) => None,
    })
}

async fn summary(
    conn: &mut PgConnection,
    id: LetterId,
) -> Result<Option<LetterSummary>, StoreError> {
    let row = sqlx::query_as!(
        SummaryRow,
        "select l.id, l.state, l.severity, s.name as source, l.source_id, l.queue, l.exchange,
                l.routing_key, l.reason, l.error_class, l.error_message, l.message_type,
                l.message_id, l.size_bytes, l.arrivals, l.first_arrived_at, l.last_arrived_at,
                (select g.group_id from signatures g where g.id = l.signature) as group_id
         from letters l
         join sources s on s.id = l.source_id
         where l.id = $1",
        id.0
    )
    .fetch_optional(&mut *conn)
    .await?;
    let mut found = row.map(LetterSummary::try_from).transpose()?;
    if let Some(letter) = &mut found {
        letter_list::mark_claimed(conn, std::slice::from_mut(letter)).await?;
    }
    Ok(found)
}

struct Rest {
    vhost: String,
    stack_trace: Option<String>,
    told_by: Option<String>,
}

async fn rest(conn: &mut PgConnection, id: LetterId) -> Result<Option<Rest>, StoreError> {
    let rest = sqlx::query_as!(
        Rest,
        "select s.vhost, l.stack_trace, l.told_by
         from letters l
         join sources s on s.id = l.source_id
         where l.id = $1",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(rest)
}

struct ArrivalRow {
    ordinal: i32,
    arrived_at: DateTime<Utc>,
    exchange: String,
    routing_key: String,
    properties: Value,
    headers: Value,
    deaths: Value,
    size_bytes: i64,
    body_sha256: String,
    replay_id: Option<Uuid>,
    notes: Vec<String>,
}

async fn arrivals(conn: &mut PgConnection, id: LetterId) -> Result<Vec<Arrival>, StoreError> {
    let rows = sqlx::query_as!(
        ArrivalRow,
        r#"select ordinal, arrived_at, exchange, routing_key, properties, headers, deaths,
                  octet_length(body)::bigint as "size_bytes!",
                  encode(body_sha256, 'hex') as "body_sha256!", replay_id, notes
           from arrivals where letter_id = $1 order by ordinal"#,
        id.0
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(Arrival::try_from).collect()
}

impl TryFrom<ArrivalRow> for Arrival {
    type Error = StoreError;

    fn try_from(row: ArrivalRow) -> Result<Self, StoreError> {
        Ok(Self {
            ordinal: row.ordinal,
            arrived_at: row.arrived_at,
            exchange: row.exchange,
            routing_key: row.routing_key,
            properties: read_json("properties", row.properties)?,
            headers: read_json("headers", row.headers)?,
            deaths: read_json("deaths", row.deaths)?,
            size_bytes: row.size_bytes,
            body_sha256: row.body_sha256,
            replay_id: row.replay_id.map(ReplayId),
            notes: row.notes,
        })
    }
}

/// Reads a JSON column of `arrivals`.
pub(super) fn read_json<T: DeserializeOwned>(
    column: &'static str,
    value: Value,
) -> Result<T, StoreError> {
    serde_json::from_value(value).map_err(|why| StoreError::corrupt("arrivals", column, why))
}

/// The replays that a letter was part of, newest first.
async fn replays(conn: &mut PgConnection, id: LetterId) -> Result<Vec<LetterReplay>, StoreError> {
    let rows = sqlx::query!(
        "select i.replay_id, i.attempt, i.queue, i.outcome, i.detail, r.created_at, i.at
         from replay_items i
         join replays r on r.id = i.replay_id
         where i.letter_id = $1
         order by r.created_at desc, r.id desc",
        id.0
    )
    .fetch_all(&mut *conn)
    .await?;
    let mut sent: HashMap<_, _> = bodies::marks(conn, id).await?.into_iter().collect();
    rows.into_iter()
        .map(|row| {
            Ok(LetterReplay {
                sent: sent.remove(&ReplayId(row.replay_id)),
                replay_id: ReplayId(row.replay_id),
                attempt: row.attempt,
                queue: row.queue,
                outcome: read_outcome(&row.outcome)?,
                detail: row.detail,
                planned_at: row.created_at,
                at: row.at,
            })
        })
        .collect()
}

/// Reads the outcome of a replay item.
pub(super) fn read_outcome(word: &str) -> Result<Outcome, StoreError> {
    word.parse()
        .map_err(|why| StoreError::corrupt("replay_items", "outcome", why))
}

/// The first `most` bytes of an arrival's body; of the last arrival when `ordinal` is absent.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn body(
    conn: &mut PgConnection,
    id: LetterId,
    ordinal: Option<i32>,
    most: i32,
) -> Result<Option<BodyPart>, StoreError> {
    let row = sqlx::query!(
        r#"select substring(body from 1 for $3) as "bytes!",
                  octet_length(body)::bigint as "size_bytes!", properties
           from arrivals
           where letter_id = $1
             and ordinal = coalesce($2, (select max(ordinal) from arrivals where letter_id = $1))"#,
        id.0,
        ordinal,
        most
    )
    .fetch_optional(conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let properties: Properties = read_json("properties", row.properties)?;
    let content_type = properties
        .content_type
        .map(|kind| kind.to_display().into_owned());
    let content_encoding = properties
        .content_encoding
        .map(|name| name.to_display().into_owned());
    Ok(Some(BodyPart {
        bytes: row.bytes,
        size_bytes: row.size_bytes,
        content_type,
        content_encoding,
    }))
}
