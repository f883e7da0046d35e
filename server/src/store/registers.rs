//! The register, as far as we keep it: whose turn it is to read it, what came of that, and what it
//! said of each worker. The database that it is in is `foreign`'s.

pub mod foreign;

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::execution::ExecutionState;
use dlo_domain::register::{Known, ReadExecution, Sign};
use dlo_domain::worker::WorkerState;
use sqlx::PgConnection;

use super::StoreError;
use super::workers;

/// How the register was found when somebody looked last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// When somebody last tried to read it.
    pub tried_at: Option<DateTime<Utc>>,
    /// When its workers were last read to the end.
    pub read_at: Option<DateTime<Utc>>,
    /// Why it could not be read the last time.
    pub trouble: Option<String>,
    /// Since when.
    pub trouble_since: Option<DateTime<Utc>>,
    /// Whether that hides workers: else it is of executions alone.
    pub hides_workers: bool,
}

/// What is wrong with a register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Why it cannot be read, or not to the end.
    pub why: String,
    /// Whether that hides workers.
    pub hides_workers: bool,
}

/// Takes it upon oneself to look at the register, unless somebody did within `pace`. A time that lies
/// ahead was written before a clock was set back, and does not count.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take_turn(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
    pace: TimeDelta,
) -> Result<Option<Standing>, StoreError> {
    let standing = sqlx::query_as!(
        Standing,
        r#"insert into registers as r (is_only, looked_at) values (true, $1)
           on conflict (is_only) do update set looked_at = $1
           where r.looked_at <= $2 or r.looked_at > $1
           returning tried_at, read_at, trouble, trouble_since, hides_workers"#,
        now,
        now - pace,
    )
    .fetch_optional(conn)
    .await?;
    Ok(standing)
}

/// How the register was found last; nothing when nobody looked yet.
///
/// # Errors
/// When Postgres does not do it.
pub async fn standing(conn: &mut PgConnection) -> Result<Option<Standing>, StoreError> {
    let standing = sqlx::query_as!(
        Standing,
        "select tried_at, read_at, trouble, trouble_since, hides_workers from registers",
    )
    .fetch_optional(conn)
    .await?;
    Ok(standing)
}

/// Writes down that it was read to the end, or why it was not. The time moves only when that changes.
///
/// # Errors
/// When Postgres does not do it.
pub async fn set_read(
    conn: &mut PgConnection,
    trouble: Option<&Trouble>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update registers set tried_at = $2, trouble = $1, hides_workers = $3,
             read_at = case when $3 then read_at else $2 end,
             trouble_since = case when $1::text is null then null
                 else coalesce(trouble_since, $2) end",
        trouble.map(|trouble| &*trouble.why),
        now,
        trouble.is_some_and(|trouble| trouble.hides_workers),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What the register said of workers when it was read before.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn known(conn: &mut PgConnection) -> Result<BTreeMap<String, Known>, StoreError> {
    let rows = sqlx::query!(
        r#"select name, register_beat as "beat_at!", register_state as "state!" from workers
           where register_beat is not null and register_state is not null"#
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let known = Known { beat_at: row.beat_at, state: workers::state(&row.state)? };
            Ok((row.name, known))
        })
        .collect()
}

/// Writes down what the register said of workers whose signs of life were just written, and puts those
/// back to when they were given.
///
/// # Errors
/// When Postgres does not do it.
pub async fn date_back(conn: &mut PgConnection, signs: &[Sign]) -> Result<(), StoreError> {
    let names: Vec<String> = signs.iter().map(|sign| sign.worker.name.clone()).collect();
    let beats: Vec<DateTime<Utc>> = signs.iter().map(|sign| sign.worker.beat_at).collect();
    let ages: Vec<i64> = signs.iter().map(|sign| sign.age.num_milliseconds()).collect();
    let said = |sign: &Sign| sign.worker.heartbeat.state.unwrap_or(WorkerState::Active);
    let states: Vec<String> = signs.iter().map(|sign| said(sign).as_str().to_owned()).collect();
    sqlx::query!(
        "update workers w set register_beat = new.beat, register_state = new.state,
             heard_ms = heard_ms - new.age,
             last_heartbeat_at = last_heartbeat_at - new.age * interval '1 millisecond'
         from unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::text[])
             as new (name, beat, age, state)
         where w.name = new.name",
        &names,
        &beats,
        &ages,
        &states,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Those of the executions that are not known as the register has them. What was over before a time of the
/// register's and is not known is no news: it would only be forgotten again.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn news(
    conn: &mut PgConnection,
    read: Vec<ReadExecution>,
    over_before: Option<DateTime<Utc>>,
) -> Result<Vec<ReadExecution>, StoreError> {
    let ids: Vec<String> = read.iter().map(|one| one.report.id.clone()).collect();
    let rows =
        sqlx::query!("select id, state, worker, attempt from executions where id = any($1)", &ids,)
            .fetch_all(conn)
            .await?;
    let mut known: HashMap<String, (ExecutionState, Option<String>, i32)> = HashMap::new();
    for row in rows {
        let state = super::executions::write::read_state(&row.state)?;
        known.insert(row.id, (state, row.worker, row.attempt));
    }
    let is_news = |one: &ReadExecution| {
        let report = &one.report;
        let was_over = report.state.is_terminal()
            && one.since.zip(over_before).is_some_and(|(since, before)| since < before);
        known.get(&report.id).map_or(!was_over, |(state, worker, attempt)| {
            // What is over stays as it is, whatever is said of it later.
            let differs = *state != report.state
                || report.worker.is_some() && *worker != report.worker
                || report.attempt.is_some_and(|told| told != *attempt);
            !state.is_terminal() && differs
        })
    };
    Ok(read.into_iter().filter(is_news).collect())
}

/// These executions are told of by the register, or by reports: only the latter are ours to end.
///
/// # Errors
/// When Postgres does not do it.
pub async fn set_is_read(
    conn: &mut PgConnection,
    ids: &[String],
    is_read: bool,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update executions set is_read = $2 where id = any($1) and is_read <> $2",
        ids,
        is_read,
    )
    .execute(conn)
    .await?;
    Ok(())
}
