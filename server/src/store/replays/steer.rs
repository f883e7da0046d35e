//! What people tell a replay that goes on, and what its ladder does.

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{Climb, Control, Earlier, OutcomeCounts, ReplayState};
use sqlx::PgConnection;

use super::outcomes::Seat;
use super::read::{read_state, read_step};
use crate::store::audit::{self, Note};
use crate::store::{StoreError, events};

/// Locks a replay and tells its state; nothing when there is no such replay.
///
/// # Errors
/// When Postgres does not do it or the row cannot be read.
pub async fn lock(
    conn: &mut PgConnection,
    id: ReplayId,
) -> Result<Option<ReplayState>, StoreError> {
    let state = sqlx::query_scalar!("select state from replays where id = $1 for update", id.0)
        .fetch_optional(conn)
        .await?;
    state.as_deref().map(read_state).transpose()
}

/// Carries a word out on a replay that is locked and allows it. What is on its way now is still
/// written down by the office that publishes it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn control(
    conn: &mut PgConnection,
    id: ReplayId,
    (control, to): (Control, ReplayState),
    note: Note<'_>,
) -> Result<(), StoreError> {
    match control {
        Control::Pause | Control::Cancel => {
            stop(conn, id, to, (note.actor, note.detail, note.at)).await?;
        }
        Control::Resume => begin_anew(conn, id, note.at).await?,
    }
    audit::write_replay(conn, id, note).await?;
    events::notify(conn, &LiveEvent::Replay { replay_id: id }).await
}

async fn stop(
    conn: &mut PgConnection,
    id: ReplayId,
    to: ReplayState,
    (by, why, at): (&Actor, Option<&str>, DateTime<Utc>),
) -> Result<(), StoreError> {
    sqlx::query!(
        "update replays set state = $2, stopped_at = $3, stopped_by = $4, stopped_why = $5
         where id = $1",
        id.0,
        to.as_str(),
        at,
        by.0,
        why
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Has a replay go on. One that was paused before its time waits for that again; one that waits for it begins
/// now. Its ladder is climbed from its first step again: what stopped it may still
/// be there. What was sent until now is not of this ladder (`ladder::leave_out`).
async fn begin_anew(
    conn: &mut PgConnection,
    id: ReplayId,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update replays
         set state = case when state = 'paused' and start_at > $2 then 'scheduled' else 'running' end,
             stopped_at = null, stopped_by = null, stopped_why = null,
             start_at = case when state = 'scheduled' and start_at > $2 then $2 else start_at end,
             ladder = ladder + (canary is not null)::int, step = 0, watched_since = null,
             base_tried = total - pending,
             base_wrong = died_again + unroutable + refused, base_well = processed + settled
         where id = $1",
        id.0,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether letters of a replay died again since it began, or was resumed, and others are still to come.
///
/// # Errors
/// When Postgres does not do it.
pub async fn has_some_back(conn: &mut PgConnection, id: ReplayId) -> Result<bool, StoreError> {
    let more = sqlx::query_scalar!(
        r#"select pending > 0 and died_again + unroutable + refused > base_wrong as "more!"
           from replays where id = $1"#,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(more.unwrap_or_default())
}

/// How far a replay's ladder is climbed; nothing when the replay does not run.
///
/// # Errors
/// When Postgres does not do it.
pub async fn climb(conn: &mut PgConnection, id: ReplayId) -> Result<Option<Climb>, StoreError> {
    let row = sqlx::query!(
        "select step, watched_since, base_tried, base_wrong, base_well, pending, confirmed,
             unroutable, refused, unknown, died_again, processed, settled
         from replays where id = $1 and state = 'running'",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| {
        let outcomes = OutcomeCounts {
            pending: row.pending,
            confirmed: row.confirmed,
            unroutable: row.unroutable,
            refused: row.refused,
            unknown: row.unknown,
            died_again: row.died_again,
            processed: row.processed,
            settled: row.settled,
        };
        let earlier = Earlier { tried: row.base_tried, wrong: row.base_wrong, well: row.base_well };
        earlier.climb(outcomes, read_step(row.step), row.watched_since)
    }))
}

/// Begins the watch of a step, or the step after it: `step` is the one that this is said of, so that
/// nothing is done twice.
///
/// # Errors
/// When Postgres does not do it.
pub async fn climb_on(
    conn: &mut PgConnection,
    id: ReplayId,
    step: u32,
    watch_since: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update replays
         set step = case when $3::timestamptz is null then step + 1 else step end,
             watched_since = $3
         where id = $1 and state = 'running' and step = $2",
        id.0,
        i32::try_from(step).unwrap_or(i32::MAX),
        watch_since
    )
    .execute(&mut *conn)
    .await?;
    events::notify(conn, &LiveEvent::Replay { replay_id: id }).await
}

/// The office itself stops a replay that runs. Tells whether it did.
///
/// # Errors
/// When Postgres does not do it.
pub async fn stop_by_office(
    conn: &mut PgConnection,
    id: ReplayId,
    why: &str,
    at: DateTime<Utc>,
) -> Result<bool, StoreError> {
    if lock(conn, id).await? != Some(ReplayState::Running) {
        return Ok(false);
    }
    let note = Note {
        at,
        actor: &Actor::office(),
        action: "replay.stop",
        detail: Some(why),
        replay: Some(id),
    };
    control(conn, id, (Control::Pause, ReplayState::Paused), note).await?;
    Ok(true)
}

/// Letters of a replay that were not published, at most `most`.
///
/// # Errors
/// When Postgres does not do it.
pub async fn to_give_back(
    conn: &mut PgConnection,
    id: ReplayId,
    most: i64,
) -> Result<Vec<Seat>, StoreError> {
    let rows = sqlx::query!(
        "select position, letter_id from replay_items
         where replay_id = $1 and outcome = 'pending' order by position limit $2",
        id.0,
        most
    )
    .fetch_all(conn)
    .await?;
    let seats = rows
        .into_iter()
        .map(|row| Seat { position: row.position, letter: LetterId(row.letter_id) });
    Ok(seats.collect())
}
