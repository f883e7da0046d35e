//! Letters of a paused replay that did not get through, or died again: taken up once more.

use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::Outcome;
use dlo_domain::state::Change;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{claims, tries};
use crate::store::audit::{self, Note};
use crate::store::{StoreError, decisions, events};

/// Which letters a resumed replay takes up once more, of those that wait for a decision still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// All that died again, and all that did not get through; but none that died again after so many
    /// replays.
    All {
        /// The loop cap.
        cap: u16,
    },
    /// Those that did not get through where a replay keeps the order of its letters: the others are
    /// not to overtake them. One that another replay took since then was decided on.
    InTheWay,
}

/// What was taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TakenUp {
    /// So many letters.
    pub letters: usize,
    /// So many were left, since they were replayed too often.
    pub capped: usize,
}

impl TakenUp {
    /// In words, for the audit trail; nothing where nothing was done.
    #[must_use]
    pub fn in_words(self) -> Option<String> {
        let taken = (self.letters > 0)
            .then(|| format!("with {} that died again or did not get through", self.letters));
        let left = (self.capped > 0).then(|| format!("without {} at the loop cap", self.capped));
        let said: Vec<String> = [taken, left].into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(", "))
    }
}

/// Takes letters up once more. To be done before the replay is locked, in the order of all locks. Letters
/// of a window that is being written down are left: its answers would be taken for those of the next
/// try.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn take_up(
    conn: &mut PgConnection,
    id: ReplayId,
    which: Again,
    note: Note<'_>,
) -> Result<TakenUp, StoreError> {
    let found = waiting(conn, id, which).await?;
    let letters: Vec<Uuid> = found.iter().map(|one| one.letter_id).collect();
    let states = decisions::lock(conn, &letters).await?;
    let free =
        |letter: &Uuid| states.get(letter).is_some_and(|state| state.after(Change::Claim).is_ok());
    // Asked once more under the locks, which everybody takes who changes an outcome.
    let mut found = waiting(conn, id, which).await?;
    found.retain(|one| free(&one.letter_id));
    let (capped, taken): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.is_capped(which));
    let letters: Vec<Uuid> = taken.iter().map(|one| one.letter_id).collect();
    claim(conn, id, &letters).await?;
    count(conn, id, &taken).await?;
    if let Again::All { cap } = which {
        leave(conn, id, &capped, cap).await?;
    }
    audit::write_letters(conn, &letters, note).await?;
    let done = TakenUp { letters: letters.len(), capped: capped.len() };
    let letters = letters.into_iter().map(LetterId).collect();
    events::notify(conn, &LiveEvent::Changed { letters }).await?;
    Ok(done)
}

/// A letter that may be taken up.
struct Waiting {
    letter_id: Uuid,
    outcome: String,
    replays: i32,
}

impl Waiting {
    fn is_capped(&self, which: Again) -> bool {
        let Again::All { cap } = which else {
            return false;
        };
        // One that was not published was let in by the plan, and is no further.
        self.outcome == Outcome::DiedAgain.as_str() && self.replays >= i32::from(cap)
    }
}

async fn waiting(
    conn: &mut PgConnection,
    id: ReplayId,
    which: Again,
) -> Result<Vec<Waiting>, StoreError> {
    let is_order = which == Again::InTheWay;
    let rows = sqlx::query_as!(
        Waiting,
        "select i.letter_id, i.outcome, l.replays
         from replay_items i join letters l on l.id = i.letter_id
         where i.replay_id = $1
           and (i.outcome in ('unroutable', 'refused') or i.outcome = 'died_again' and not $2)
           and not ($2 and exists (
               select 1 from replay_items other
               where other.letter_id = i.letter_id and other.replay_id > i.replay_id))
           and not exists (
               select 1 from replay_marks m
               where m.replay_id = i.replay_id and m.broker = i.broker and m.vhost = i.vhost
                 and i.position between m.first_position and m.last_position)
         order by i.letter_id",
        id.0,
        is_order
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

async fn claim(conn: &mut PgConnection, id: ReplayId, letters: &[Uuid]) -> Result<(), StoreError> {
    claims::claim(conn, id, letters).await?;
    tries::count(conn, id, letters).await?;
    sqlx::query!(
        "update replay_items set outcome = 'pending', detail = null, at = null, ladder = null,
             nacked = false
         where replay_id = $1 and letter_id = any($2)",
        id.0,
        letters
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The replay's counters follow.
async fn count(conn: &mut PgConnection, id: ReplayId, taken: &[Waiting]) -> Result<(), StoreError> {
    let of = |outcome: Outcome| {
        let letters = taken.iter().filter(|one| one.outcome == outcome.as_str());
        i64::try_from(letters.count()).unwrap_or(i64::MAX)
    };
    let (back, unroutable, refused) =
        (of(Outcome::DiedAgain), of(Outcome::Unroutable), of(Outcome::Refused));
    sqlx::query!(
        "update replays
         set pending = pending + $2 + $3 + $4, died_again = died_again - $2,
             unroutable = unroutable - $3, refused = refused - $4
         where id = $1",
        id.0,
        back,
        unroutable,
        refused
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Says of letters why they are left.
async fn leave(
    conn: &mut PgConnection,
    id: ReplayId,
    capped: &[Waiting],
    cap: u16,
) -> Result<(), StoreError> {
    let letters: Vec<Uuid> = capped.iter().map(|one| one.letter_id).collect();
    let why = format!(
        "not taken up again: it was replayed {cap} times or more and is still here, which is the \
         loop cap of this office: look at why, or replay it anew with `ignore_loop_cap`"
    );
    sqlx::query!(
        "update replay_items set detail = $3 where replay_id = $1 and letter_id = any($2)",
        id.0,
        &letters,
        why
    )
    .execute(conn)
    .await?;
    Ok(())
}
