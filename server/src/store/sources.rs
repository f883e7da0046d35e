//! Sources: which queues are watched, and how each is doing.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use dlo_domain::delivery_limit::AcceptedLoss;
use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::globs::Globs;
use dlo_domain::ids::SourceId;
use dlo_domain::source::{NewSource, Source, SourceCondition, SourceMode};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::StoreError;

pub mod losses;

/// A source as intake needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// Its id.
    pub id: SourceId,
    /// The broker's name.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue.
    pub queue: String,
    /// What people call it.
    pub name: String,
    /// Take or mirror.
    pub mode: SourceMode,
    /// Names of the headers that tell the failure.
    pub headers: HeaderMap,
    /// Where its messages name their execution.
    pub executions: ExecutionNaming,
    /// The loss that somebody accepted.
    pub accepted_loss: Option<AcceptedLoss>,
}

/// Adds a source; `None` when its queue is watched already.
///
/// # Errors
/// When Postgres does not do it.
pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    source: &NewSource,
    configured: bool,
    now: DateTime<Utc>,
) -> Result<Option<SourceId>, StoreError> {
    let id = sqlx::query_scalar!(
        "insert into sources
             (id, broker, vhost, queue, name, mode, headers, configured, condition_since,
              created_at, executions, origins)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11)
         on conflict (broker, vhost, queue) where removed_at is null do nothing
         returning id",
        id,
        source.broker_name(),
        source.vhost,
        source.queue,
        source.display_name(),
        source.mode.as_str(),
        Json(&source.headers) as _,
        configured,
        now,
        Json(&source.executions) as _,
        Json(&source.origins) as _,
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(SourceId))
}

/// Brings a source to what the configuration says of it; it must be watched already.
///
/// # Errors
/// When Postgres does not do it.
pub async fn configure(conn: &mut PgConnection, source: &NewSource) -> Result<(), StoreError> {
    sqlx::query!(
        "update sources set name = $4, mode = $5, headers = $6, configured = true,
             executions = $7, origins = $8
         where broker = $1 and vhost = $2 and queue = $3 and removed_at is null",
        source.broker_name(),
        source.vhost,
        source.queue,
        source.display_name(),
        source.mode.as_str(),
        Json(&source.headers) as _,
        Json(&source.executions) as _,
        Json(&source.origins) as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Gives a source that no configuration names another name, mode and header names. Tells whether
/// there was such a source.
///
/// # Errors
/// When Postgres does not do it.
pub async fn change(
    conn: &mut PgConnection,
    id: SourceId,
    source: &NewSource,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update sources set name = $2, mode = $3, headers = $4, executions = $5,
             origins = $6
         where id = $1 and removed_at is null and not configured",
        id.0,
        source.display_name(),
        source.mode.as_str(),
        Json(&source.headers) as _,
        Json(&source.executions) as _,
        Json(&source.origins) as _,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Says of every source that the configuration no longer names it; `configure` and `insert`
/// then say it of those that it does.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget_configuration(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!("update sources set configured = false where configured").execute(conn).await?;
    Ok(())
}

/// Stops watching a queue. Tells whether there was such a source.
///
/// # Errors
/// When Postgres does not do it.
pub async fn remove(
    conn: &mut PgConnection,
    id: SourceId,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update sources set removed_at = $2, condition = 'stopped', condition_since = $2,
             condition_detail = null
         where id = $1 and removed_at is null",
        id.0,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// The names of all sources, also of those that were removed.
///
/// # Errors
/// When Postgres does not answer.
pub async fn names(conn: &mut PgConnection) -> Result<BTreeMap<SourceId, String>, StoreError> {
    let rows = sqlx::query!("select id, name from sources").fetch_all(conn).await?;
    let names = rows.into_iter().map(|row| (SourceId(row.id), row.name));
    Ok(names.collect())
}

/// Every source that is watched, for intake.
///
/// # Errors
/// When Postgres does not answer or a row cannot be read.
pub async fn watched(conn: &mut PgConnection) -> Result<Vec<Watched>, StoreError> {
    let rows = sqlx::query!(
        r#"select id, broker, vhost, queue, name, mode, headers as "headers: Json<HeaderMap>",
               executions as "executions: Json<ExecutionNaming>",
               accepted_letters, accepted_limit, accepted_by, accepted_at
           from sources where removed_at is null order by created_at, id"#,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Watched {
                id: SourceId(row.id),
                broker: row.broker,
                vhost: row.vhost,
                queue: row.queue,
                name: row.name,
                mode: read_mode(&row.mode)?,
                headers: row.headers.0,
                executions: row.executions.0,
                accepted_loss: losses::read(
                    row.accepted_letters,
                    row.accepted_limit,
                    row.accepted_by,
                    row.accepted_at,
                ),
            })
        })
        .collect()
}

