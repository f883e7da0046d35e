//! One letter with what is known of it, up to a bound, and parts of the bodies of its arrivals.

mod arrivals;
mod beginnings;

use std::collections::HashMap;

use dlo_domain::budget::ShownBudget;
use dlo_domain::decoding::BodyHead;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::letter::{
    ARRIVALS_BUDGET, Letter, LetterSummary, MOST_AUDIT, MOST_DETAIL_BYTES, MOST_REPLAYS,
    OmittedOfLetter, STACK_TRACE_BUDGET,
};
use dlo_domain::payload::{BodyPart, BodyRange};
use dlo_domain::reading::cut;
use dlo_domain::replay::{LetterReplay, Outcome};
use dlo_domain::wire::{FieldTable, Properties};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;

use super::executions::links;
use super::letter_list::{self, SummaryRow};
use super::letters::{self, StoredLetter};
use super::replays::bodies;
use super::topology::workers;
use super::{StoreError, audit, retries};

pub use arrivals::arrival;
pub use beginnings::{Beginning, beginnings};

/// A part of a body, and how to read it.
#[derive(Debug)]
pub struct StoredBody {
    /// The part.
    pub part: BodyPart,
    /// What the sender says of it.
    pub head: BodyHead,
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
    let mut budget = ShownBudget::new(ARRIVALS_BUDGET);
    let arrivals = arrivals::newest(conn, id, &mut budget).await?;
    let replays = replays(conn, id).await?;
    let mut audit = audit::of_letter(conn, id).await?;
    let mut omitted = OmittedOfLetter {
        arrivals: omitted(summary.arrivals.into(), arrivals.len()),
        replays: omitted(replays.total, replays.newest.len()),
        audit: number(audit.len().saturating_sub(MOST_AUDIT)),
        stack_trace_bytes: 0,
    };
    audit.truncate(MOST_AUDIT);
    for entry in &mut audit {
        entry.detail = entry.detail.take().map(|text| cut(&text, MOST_DETAIL_BYTES));
    }
    let stack_trace = rest.stack_trace.map(|trace| {
        let kept = ShownBudget::new(STACK_TRACE_BUDGET).take_text(&trace).to_owned();
        omitted.stack_trace_bytes = number(trace.len() - kept.len());
        kept
    });
    let (execution_id, worker) = links::of_letter(conn, id).await?.unzip();
    let worker = match worker.flatten() {
        Some(worker) => Some(worker),
        None => only_worker(conn, summary.queue.as_deref()).await?,
    };
    let stored = letters::stored(conn, &[id], true).await?;
    Ok(Some(Letter {
        summary,
        vhost: rest.vhost,
        group_letters: rest.group_letters,
        deaths: arrivals.last().map(|last| last.deaths.clone()).unwrap_or_default(),
        stack_trace,
        told_by: rest.told_by,
        circumstances: stored.first().map(StoredLetter::circumstances).unwrap_or_default(),
        arrivals,
        execution_id,
        worker,
        replays: replays.newest,
        retries: retries::of_letter(conn, id).await?,
        audit,
        omitted,
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

/// One letter as a list has it, or nothing when there is no such letter.
///
/// # Errors
/// Returns an error if the query fails or the row cannot be read.
pub async fn summary(
    conn: &mut PgConnection,
    id: LetterId,
) -> Result<Option<LetterSummary>, StoreError> {
    let row = sqlx::query_as!(
        SummaryRow,
        r#"select l.id, l.state, l.severity, s.name as source, l.source_id, l.queue, l.exchange,
                l.routing_key, l.reason, l.error_class, l.error_message, l.message_type,
                l.message_id, l.size_bytes, l.arrivals, l.first_arrived_at, l.last_arrived_at,
                o.id as "group_id?", o.title as "group_title?"
         from letters l
         join sources s on s.id = l.source_id
         left join signatures g on g.id = l.signature
         left join groups o on o.id = g.group_id
         where l.id = $1"#,
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
    group_letters: Option<i64>,
}

async fn rest(conn: &mut PgConnection, id: LetterId) -> Result<Option<Rest>, StoreError> {
    let rest = sqlx::query_as!(
        Rest,
        "select s.vhost, l.stack_trace, l.told_by,
                (select t.letters from signatures g join group_totals t on t.group_id = g.group_id
                 where g.id = l.signature) as group_letters
         from letters l
         join sources s on s.id = l.source_id
         where l.id = $1",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(rest)
}

/// Reads the headers of an arrival. They are asked for as text: `serde_json::Value` ends at a depth that
/// older versions stored.
pub(in crate::store) fn read_headers(json: &str) -> Result<FieldTable, StoreError> {
    serde_json::from_str(json).map_err(|why| StoreError::corrupt("arrivals", "headers", why))
}

/// The headers of a body that is to be read. They may name its message type; where they cannot be read, the body can
/// be all the same, and the letter says so in another place.
pub(in crate::store) fn headers_of_body(json: &str) -> FieldTable {
    read_headers(json).unwrap_or_default()
}

/// Reads a JSON column of `arrivals`.
pub(super) fn read_json<T: DeserializeOwned>(
    column: &'static str,
    value: Value,
) -> Result<T, StoreError> {
    serde_json::from_value(value).map_err(|why| StoreError::corrupt("arrivals", column, why))
}

/// Replays of a letter.
struct Replays {
    /// The newest, the last one first.
    newest: Vec<LetterReplay>,
    /// How many there are.
    total: i64,
}

/// The replays that a letter was part of.
async fn replays(conn: &mut PgConnection, id: LetterId) -> Result<Replays, StoreError> {
    let rows = sqlx::query!(
        r#"select i.replay_id, i.attempt, i.queue, i.outcome, left(i.detail, 1000) as detail,
                  r.created_at, i.at, count(*) over () as "total!"
           from replay_items i
           join replays r on r.id = i.replay_id
           where i.letter_id = $1
           order by r.created_at desc, r.id desc
           limit $2"#,
        id.0,
        i64::try_from(MOST_REPLAYS).unwrap_or(i64::MAX)
    )
    .fetch_all(&mut *conn)
    .await?;
    let total = rows.first().map_or(0, |row| row.total);
    let mut sent: HashMap<_, _> = bodies::marks(conn, id).await?.into_iter().collect();
    let newest = rows.into_iter().map(|row| {
        Ok(LetterReplay {
            sent: sent.remove(&ReplayId(row.replay_id)),
            replay_id: ReplayId(row.replay_id),
            attempt: row.attempt,
            queue: row.queue,
            outcome: read_outcome(&row.outcome)?,
            detail: row.detail.map(|text| cut(&text, MOST_DETAIL_BYTES)),
            planned_at: row.created_at,
            at: row.at,
        })
    });
    Ok(Replays { newest: newest.collect::<Result<_, StoreError>>()?, total })
}

fn omitted(total: i64, shown: usize) -> u32 {
    number(usize::try_from(total).unwrap_or_default().saturating_sub(shown))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Reads the outcome of a replay item.
pub(super) fn read_outcome(word: &str) -> Result<Outcome, StoreError> {
    word.parse().map_err(|why| StoreError::corrupt("replay_items", "outcome", why))
}

/// A part of an arrival's body; of the last arrival when `ordinal` is absent. An arrival never changes, so
/// parts that were read one after the other are of the same bytes.
///
/// # Errors
/// Returns an error if the query fails or the row cannot be read.
pub async fn body(
    conn: &mut PgConnection,
    id: LetterId,
    ordinal: Option<i32>,
    range: BodyRange,
) -> Result<Option<StoredBody>, StoreError> {
    let row = sqlx::query!(
        r#"select ordinal, substring(body from $3 for $4) as "bytes!",
                  octet_length(body)::bigint as "size_bytes!", body_sha256,
                  properties as "properties: Json<Properties>", headers::text as "headers!"
           from arrivals
           where letter_id = $1
             and ordinal = coalesce($2, (select max(ordinal) from arrivals where letter_id = $1))"#,
        id.0,
        ordinal,
        i32::try_from(range.from).unwrap_or(i32::MAX).saturating_add(1),
        i32::try_from(range.most).unwrap_or(i32::MAX),
    )
    .fetch_optional(conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(StoredBody {
        part: BodyPart {
            ordinal: row.ordinal,
            size_bytes: row.size_bytes,
            sha256: row.body_sha256,
            bytes: row.bytes,
        },
        head: BodyHead::of(row.properties.0, headers_of_body(&row.headers)),
    }))
}
