//! The audit trail: written in the transaction of the change that it tells of.

use chrono::{DateTime, Utc};
use dlo_domain::audit::{Actor, AuditEntry};
use dlo_domain::ids::{LetterId, ReplayId, SourceId};
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;

/// The most lines of a trail that are shown.
const MOST_SHOWN: i64 = 500;

/// What is written of a change: who, when, what, and why.
#[derive(Debug, Clone, Copy)]
pub struct Note<'a> {
    /// When.
    pub at: DateTime<Utc>,
    /// Who.
    pub actor: &'a Actor,
    /// What, as `letter.discard`.
    pub action: &'a str,
    /// Why, or what exactly.
    pub detail: Option<&'a str>,
    /// The replay that it is part of.
    pub replay: Option<ReplayId>,
}

/// One line for each letter.
///
/// # Errors
/// When Postgres does not do it.
pub async fn write_letters(
    conn: &mut PgConnection,
    letters: &[Uuid],
    note: Note<'_>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into audit (at, actor, action, letter_id, replay_id, detail)
         select $2, $3, $4, letter_id, $5, $6 from unnest($1::uuid[]) as letter_id",
        letters,
        note.at,
        note.actor.0,
        note.action,
        note.replay.map(|id| id.0),
        note.detail
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// One line for a replay as a whole.
///
/// # Errors
/// When Postgres does not do it.
pub async fn write_replay(
    conn: &mut PgConnection,
    replay: ReplayId,
    note: Note<'_>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into audit (at, actor, action, replay_id, detail) values ($1, $2, $3, $4, $5)",
        note.at,
        note.actor.0,
        note.action,
        replay.0,
        note.detail
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The trail of a letter, newest first, the last 500 lines.
///
/// # Errors
/// When Postgres does not do it.
pub async fn of_letter(
    conn: &mut PgConnection,
    letter: LetterId,
) -> Result<Vec<AuditEntry>, StoreError> {
    let entries = sqlx::query_as!(
        AuditEntry,
        "select at, actor, action, detail from audit
         where letter_id = $1 order by id desc limit $2",
        letter.0,
        MOST_SHOWN
    )
    .fetch_all(conn)
    .await?;
    Ok(entries)
}

/// One line for a source.
///
/// # Errors
/// When Postgres does not do it.
pub async fn write_source(
    conn: &mut PgConnection,
    source: SourceId,
    note: Note<'_>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into audit (at, actor, action, source_id, detail) values ($1, $2, $3, $4, $5)",
        note.at,
        note.actor.0,
        note.action,
        source.0,
        note.detail
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// One line for something that concerns no single letter, replay or source.
///
/// # Errors
/// When Postgres does not do it.
pub async fn write_office(conn: &mut PgConnection, note: Note<'_>) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into audit (at, actor, action, detail) values ($1, $2, $3, $4)",
        note.at,
        note.actor.0,
        note.action,
        note.detail
    )
    .execute(conn)
    .await?;
    Ok(())
}
