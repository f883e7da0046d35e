//! A second person's word on a replay: it goes, or its letters are held again.

use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Outcome, Replay, ReplayState};
use sqlx::PgConnection;

use super::{PgDesk, changing};
use crate::store::audit::{self, Note};
use crate::store::replays::outcomes::{self, Recorded};
use crate::store::replays::{approval, steer};
use crate::store::{events, replays};

/// The longest reason, in characters.
const MOST_REASON: usize = 500;

/// Letters that are given back in one step.
const GIVEN_BACK_AT_ONCE: i64 = 5_000;

/// Lets a replay go that another person asked for.
pub(super) async fn approve(
    desk: &PgDesk,
    actor: &Actor,
    id: ReplayId,
) -> Result<Replay, DeskError> {
    let at = desk.clock.now();
    changing!(desk, conn => {
        check(conn, actor, id).await?;
        decided(approval::approve(conn, id, actor, at).await?)?;
        let note = Note {
            at,
            actor,
            action: "replay.approve",
            detail: None,
            replay: Some(id),
        };
        conclude(conn, id, note).await
    })
}

/// Gives a replay up that another person asked for: its letters are held again.
pub(super) async fn reject(
    desk: &PgDesk,
    actor: &Actor,
    id: ReplayId,
    reason: &str,
) -> Result<Replay, DeskError> {
    let reason = reason.trim();
    if reason.is_empty() || reason.chars().count() > MOST_REASON || reason.contains('\0') {
        return Err(DeskError::Invalid(format!(
            "say why it is refused, in 1 to {MOST_REASON} characters: the reason is kept with \
             each letter"
        )));
    }
    let at = desk.clock.now();
    let detail = format!("{} refused to let it be published: {reason}", actor.0);
    changing!(desk, conn => {
        check(conn, actor, id).await?;
        loop {
            let seats = steer::to_give_back(conn, id, GIVEN_BACK_AT_ONCE).await?;
            if seats.is_empty() {
                break;
            }
            let refused: Vec<Recorded> = seats
                .into_iter()
                .map(|seat| Recorded {
                    seat,
                    outcome: Outcome::Refused,
                    detail: Some(detail.clone()),
                    nacked: false,
                })
                .collect();
            outcomes::record(conn, id, &refused, at).await?;
        }
        decided(approval::reject(conn, id, actor, at, reason).await?)?;
        let note = Note {
            at,
            actor,
            action: "replay.reject",
            detail: Some(reason),
            replay: Some(id),
        };
        conclude(conn, id, note).await
    })
}

/// Whether this person may decide on this replay now; tells how many letters it holds.
async fn check(conn: &mut PgConnection, actor: &Actor, id: ReplayId) -> Result<i64, DeskError> {
    let found = approval::find(conn, id).await?;
    let found = found.ok_or_else(|| DeskError::NotFound(format!("there is no replay {id}")))?;
    if found.state != ReplayState::AwaitingApproval.as_str() {
        return Err(DeskError::Conflict(format!(
            "this replay does not wait for approval: it is {}",
            found.state.replace('_', " ")
        )));
    }
    if found.created_by == actor.0 {
        return Err(DeskError::Conflict(format!(
            "{} requested this replay, so another person must decide: with a token of another \
             name, or the operator at the pages",
            actor.0
        )));
    }
    Ok(found.total)
}

/// Somebody else may have decided at the same moment.
fn decided(done: bool) -> Result<(), DeskError> {
    if done {
        return Ok(());
    }
    Err(DeskError::Conflict(
        "somebody else decided on this replay at the same moment: reload to see how".to_owned(),
    ))
}

async fn conclude(
    conn: &mut PgConnection,
    id: ReplayId,
    note: Note<'_>,
) -> Result<Replay, DeskError> {
    audit::write_replay(conn, id, note).await?;
    events::notify(conn, &LiveEvent::Replay { replay_id: id }).await?;
    let replay = replays::replay(conn, id).await?;
    replay.ok_or_else(|| DeskError::NotFound(format!("there is no replay {id}")))
}
