//! What came of letters that a replay published or did not, and what people say of it later.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::Outcome;
use dlo_domain::state::{Change, LetterState};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{are_all_between, claims, ladder, range, tries};
use crate::store::audit::{self, Note};
use crate::store::letter_detail::read_outcome;
use crate::store::policies::inbox;
use crate::store::{StoreError, decisions, events};

/// A letter's place in a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    /// From 0, in the order in which they go.
    pub position: i32,
    /// Who has it.
    pub letter: LetterId,
}

/// The outcome of a letter that is to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Its place in the replay.
    pub seat: Seat,
    /// What came of it.
    pub outcome: Outcome,
    /// Why, or what was stripped.
    pub detail: Option<String>,
    /// Whether a queue refused it, at an exchange whose other queues may have taken it.
    pub nacked: bool,
}

/// Writes outcomes down: items, letters, counters, audit and event. An item that has an outcome
/// already keeps it and its letter stays where it is: it came back before its confirm was
/// recorded, or another office gave it up. A letter that another replay has stays where it is, too. Tells
/// how many were still pending.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn record(
    conn: &mut PgConnection,
    id: ReplayId,
    recorded: &[Recorded],
    at: DateTime<Utc>,
) -> Result<usize, StoreError> {
    move_letters(conn, id, recorded).await?;
    let written = write_items(conn, id, recorded, at).await?;
    take_back_tries(conn, id, &written).await?;
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    let mut letters = Vec::new();
    for ((outcome, detail), seats) in &written {
        let outcome = *outcome;
        let action = format!("replay.{outcome}");
        let note = Note {
            at,
            actor: &Actor::office(),
            action: &action,
            detail: detail.as_deref(),
            replay: Some(id),
        };
        audit::write_seats(conn, id, seats, note).await?;
        *counts.entry(outcome.as_str()).or_default() +=
            i64::try_from(seats.len()).unwrap_or(i64::MAX);
        letters.extend(seats.iter().map(|seat| seat.letter));
    }
    if letters.is_empty() {
        return Ok(0);
    }
    let under_way = add_to_counters(conn, id, &counts).await?;
    if under_way > 0 {
        ladder::leave_out_late(conn, id, under_way, &letters).await?;
    }
    events::notify(conn, &LiveEvent::Replay { replay_id: id }).await?;
    let changed = letters.len();
    events::notify(conn, &LiveEvent::Changed { letters }).await?;
    Ok(changed)
}

/// Moves the letters that this replay has to where their outcome puts them. They are locked before their
/// items, and in the order of their ids, as everybody does it.
async fn move_letters(
    conn: &mut PgConnection,
    id: ReplayId,
    recorded: &[Recorded],
) -> Result<(), StoreError> {
    let mut alike: BTreeMap<Outcome, Vec<Uuid>> = BTreeMap::new();
    for one in recorded {
        alike.entry(one.outcome).or_default().push(one.seat.letter.0);
    }
    // Those that were not published are changed once more, whether they move or not.
    if alike.len() > 1 || alike.keys().any(|outcome| tries::is_no_try(*outcome)) {
        let mut all: Vec<Uuid> = recorded.iter().map(|one| one.seat.letter.0).collect();
        all.sort_unstable();
        decisions::lock(conn, &all).await?;
    }
    for (outcome, mut letters) in alike {
        letters.sort_unstable();
        if let Some(to) = state_after(outcome) {
            claims::release(conn, id, &letters, to).await?;
        }
    }
    Ok(())
}

/// Where the outcome of a publish puts a letter.
fn state_after(outcome: Outcome) -> Option<LetterState> {
    let change = match outcome {
        Outcome::Confirmed => Change::Confirm,
        Outcome::Unroutable | Outcome::Refused => Change::Refuse,
        Outcome::Unknown => Change::LoseTrack,
        Outcome::Pending | Outcome::DiedAgain | Outcome::Processed | Outcome::Settled => {
            return None;
        }
    };
    let to = LetterState::Claimed.after(change);
    Some(to.expect("a claimed letter allows what a publish can end in"))
}

/// Letters that were not published after all were not tried. A retry policy whose try it was is asked for
/// the next one.
async fn take_back_tries(
    conn: &mut PgConnection,
    id: ReplayId,
    written: &Written,
) -> Result<(), StoreError> {
    let no_tries = written.iter().filter(|((outcome, _), _)| tries::is_no_try(*outcome));
    let letters: Vec<Uuid> =
        no_tries.flat_map(|(_, seats)| seats.iter().map(|seat| seat.letter.0)).collect();
    if letters.is_empty() {
        return Ok(());
    }
    tries::take_back(conn, id, &letters).await?;
    inbox::put_failed(conn, id, &letters).await
}

/// Letters by their outcome and its detail, of which there are few: most letters of a replay fare
/// alike.
type Written = BTreeMap<(Outcome, Option<String>), Vec<Seat>>;

