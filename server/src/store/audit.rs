//! The audit trail: written in the transaction of the change that it tells of.

use chrono::{DateTime, Utc};
use dlo_domain::audit::{Actor, AuditEntry};
use dlo_domain::ids::{LetterId, ReplayId, SourceId};
use sqlx::PgConnection;
use uuid::Uuid;

use super::replays::outcomes::Seat;
use super::{StoreError, replays};

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

/// One line for letters of a replay to which the same happened: each with its position there, where its item must be.
///
/// # Errors
/// When Postgres does not do it.
pub async fn write_seats(
    conn: &mut PgConnection,
    replay: ReplayId,
    seats: &[Seat],
    note: Note<'_>,
) -> Result<(), StoreError> {
    let letters: Vec<Uuid> = seats.iter().map(|seat| seat.letter.0).collect();
    let positions: Vec<i32> = seats.iter().map(|seat| seat.position).collect();
    let (first, last) = replays::range(&positions);
    sqlx::query!(
        "insert into audit (at, actor, action, replay_id, detail, letters, first_position,
             last_position)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        note.at,
        note.actor.0,
        note.action,
        replay.0,
        note.detail,
        &letters,
        first,
        last
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

/// The trail of a letter, newest first, the last 500 lines: those of its own, and those that tell of
/// it among the letters of a replay.
///
/// # Errors
/// When Postgres does not do it.
pub async fn of_letter(
    conn: &mut PgConnection,
    letter: LetterId,
) -> Result<Vec<AuditEntry>, StoreError> {
    let entries = sqlx::query_as!(
        AuditEntry,
        r#"select at as "at!", actor as "actor!", action as "action!", detail from (
             select id, at, actor, action, detail from audit where letter_id = $1
             union all
             select a.id, a.at, a.actor, a.action, a.detail
             from replay_items i
             join audit a on a.replay_id = i.replay_id and a.letters is not null
                  and i.position between a.first_position and a.last_position
                  and i.letter_id = any(a.letters)
             where i.letter_id = $1
         ) as lines
         order by id desc limit $2"#,
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

#[cfg(test)]
mod tests;
