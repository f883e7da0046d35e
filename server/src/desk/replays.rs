//! Replays: plans are frozen here, and read. Publishing is the engine's.

use std::collections::HashMap;

use chrono::DateTime;
use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::page::{Cursor, Page};
use dlo_domain::replay::{
    NewReplay, Outcome, OutcomeCounts, Replay, ReplayItem, ReplayState, Target,
};
use dlo_domain::republish::check_queue;
use dlo_domain::state::Change;
use sqlx::PgConnection;

use super::destinations::{self, DestinationTally};
use super::left_out::{LeftOutTally, why};
use super::letters::{cut, page_size};
use super::selection::{CHUNK, chosen};
use super::stripped::StrippedTally;
use super::{PgDesk, changing};
use crate::clock::new_id;
use crate::store::audit::{self, Note};
use crate::store::replays::plan::{self, Candidate, Planned};
use crate::store::{events, replays};

/// Freezes a plan, or tells what it would hold and leaves nothing behind.
pub(super) async fn plan(
    desk: &PgDesk,
    actor: &Actor,
    new: &NewReplay,
) -> Result<Replay, DeskError> {
    check_target(&new.target)?;
    let at = desk.clock.now();
    let id = (!new.dry_run).then(|| ReplayId(new_id(&*desk.clock)));
    let mut replay = changing!(desk, conn => {
        let ids = chosen(conn, &new.selection, at).await?;
        let mut replay = Replay {
            id,
            state: if new.dry_run { ReplayState::DryRun } else { ReplayState::Running },
            target: new.target.clone(),
            created_by: actor.0.clone(),
            created_at: at,
            finished_at: None,
            total: 0,
            outcomes: OutcomeCounts::default(),
            left_out: Vec::new(),
            destinations: Vec::new(),
            stripped: Vec::new(),
        };
        fill(conn, actor, &mut replay, &ids).await?;
        if let Some(id) = id {
            if replay.total == 0 {
                replay.state = ReplayState::Finished;
                replay.finished_at = Some(at);
            }
            seal(conn, actor, id, &replay).await?;
        }
        Ok(replay)
    })?;
    if new.dry_run {
        // After the transaction, which is not to wait for brokers.
        destinations::ask(desk, &mut replay.destinations).await;
    }
    Ok(replay)
}

fn check_target(target: &Target) -> Result<(), DeskError> {
    let Target::Queue { queue } = target else {
        return Ok(());
    };
    if queue.contains('\0') {
        let why = "the target queue's name holds a NUL character";
        return Err(DeskError::Invalid(why.to_owned()));
    }
    check_queue(Some(queue)).map_err(|why| DeskError::Invalid(why.to_string()))?;
    Ok(())
}

/// Sorts letters into a replay and out of it; claims them, unless it is a dry run.
async fn fill(
    conn: &mut PgConnection,
    actor: &Actor,
    replay: &mut Replay,
    ids: &[LetterId],
) -> Result<(), DeskError> {
    let mut left_out = LeftOutTally::default();
    let mut destinations = DestinationTally::default();
    let mut stripped = StrippedTally::default();
    if let Some(id) = replay.id {
        plan::begin(conn, id, replay).await?;
    }
    for chunk in ids.chunks(CHUNK) {
        let found = plan::candidates(conn, chunk, replay.id.is_some()).await?;
        let planned = sort(chunk, found, &replay.target, &mut left_out);
        destinations.add(&planned);
        if let Some(id) = replay.id {
            let detail = match &replay.target {
                Target::OriginQueue => format!("replay {id}, to the queue it died in"),
                Target::Queue { queue } => format!("replay {id}, to {queue}"),
            };
            let note = Note {
                at: replay.created_at,
                actor,
                action: "letter.replay",
                detail: Some(&detail),
                replay: Some(id),
            };
            let position = i32::try_from(replay.total).unwrap_or(i32::MAX);
            plan::add(conn, id, position, &planned, note).await?;
        } else {
            stripped.add(conn, &planned).await?;
        }
        replay.total += i64::try_from(planned.len()).unwrap_or(i64::MAX);
    }
    replay.outcomes.pending = replay.total;
    replay.left_out = left_out.into_list();
    replay.destinations = destinations.into_list();
    replay.stripped = stripped.into_list();
    Ok(())
}

