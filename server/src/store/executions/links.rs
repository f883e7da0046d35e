//! Arrivals that name executions.

use chrono::{DateTime, Utc};
use dlo_domain::death::Reason;
use dlo_domain::execution::{ExecutionNaming, HandlerVerdict, NamedBy};
use dlo_domain::ids::{LetterId, ReplayId};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::store::StoreError;

/// Letters of an execution that are shown.
const MOST_SHOWN: i64 = 50;

/// An arrival that names an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    /// The letter.
    pub letter: LetterId,
    /// When it arrived.
    pub arrived_at: DateTime<Utc>,
    /// The execution.
    pub execution: &'a str,
}

/// Writes down which arrivals name executions, so that the handler comes to them.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(conn: &mut PgConnection, named: &[Named<'_>]) -> Result<(), StoreError> {
    if named.is_empty() {
        return Ok(());
    }
    let letters: Vec<Uuid> = named.iter().map(|one| one.letter.0).collect();
    let times: Vec<DateTime<Utc>> = named.iter().map(|one| one.arrived_at).collect();
    let executions: Vec<&str> = named.iter().map(|one| one.execution).collect();
    sqlx::query!(
        "insert into letter_executions (letter_id, arrived_at, execution_id, noted_at)
         select *, clock_timestamp() from unnest($1::uuid[], $2::timestamptz[], $3::text[])
         on conflict do nothing",
        &letters,
        &times,
        &executions as &[&str],
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// An arrival that the handler has not come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// The letter.
    pub letter: LetterId,
    /// When it arrived, by the clock of the office that took it.
    pub arrived_at: DateTime<Utc>,
    /// When that was written down, by the clock that all offices share.
    pub noted_at: DateTime<Utc>,
    /// The broker and the vhost that it came from; nothing when its source is gone.
    pub place: Option<(String, String)>,
    /// The execution that it names.
    pub execution: String,
    /// The queue that it died in.
    pub queue: Option<String>,
    /// Why it died.
    pub reason: Reason,
    /// What is done with executions that letters of its source name.
    pub naming: ExecutionNaming,
}

struct Row {
    letter_id: Uuid,
    arrived_at: DateTime<Utc>,
    noted_at: DateTime<Utc>,
    execution_id: String,
    queue: Option<String>,
    reason: Option<String>,
    broker: Option<String>,
    vhost: Option<String>,
    naming: Option<Json<ExecutionNaming>>,
}

impl TryFrom<Row> for Open {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let reason = row.reason.as_deref().unwrap_or("unknown");
        Ok(Self {
            letter: LetterId(row.letter_id),
            arrived_at: row.arrived_at,
            noted_at: row.noted_at,
            place: row.broker.zip(row.vhost),
            execution: row.execution_id,
            queue: row.queue,
            reason: reason.parse().map_err(|why| StoreError::corrupt("letters", "reason", why))?,
            naming: row.naming.map(|naming| naming.0).unwrap_or_default(),
        })
    }
}

/// The next arrival to be handled, locked; others that are being handled are left out, and those of letters
/// that have to wait.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn next(conn: &mut PgConnection, later: &[Uuid]) -> Result<Option<Open>, StoreError> {
    let row = sqlx::query!(
        "select letter_id, arrived_at from letter_executions
         where verdict is null and letter_id <> all($1)
         order by arrived_at, letter_id limit 1
         for update skip locked",
        later,
    )
    .fetch_optional(&mut *conn)
    .await?;
    match row {
        Some(row) => Ok(Some(one(conn, LetterId(row.letter_id), row.arrived_at).await?)),
        None => Ok(None),
    }
}

/// An arrival that names an execution; it must be there.
pub(super) async fn one(
    conn: &mut PgConnection,
    letter: LetterId,
    arrived_at: DateTime<Utc>,
) -> Result<Open, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"select n.letter_id, n.arrived_at, n.noted_at, n.execution_id, l.queue as "queue?",
             l.reason as "reason?", s.broker as "broker?", s.vhost as "vhost?",
             s.executions as "naming?: Json<ExecutionNaming>"
           from letter_executions n
           left join letters l on l.id = n.letter_id
           left join sources s on s.id = l.source_id
           where n.letter_id = $1 and n.arrived_at = $2"#,
        letter.0,
        arrived_at,
    )
    .fetch_one(conn)
    .await?;
    row.try_into()
}

/// When the one arrived that has waited longest for the handler.
///
/// # Errors
/// When Postgres does not do it.
pub async fn waits_since(conn: &mut PgConnection) -> Result<Option<DateTime<Utc>>, StoreError> {
    let arrived_at = sqlx::query_scalar!(
        "select arrived_at from letter_executions where verdict is null
         order by arrived_at limit 1",
    )
    .fetch_optional(conn)
    .await?;
    Ok(arrived_at)
}

/// How often the message of a letter went back to its queue since a moment, for the sake of a pause.
///
/// # Errors
/// When Postgres does not do it.
pub async fn spared_since(
    conn: &mut PgConnection,
    letter: LetterId,
    since: DateTime<Utc>,
) -> Result<i64, StoreError> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from letter_executions
           where letter_id = $1 and noted_at >= $2 and verdict = 'spared'"#,
        letter.0,
        since,
    )
    .fetch_one(conn)
    .await?;
    Ok(count)
}

/// What was done for an arrival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handled {
    /// In a word.
    pub verdict: HandlerVerdict,
    /// In a sentence.
    pub detail: Option<String>,
    /// What its message was sent on with, which is followed until it is known what came of it.
    pub sent: Option<Sent>,
}

/// A message that was sent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// The replay that it goes with.
    pub replay: ReplayId,
    /// The attempt at its execution that it is of.
    pub attempt: i32,
}

/// Says what was done for an arrival.
///
/// # Errors
/// When Postgres does not do it.
pub async fn close(
    conn: &mut PgConnection,
    open: &Open,
    handled: &Handled,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update letter_executions set verdict = $3, detail = $4, replay_id = $5, attempt = $6
         where letter_id = $1 and arrived_at = $2",
        open.letter.0,
        open.arrived_at,
        handled.verdict.as_str(),
        handled.detail,
        handled.sent.map(|sent| sent.replay.0),
        handled.sent.map(|sent| sent.attempt),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The letters that name an execution, newest first.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn of_execution(
    conn: &mut PgConnection,
    execution: &str,
) -> Result<Vec<NamedBy>, StoreError> {
    let rows = sqlx::query!(
        "select letter_id, arrived_at, verdict, detail from letter_executions
         where execution_id = $1 order by arrived_at desc, letter_id limit $2",
        execution,
        MOST_SHOWN,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(NamedBy {
                letter_id: LetterId(row.letter_id),
                arrived_at: row.arrived_at,
                verdict: row.verdict.as_deref().map(read_verdict).transpose()?,
                detail: row.detail,
            })
        })
        .collect()
}

/// The execution that a letter is linked to, and the worker that has it: the last that it named, as
/// far as we were told of it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn of_letter(
    conn: &mut PgConnection,
    letter: LetterId,
) -> Result<Option<(String, Option<String>)>, StoreError> {
    let row = sqlx::query!(
        "select e.id, e.worker from letter_executions n join executions e on e.id = n.execution_id
         where n.letter_id = $1 order by n.arrived_at desc limit 1",
        letter.0,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| (row.id, row.worker)))
}

fn read_verdict(word: &str) -> Result<HandlerVerdict, StoreError> {
    HandlerVerdict::ALL
        .into_iter()
        .find(|verdict| verdict.as_str() == word)
        .ok_or_else(|| StoreError::corrupt("letter_executions", "verdict", word))
}
