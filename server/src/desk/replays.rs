//! Replays: planned, steered, and read. Publishing is the engine's.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::page::{Cursor, Page};
use dlo_domain::replay::{
    BadPlanToken, Control, Makers, NOT_AS_SHOWN, NewReplay, Outcome, Pace, Replay, ReplayItem,
    ReplayState, Target,
};

use sqlx::PgConnection;

use super::letters::{cut, message_types, page_size};
use super::selection::{Meant, chosen, meant, selected};
use super::{PgDesk, changing, destinations, origins, warnings};
use crate::changes::{Changes, MadeOf};
use crate::clock::new_id;
use crate::planning::{self, Maker, Plan, Rest};
use crate::store::StoreError;
use crate::store::audit::Note;
use crate::store::replays;
use crate::store::replays::resuming::{self, Again, TakenUp};
use crate::store::replays::steer;

/// Replays are not put off for longer.
const LATEST: TimeDelta = TimeDelta::days(366);

/// Freezes a plan, or tells what it would hold and leaves nothing behind.
pub(super) async fn plan(
    desk: &PgDesk,
    actor: &Actor,
    new: &NewReplay,
) -> Result<Replay, DeskError> {
    let at = desk.clock.now();
    new.check().map_err(|why| DeskError::Invalid(why.to_string()))?;
    check_start(new, at)?;
    let new = &NewReplay {
        // What is past begins at once. Postgres need not know of it, and of some times cannot.
        start_at: new.start_at.filter(|start| *start > at),
        ..new.under_rule(desk.replaying.transforms_need_approval)
    };
    if matches!(new.target, Target::OriginQueue | Target::OriginExchange) {
        origins::refresh(desk).await?;
    }
    let id = (!new.dry_run).then(|| ReplayId(new_id(&*desk.clock)));
    let who = Maker { actor, policy: None, is_automatic: false, at };
    let changed = make_bodies(desk, who, new).await?;
    let plan = changing!(desk, conn => {
        let plan = freeze(desk, conn, who, (id, new), changed.as_ref()).await?;
        // Counted where it is frozen: nothing can join between the two.
        check_letters(new, &plan.replay)?;
        check_shown(new, &plan.replay)?;
        Ok(plan)
    })?;
    let mut replay = plan.replay;
    if let Some(rest) = plan.rest {
        complete(desk, rest, &mut replay).await;
    }
    if new.dry_run {
        let mut conn = desk.connection().await?;
        destinations::tell_workers(&mut conn, &mut replay.destinations).await?;
        drop(conn);
        // Without the connection, which is not to wait for brokers.
        destinations::ask(desk, &mut replay.destinations).await;
        destinations::tell_overflows(desk, &mut replay.destinations).await?;
        warnings::add(desk, &mut replay).await?;
    } else {
        // It belongs to what was shown; what is made has an id.
        replay.plan = None;
    }
    Ok(replay)
}

async fn freeze(
    desk: &PgDesk,
    conn: &mut PgConnection,
    who: Maker<'_>,
    named: (Option<ReplayId>, &NewReplay),
    changed: Option<&ChangedBodies>,
) -> Result<Plan, DeskError> {
    let config = &desk.replaying;
    if let Some(ChangedBodies { ids, made }) = changed {
        let replay = planning::freeze_changed(conn, config, who, named, ids, Some(made)).await?;
        return Ok(replay.into());
    }
    match meant(conn, &named.1.selection, who.at).await? {
        Meant::Letters(ids) => Ok(planning::freeze(conn, config, who, named, &ids).await?.into()),
        Meant::Matching(matching) => {
            let selected = selected(conn, &matching).await?;
            Ok(planning::freeze_selected(conn, config, who, named, &selected).await?)
        }
    }
}

/// Looks at the rest of the letters of a replay that is made, for its answer. Where that fails, the answer is what is
/// known without it.
async fn complete(desk: &PgDesk, rest: Rest, replay: &mut Replay) {
    let looked: Result<(), DeskError> = async {
        let mut transaction = desk.begin().await?;
        rest.look(&mut transaction, replay).await?;
        Ok(transaction.commit().await.map_err(StoreError::from)?)
    }
    .await;
    if let Err(why) = looked {
        tracing::warn!(%why, "a replay is made, and its letters were not looked at for the answer");
    }
}

/// Letters that were chosen, and what is sent in place of their bodies.
struct ChangedBodies {
    ids: Vec<LetterId>,
    made: HashMap<LetterId, MadeOf>,
}

/// Makes other bodies, where a replay asks for them. A jq program takes its time: so this comes before the
/// transaction that freezes the plan, and holds no connection. A letter that came back since is left out.
async fn make_bodies(
    desk: &PgDesk,
    who: Maker<'_>,
    new: &NewReplay,
) -> Result<Option<ChangedBodies>, DeskError> {
    if !new.changes_bodies() {
        return Ok(None);
    }
    let types = message_types(desk).await?;
    let mut changes = Changes::of(new, &desk.transformer, &types, desk.patience.turn).await?;
    let mut conn = desk.begin().await?;
    let ids = chosen(&mut conn, &new.selection, who.at).await?;
    let free = planning::free(&mut conn, &desk.replaying, who, new, &ids).await?;
    drop(conn);
    let made = changes.make(&desk.pool, &free).await?;
    Ok(Some(ChangedBodies { ids, made }))
}