/// The queues of a vhost that letters are taken from.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn taken_from(
    conn: &mut PgConnection,
    broker: &str,
    vhost: &str,
) -> Result<BTreeSet<String>, StoreError> {
    let queues = sqlx::query_scalar!(
        "select queue from sources
         where broker = $1 and vhost = $2 and mode = 'take' and removed_at is null",
        broker,
        vhost,
    )
    .fetch_all(conn)
    .await?;
    Ok(queues.into_iter().collect())
}

/// Every source that is watched, by name; or the one of that id.
///
/// # Errors
/// When Postgres does not answer or a row cannot be read.
pub async fn list(
    conn: &mut PgConnection,
    only: Option<SourceId>,
) -> Result<Vec<Source>, StoreError> {
    let rows = sqlx::query!(
        r#"select s.id, s.name, s.broker, s.vhost, s.queue, s.mode, s.configured, s.condition,
               s.condition_since, s.condition_detail, s.last_arrived_at,
               s.executions as "executions: Json<ExecutionNaming>",
               s.delivery_limit, s.accepted_letters, s.accepted_limit, s.accepted_by, s.accepted_at,
               s.origins as "origins: Json<Globs>",
               coalesce(c.letters, 0)::bigint as "letters!",
               coalesce(c.held, 0)::bigint as "held!"
           from sources s
           left join (
               select source_id, sum(letters) as letters,
                   sum(letters) filter (where state = 'held') as held
               from letter_counts group by source_id
           ) c on c.source_id = s.id
           where s.removed_at is null and ($1::uuid is null or s.id = $1)
           order by s.name, s.id"#,
        only.map(|id| id.0),
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Source {
                id: SourceId(row.id),
                name: row.name,
                broker: row.broker,
                vhost: row.vhost,
                queue: row.queue,
                mode: read_mode(&row.mode)?,
                configured: row.configured,
                condition: read_condition(&row.condition)?,
                condition_since: row.condition_since,
                condition_detail: row.condition_detail,
                delivery_limit: row.delivery_limit,
                accepted_loss: losses::read(
                    row.accepted_letters,
                    row.accepted_limit,
                    row.accepted_by,
                    row.accepted_at,
                ),
                held: row.held,
                letters: row.letters,
                last_arrived_at: row.last_arrived_at,
                executions: row.executions.0,
                origins: row.origins.0,
            })
        })
        .collect()
}

/// Writes how a source is doing; the time moves only when the condition changes. Tells whether
/// anything changed.
///
/// # Errors
/// When Postgres does not do it.
pub async fn set_condition(
    conn: &mut PgConnection,
    id: SourceId,
    condition: SourceCondition,
    detail: Option<&str>,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update sources set condition = $2, condition_detail = $3,
             condition_since = case when condition = $2 then condition_since else $4 end
         where id = $1 and removed_at is null
             and (condition <> $2 or condition_detail is distinct from $3)",
        id.0,
        condition.as_str(),
        detail,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Notes that messages came.
///
/// # Errors
/// When Postgres does not do it.
pub async fn touch(
    conn: &mut PgConnection,
    id: SourceId,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update sources set last_arrived_at = greatest(last_arrived_at, $2) where id = $1",
        id.0,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn read_mode(word: &str) -> Result<SourceMode, StoreError> {
    match word {
        "take" => Ok(SourceMode::Take),
        "mirror" => Ok(SourceMode::Mirror),
        _ => Err(StoreError::corrupt("sources", "mode", word)),
    }
}

fn read_condition(word: &str) -> Result<SourceCondition, StoreError> {
    SourceCondition::ALL
        .into_iter()
        .find(|condition| condition.as_str() == word)
        .ok_or_else(|| StoreError::corrupt("sources", "condition", word))
}