/// Which letters go where, and which are left out.
fn sort(
    ids: &[LetterId],
    found: Vec<Candidate>,
    target: &Target,
    left_out: &mut LeftOutTally,
) -> Vec<Planned> {
    let mut found: HashMap<LetterId, Candidate> = found
        .into_iter()
        .map(|candidate| (candidate.id, candidate))
        .collect();
    let mut planned = Vec::with_capacity(found.len());
    for id in ids {
        let Some(letter) = found.remove(id) else {
            left_out.add(why(Change::Claim, None), *id);
            continue;
        };
        if letter.state.after(Change::Claim).is_err() {
            left_out.add(why(Change::Claim, Some(letter.state)), *id);
            continue;
        }
        let queue = match target {
            Target::OriginQueue => letter.queue.as_deref(),
            Target::Queue { queue } => Some(queue.as_str()),
        };
        match check_queue(queue) {
            Ok(queue) => planned.push(Planned {
                queue: queue.to_owned(),
                letter,
            }),
            Err(fault) => left_out.add(fault.to_string(), *id),
        }
    }
    planned
}

/// Ends a plan, notes it and wakes the engines of all offices.
async fn seal(
    conn: &mut PgConnection,
    actor: &Actor,
    id: ReplayId,
    replay: &Replay,
) -> Result<(), DeskError> {
    plan::seal(conn, id, replay.total, &replay.left_out).await?;
    let detail = match (&replay.target, replay.total) {
        (Target::OriginQueue, 1) => "1 letter to its own queue".to_owned(),
        (Target::OriginQueue, total) => format!("{total} letters, each to its own queue"),
        (Target::Queue { queue }, 1) => format!("1 letter to {queue}"),
        (Target::Queue { queue }, total) => format!("{total} letters to {queue}"),
    };
    let note = Note {
        at: replay.created_at,
        actor,
        action: "replay.create",
        detail: Some(&detail),
        replay: Some(id),
    };
    audit::write_replay(conn, id, note).await?;
    events::notify(conn, &LiveEvent::Replay { replay_id: id }).await?;
    Ok(())
}

pub(super) async fn page(
    desk: &PgDesk,
    after: Option<Cursor>,
    limit: u32,
) -> Result<Page<Replay>, DeskError> {
    let limit = page_size(limit);
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let mut items = replays::page(conn, after, limit + 1).await?;
    let more = cut(&mut items, limit);
    let last = items.last().filter(|_| more);
    Ok(Page {
        next_cursor: last.and_then(|replay| {
            Some(Cursor {
                at: replay.created_at,
                id: replay.id?.0,
            })
        }),
        items,
        estimated_total: replays::count(conn).await?,
        total_is_least: false,
        searched_back_to: None,
    })
}

pub(super) async fn one(desk: &PgDesk, id: ReplayId) -> Result<Replay, DeskError> {
    let mut conn = desk.begin().await?;
    find(&mut conn, id).await
}

async fn find(conn: &mut PgConnection, id: ReplayId) -> Result<Replay, DeskError> {
    let replay = replays::replay(conn, id).await?;
    replay.ok_or_else(|| DeskError::NotFound(format!("there is no replay {id}")))
}

pub(super) async fn items(
    desk: &PgDesk,
    id: ReplayId,
    outcome: Option<Outcome>,
    after: Option<Cursor>,
    limit: u32,
) -> Result<Page<ReplayItem>, DeskError> {
    let limit = page_size(limit);
    let after = after.map(position_of).transpose()?;
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let replay = find(conn, id).await?;
    let mut rows = replays::items(conn, id, outcome, after, limit + 1).await?;
    let more = cut(&mut rows, limit);
    let last = rows.last().filter(|_| more);
    Ok(Page {
        next_cursor: last.map(|(position, item)| cursor_at(*position, item)),
        items: rows.into_iter().map(|(_, item)| item).collect(),
        estimated_total: outcome.map_or(replay.total, |one| replay.outcomes.of(one)),
        total_is_least: false,
        searched_back_to: None,
    })
}

/// Items stand in the order of their positions, which travel in the cursor's time.
fn cursor_at(position: i32, item: &ReplayItem) -> Cursor {
    Cursor {
        at: DateTime::from_timestamp_micros(position.into()).unwrap_or_default(),
        id: item.letter_id.0,
    }
}

fn position_of(cursor: Cursor) -> Result<i32, DeskError> {
    i32::try_from(cursor.at.timestamp_micros())
        .map_err(|_| DeskError::Invalid("the cursor is not one of this list".to_owned()))
}
