//! Decisions on letters: put away, take back, and what only a person or the receiver can know.

use std::time::Duration;

use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::LetterId;
use dlo_domain::selection::{Changed, MOST_IDS, Selection};
use dlo_domain::state::{Change, LetterState, Refusal};
use sqlx::PgConnection;
use tokio::time::{Instant, sleep};

use super::letters::no_letter;
use super::selection::chosen;
use super::{PgDesk, changing};
use crate::planning::{CHUNK, LeftOutTally};
use crate::store::audit::Note;
use crate::store::decisions::{self, Tally};
use crate::store::events;

const ASK_AGAIN: Duration = Duration::from_millis(100);

/// The longest reason, in characters.
const MOST_REASON: usize = 500;

pub(super) async fn discard(
    desk: &PgDesk,
    actor: &Actor,
    selection: &Selection,
    reason: &str,
) -> Result<Changed, DeskError> {
    let reason = check_reason(reason)?;
    many(desk, actor, selection, Change::Discard, ("letter.discard", Some(reason))).await
}

fn check_reason(reason: &str) -> Result<&str, DeskError> {
    let reason = reason.trim();
    let fault = if reason.is_empty() {
        "a discard needs a reason: say why these letters are put away"
    } else if reason.chars().count() > MOST_REASON {
        "the reason has more than 500 characters"
    } else if reason.contains('\0') {
        "the reason holds a NUL character"
    } else {
        return Ok(reason);
    };
    Err(DeskError::Invalid(fault.to_owned()))
}

pub(super) async fn restore(
    desk: &PgDesk,
    actor: &Actor,
    selection: &Selection,
) -> Result<Changed, DeskError> {
    many(desk, actor, selection, Change::Restore, ("letter.restore", None)).await
}

pub(super) async fn hold(
    desk: &PgDesk,
    actor: &Actor,
    selection: &Selection,
) -> Result<Changed, DeskError> {
    many(desk, actor, selection, Change::Unschedule, ("letter.unschedule", None)).await
}

/// One change for many letters: all of it or nothing.
async fn many(
    desk: &PgDesk,
    actor: &Actor,
    selection: &Selection,
    change: Change,
    (action, detail): (&str, Option<&str>),
) -> Result<Changed, DeskError> {
    let at = desk.clock.now();
    let note = Note { at, actor, action, detail, replay: None };
    changing!(desk, conn => {
        let ids = chosen(conn, selection, at).await?;
        let mut changed = Vec::new();
        let mut left_out = LeftOutTally::default();
        for chunk in ids.chunks(CHUNK) {
            let tally = decisions::change(conn, chunk, change, note).await?;
            left_out.add_found(change, &tally.left_out);
            changed.extend(tally.changed);
        }
        let letters = i64::try_from(changed.len()).unwrap_or(i64::MAX);
        let ids = if changed.len() > MOST_IDS { Vec::new() } else { changed.clone() };
        tell(conn, changed).await?;
        Ok(Changed {
            changed: letters,
            left_out: left_out.into_list(),
            ids,
        })
    })
}

async fn tell(conn: &mut PgConnection, letters: Vec<LetterId>) -> Result<(), DeskError> {
    if !letters.is_empty() {
        events::notify(conn, &LiveEvent::Changed { letters }).await?;
    }
    Ok(())
}

pub(super) async fn decide_unknown(
    desk: &PgDesk,
    actor: &Actor,
    id: LetterId,
    was_published: bool,
) -> Result<(), DeskError> {
    let (change, action, said) = if was_published {
        (Change::DeclarePublished, "letter.declare_published", "was published")
    } else {
        (Change::DeclareUnpublished, "letter.declare_unpublished", "was not published")
    };
    let detail = format!("{} says that it {said}", actor.0);
    let note = Note { at: desk.clock.now(), actor, action, detail: Some(&detail), replay: None };
    changing!(desk, conn => {
        let tally = decisions::decide_unknown(conn, id, was_published, note).await?;
        one(conn, id, change, tally).await
    })
}

pub(super) async fn processed(desk: &PgDesk, actor: &Actor, id: LetterId) -> Result<(), DeskError> {
    let note = Note {
        at: desk.clock.now(),
        actor,
        action: "letter.processed",
        detail: None,
        replay: None,
    };
    let latest = Instant::now() + desk.patience.confirm;
    loop {
        let from = changing!(desk, conn => {
            let tally = decisions::processed(conn, id, note).await?;
            let claimed = tally.left_out.contains_key(&Some(LetterState::Claimed));
            if claimed && Instant::now() < latest {
                return Ok(None);
            }
            one(conn, id, Change::Settle, tally).await.map(Some)
        })?;
        match from {
            Some(()) => return Ok(()),
            None => sleep(ASK_AGAIN).await,
        }
    }
}

/// What a change of one letter comes to: done, or the reason why not.
async fn one(
    conn: &mut PgConnection,
    id: LetterId,
    change: Change,
    tally: Tally,
) -> Result<(), DeskError> {
    match tally.left_out.into_keys().next() {
        None => tell(conn, tally.changed).await,
        Some(None) => Err(no_letter(id)),
        Some(Some(from)) => Err(DeskError::Conflict(Refusal { from, change }.to_string())),
    }
}
