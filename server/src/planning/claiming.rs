//! Claiming letters of plans that were frozen before, some at a time, while the first of them are sent.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::ReplayState;
use dlo_domain::state::Change;
use sqlx::PgConnection;

use super::left_out::{LeftOutTally, why};
use super::{claim_detail, claim_note};
use crate::failpoint;
use crate::store::replays::plan::{self, Candidate, Planned};
use crate::store::replays::unclaimed::{self, UnclaimedLetter};
use crate::store::{StoreError, events};

/// Why letters are left out that changed after the plan was frozen.
const CAME_BACK: &str = "it came back before the replay claimed it: plan it anew";
const CANCELLED: &str = "the replay was cancelled before it claimed this letter";

/// Claims letters of a plan that waits for it, a few thousand at most. One that does not allow it any more is left
/// out and told, and so are those of a replay that was cancelled. Returns the replay, `None` if no plan waits.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read. Then nothing of the caller's transaction is to be
/// kept.
pub(crate) async fn claim_some(
    conn: &mut PgConnection,
    at: DateTime<Utc>,
) -> Result<Option<ReplayId>, StoreError> {
    let Some(waiting) = unclaimed::take(conn).await? else {
        return Ok(None);
    };
    let (id, letters) = (waiting.replay, waiting.letters);
    let mut left_out = LeftOutTally::default();
    let planned = if waiting.state == ReplayState::Cancelled {
        for letter in letters {
            left_out.add(CANCELLED.to_owned(), letter.id);
        }
        Vec::new()
    } else {
        still_able(conn, letters, &mut left_out).await?
    };
    if !planned.is_empty() {
        let actor = Actor(waiting.created_by);
        let detail = claim_detail(id, &waiting.target);
        plan::add(conn, id, waiting.position, &planned, claim_note(at, &actor, id, &detail))
            .await?;
    }
    let fewer = left_out.letters();
    if fewer > 0 {
        left_out.add_list(unclaimed::lock_left_out(conn, id).await?);
        unclaimed::leave_out(conn, id, fewer, &left_out.into_list()).await?;
    }
    events::notify(conn, &LiveEvent::Replay { replay_id: id }).await?;
    failpoint::reach(failpoint::CLAIMED);
    Ok(Some(id))
}

/// Locks letters, and returns those that are as they were when their plan was frozen.
async fn still_able(
    conn: &mut PgConnection,
    letters: Vec<UnclaimedLetter>,
    left_out: &mut LeftOutTally,
) -> Result<Vec<Planned>, StoreError> {
    let ids: Vec<LetterId> = letters.iter().map(|letter| letter.id).collect();
    let found = plan::candidates(conn, &ids, true).await?;
    let mut found: HashMap<LetterId, Candidate> =
        found.into_iter().map(|candidate| (candidate.id, candidate)).collect();
    let mut planned = Vec::with_capacity(letters.len());
    for UnclaimedLetter { id, ordinal, address } in letters {
        let letter = found.remove(&id);
        let state = letter.as_ref().map(|letter| letter.state);
        match letter.filter(|letter| letter.state.after(Change::Claim).is_ok()) {
            Some(letter) if letter.arrivals == ordinal => planned.push(Planned { letter, address }),
            Some(_) => left_out.add(CAME_BACK.to_owned(), id),
            None => left_out.add(why(Change::Claim, state), id),
        }
    }
    Ok(planned)
}