/// Writes the items that are still pending; tells their letters.
///
/// A statement for each outcome, since Postgres expects ten rows of an `unnest`, whatever it holds,
/// and compares each position with each row. The positions are those of a few windows, close
/// together: one walk from the first to the last of them (`+ 0`) is less than a descent for each. Mostly
/// all that stand between these are meant; only else is each one looked for in a list, from its beginning.
async fn write_items(
    conn: &mut PgConnection,
    id: ReplayId,
    recorded: &[Recorded],
    at: DateTime<Utc>,
) -> Result<Written, StoreError> {
    let mut alike: BTreeMap<(Outcome, Option<&str>, bool), Vec<i32>> = BTreeMap::new();
    for item in recorded {
        let key = (item.outcome, item.detail.as_deref(), item.nacked);
        alike.entry(key).or_default().push(item.seat.position);
    }
    let mut written = Written::new();
    for ((outcome, detail, nacked), mut positions) in alike {
        positions.sort_unstable();
        positions.dedup();
        let (first, last) = range(&positions);
        let only = (!are_all_between(&positions)).then_some(&*positions);
        let rows = sqlx::query!(
            "update replay_items set outcome = $3, detail = $4, at = $5, nacked = $8
             where replay_id = $1 and position between $6 and $7
               and ($2::integer[] is null or position + 0 = any($2))
               and outcome = 'pending'
             returning position, letter_id",
            id.0,
            only,
            outcome.as_str(),
            detail,
            at,
            first,
            last,
            nacked
        )
        .fetch_all(&mut *conn)
        .await?;
        let seats = rows
            .into_iter()
            .map(|row| Seat { position: row.position, letter: LetterId(row.letter_id) });
        let seats: Vec<Seat> = seats.collect();
        if !seats.is_empty() {
            let alike = written.entry((outcome, detail.map(str::to_owned)));
            alike.or_default().extend(seats);
        }
    }
    Ok(written)
}

/// Moves counted letters from pending to their outcomes. Tells which ladder is under way.
async fn add_to_counters(
    conn: &mut PgConnection,
    id: ReplayId,
    counts: &BTreeMap<&str, i64>,
) -> Result<i32, StoreError> {
    let of = |outcome: Outcome| counts.get(outcome.as_str()).copied().unwrap_or_default();
    let ladder = sqlx::query_scalar!(
        "update replays
         set pending = pending - $2, confirmed = confirmed + $3, unroutable = unroutable + $4,
             refused = refused + $5, unknown = unknown + $6
         where id = $1
         returning ladder",
        id.0,
        counts.values().sum::<i64>(),
        of(Outcome::Confirmed),
        of(Outcome::Unroutable),
        of(Outcome::Refused),
        of(Outcome::Unknown)
    )
    .fetch_one(conn)
    .await?;
    Ok(ladder)
}

/// Keeps a person's word on an unknown publish in the letter's last replay: one that did not
/// happen was refused; one that did stays unknown to the broker's word, and is watched from now.
pub(in crate::store) async fn declare(
    conn: &mut PgConnection,
    letter: LetterId,
    was_published: bool,
    note: Note<'_>,
) -> Result<(), StoreError> {
    let outcome = if was_published { Outcome::Unknown } else { Outcome::Refused };
    move_last_item(conn, letter, &[Outcome::Unknown], outcome, note).await
}

/// The receiver reports success: the letter's last replay was processed.
pub(in crate::store) async fn processed(
    conn: &mut PgConnection,
    letter: LetterId,
    note: Note<'_>,
) -> Result<(), StoreError> {
    let from = [Outcome::Confirmed, Outcome::Unknown];
    move_last_item(conn, letter, &from, Outcome::Processed, note).await
}

/// Gives the item of a letter's last replay another outcome, if it has one of `from`.
async fn move_last_item(
    conn: &mut PgConnection,
    letter: LetterId,
    from: &[Outcome],
    to: Outcome,
    note: Note<'_>,
) -> Result<(), StoreError> {
    let from: Vec<String> = from.iter().map(|outcome| outcome.as_str().to_owned()).collect();
    let moved = sqlx::query!(
        r#"with last as (
               select replay_id, position, outcome from replay_items
               where letter_id = $1
               order by replay_id = (select claimed_by from letters where id = $1) desc nulls last,
                   attempt desc
               limit 1 for update
           )
           update replay_items i
           set outcome = $3, detail = coalesce($4, i.detail), at = $5
           from last
           where i.replay_id = last.replay_id and i.position = last.position
             and last.outcome = any($2)
           returning i.replay_id, i.ladder, last.outcome as "before!""#,
        letter.0,
        &from,
        to.as_str(),
        note.detail,
        note.at
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(moved) = moved else { return Ok(()) };
    let replay_id = ReplayId(moved.replay_id);
    if tries::is_no_try(to) {
        tries::take_back(conn, replay_id, &[letter.0]).await?;
    }
    let change = (read_outcome(&moved.before)?, to);
    move_counter(conn, replay_id, change, &[moved.ladder]).await?;
    events::notify(conn, &LiveEvent::Replay { replay_id }).await
}

/// Moves letters from one of a replay's counters to another, for outcomes that follow a publish:
/// those that these ladders sent.
pub(super) async fn move_counter(
    conn: &mut PgConnection,
    id: ReplayId,
    (from, to): (Outcome, Outcome),
    sent_by: &[Option<i32>],
) -> Result<(), StoreError> {
    let letters = i64::try_from(sent_by.len()).unwrap_or(i64::MAX);
    let by = |outcome: Outcome| {
        i64::from(to == outcome) * letters - i64::from(from == outcome) * letters
    };
    let under_way = sqlx::query_scalar!(
        "update replays
         set confirmed = confirmed + $2, refused = refused + $3, unknown = unknown + $4,
             processed = processed + $5, settled = settled + $6
         where id = $1
         returning ladder",
        id.0,
        by(Outcome::Confirmed),
        by(Outcome::Refused),
        by(Outcome::Unknown),
        by(Outcome::Processed),
        by(Outcome::Settled)
    )
    .fetch_one(&mut *conn)
    .await?;
    let earlier = sent_by.iter().filter(|sent_by| ladder::is_earlier(**sent_by, under_way)).count();
    let earlier = i64::try_from(earlier).unwrap_or(i64::MAX);
    ladder::leave_out(conn, id, (from, to), earlier).await
}