fn check_start(new: &NewReplay, now: DateTime<Utc>) -> Result<(), DeskError> {
    if new.start_at.is_some_and(|start| start - now > LATEST) {
        let why = "a replay begins within a year: its letters are taken until then";
        return Err(DeskError::Invalid(why.to_owned()));
    }
    Ok(())
}

/// Refuses a plan of more letters than whoever asks for it was told of.
fn check_letters(new: &NewReplay, replay: &Replay) -> Result<(), DeskError> {
    let (Some(more), Some(expected)) = (new.beyond_expected(replay.total), new.expected_letters)
    else {
        return Ok(());
    };
    let letters = if more == 1 { "letter" } else { "letters" };
    Err(DeskError::Conflict(format!(
        "{more} more {letters} would be replayed now than the {expected} of the dry run: nothing \
         was done; check the plan again"
    )))
}

/// Refuses a plan that is not the one that was shown.
fn check_shown(new: &NewReplay, replay: &Replay) -> Result<(), DeskError> {
    let invalid = |why: BadPlanToken| DeskError::Invalid(why.to_string());
    let (Some(shown), Some(now)) = (new.shown().map_err(invalid)?, &replay.plan) else {
        return Ok(());
    };
    if shown.is_still(&now.read().map_err(invalid)?) {
        return Ok(());
    }
    Err(DeskError::Conflict(NOT_AS_SHOWN.to_owned()))
}

/// Tells a replay that goes on to pause, resume or end. With `again`, a replay that resumes takes up
/// once more what died again or did not get through; one that keeps an order takes the latter up in any
/// case.
pub(super) async fn control(
    desk: &PgDesk,
    actor: &Actor,
    id: ReplayId,
    (word, again): (Control, bool),
) -> Result<Replay, DeskError> {
    let note = Note {
        at: desk.clock.now(),
        actor,
        action: match word {
            Control::Pause => "replay.pause",
            Control::Resume => "replay.resume",
            Control::Cancel => "replay.cancel",
        },
        detail: None,
        replay: Some(id),
    };
    changing!(desk, conn => {
        let taken_up = match word {
            Control::Resume => take_up(desk, conn, (id, again), note).await?,
            Control::Pause | Control::Cancel => TakenUp::default(),
        };
        let state = steer::lock(conn, id).await?.ok_or_else(|| no_replay(id))?;
        let to = state.after(word).ok_or_else(|| means_nothing(state, word))?;
        let detail = taken_up.in_words();
        let note = Note {
            detail: detail.as_deref(),
            ..note
        };
        steer::control(conn, id, (word, to), note).await?;
        find(conn, id).await
    })
}

/// Takes up once more what a replay is to begin with when it is resumed.
async fn take_up(
    desk: &PgDesk,
    conn: &mut PgConnection,
    (id, again): (ReplayId, bool),
    note: Note<'_>,
) -> Result<TakenUp, DeskError> {
    let which = if again {
        let cap = desk.replaying.loop_cap;
        Again::All { cap }
    } else if find(conn, id).await?.in_order {
        Again::InTheWay
    } else {
        return Ok(TakenUp::default());
    };
    Ok(resuming::take_up(conn, id, which, note).await?)
}

fn means_nothing(state: ReplayState, word: Control) -> DeskError {
    DeskError::Conflict(format!(
        "the replay is {}, so it cannot {}: nothing was changed",
        state.as_str(),
        word.as_str()
    ))
}

pub(super) async fn page(
    desk: &PgDesk,
    by: Makers,
    after: Option<Cursor>,
    limit: u32,
) -> Result<Page<Replay>, DeskError> {
    let limit = page_size(limit);
    let conn = &mut *desk.connection().await?;
    let mut items = replays::page(conn, by, after, limit + 1).await?;
    let more = cut(&mut items, limit);
    let last = items.last().filter(|_| more);
    let total = replays::count(conn, by).await?;
    Ok(Page {
        next_cursor: last
            .and_then(|replay| Some(Cursor { at: replay.created_at, id: replay.id?.0 })),
        items,
        estimated_total: total.count,
        total_is_least: total.is_least,
        searched_back_to: None,
        unread: None,
        texts_read_back_to: None,
    })
}

pub(super) async fn one(desk: &PgDesk, id: ReplayId) -> Result<Replay, DeskError> {
    let mut conn = desk.connection().await?;
    let mut replay = find(&mut conn, id).await?;
    if replay.state == ReplayState::Running {
        let written = replays::written_last(&mut conn, id).await?;
        let (pending, climbs) = (replay.outcomes.pending, replay.canary.is_some());
        replay.pace = Pace::of(&written, pending, climbs, desk.clock.now());
    }
    Ok(replay)
}

async fn find(conn: &mut PgConnection, id: ReplayId) -> Result<Replay, DeskError> {
    let replay = replays::replay(conn, id).await?;
    replay.ok_or_else(|| no_replay(id))
}

fn no_replay(id: ReplayId) -> DeskError {
    DeskError::NotFound(format!(
        "there is no replay {id}: if it ended long ago, it may have been removed with its letters"
    ))
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
    let conn = &mut *desk.connection().await?;
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
        unread: None,
        texts_read_back_to: None,
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
