//! Claiming letters of plans that were frozen before, some at a time, while the first of them are sent.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{ReplayState, Target};
use sqlx::PgConnection;

use super::planner::Planner;
use super::seal::place;
use super::tallies::Tallies;
use crate::config::ReplayConfig;
use crate::failpoint;
use crate::store::audit::Note;
use crate::store::replays::plan::{self, Planned};
use crate::store::replays::unclaimed::{self, Unclaimed};
use crate::store::{StoreError, events};

/// Why letters are left out that changed after the plan was frozen.
const CAME_BACK: &str = "it came back before the replay claimed it: plan it anew";
const CANCELLED: &str = "the replay was cancelled before it claimed this letter";

/// Who claims letters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim<'a> {
    /// The replay.
    pub(super) id: ReplayId,
    /// Where its letters go.
    pub(super) target: &'a Target,
    /// Who asked for it.
    pub(super) actor: &'a Actor,
}

impl Claim<'_> {
    /// Claims letters, which must be locked, the first of them at `position`.
    ///
    /// # Errors
    /// Returns an error if a query fails.
    pub(super) async fn take(
        self,
        conn: &mut PgConnection,
        position: i32,
        planned: &[Planned],
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        if planned.is_empty() {
            return Ok(());
        }
        let detail = format!("replay {}, to {}", self.id, place(self.target));
        let note = Note {
            at,
            actor: self.actor,
            action: "letter.replay",
            detail: Some(&detail),
            replay: Some(self.id),
        };
        plan::add(conn, self.id, position, planned, note).await
    }
}

/// Claims letters of a plan that waits for it, a few thousand at most. One that does not allow it any more is left
/// out and told, and so are those of a replay that was cancelled. Returns the replay, `None` if no plan waits.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read. Then nothing of the caller's transaction is to be
/// kept.
pub(crate) async fn claim_some(
    conn: &mut PgConnection,
    config: &ReplayConfig,
    at: DateTime<Utc>,
) -> Result<Option<ReplayId>, StoreError> {
    let Some(waiting) = unclaimed::take(conn).await? else {
        return Ok(None);
    };
    let id = waiting.replay;
    let mut tallies = Tallies::new(&waiting.terms);
    if waiting.state == ReplayState::Cancelled {
        for letter in &waiting.letters {
            tallies.left_out.add(CANCELLED.to_owned(), *letter);
        }
    } else {
        let planned = still_able(conn, config, &waiting, &mut tallies).await?;
        let actor = Actor(waiting.created_by);
        let claim = Claim { id, target: &waiting.terms.target, actor: &actor };
        claim.take(conn, waiting.position, &planned, at).await?;
    }
    let mut left_out = tallies.left_out;
    let fewer = left_out.letters();
    if fewer > 0 {
        left_out.add_list(unclaimed::lock_left_out(conn, id).await?);
        unclaimed::leave_out(conn, id, fewer, &left_out.into_list()).await?;
    }
    events::notify(conn, &LiveEvent::Replay { replay_id: id }).await?;
    failpoint::reach(failpoint::CLAIMED);
    Ok(Some(id))
}

/// Locks letters, and returns those that can go and have not come back since their plan was frozen.
async fn still_able(
    conn: &mut PgConnection,
    config: &ReplayConfig,
    waiting: &Unclaimed,
    tallies: &mut Tallies,
) -> Result<Vec<Planned>, StoreError> {
    let mut planner = Planner::of(config, waiting.terms.clone());
    let found = planner.find(conn, &waiting.letters, true).await?;
    let planned_for: HashMap<LetterId, i32> =
        waiting.letters.iter().copied().zip(waiting.ordinals.iter().copied()).collect();
    let mut taken = planner.sort(&waiting.letters, found, tallies);
    taken.retain(|one| {
        let is_same = planned_for.get(&one.letter.id) == Some(&one.letter.arrivals);
        if !is_same {
            tallies.left_out.add(CAME_BACK.to_owned(), one.letter.id);
        }
        is_same
    });
    Ok(taken)
}
