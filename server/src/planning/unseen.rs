//! Large plans that nobody was shown: their first letters are claimed at once, and are on their way while the others
//! are looked at for the answer.

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{NewReplay, Replay};
use dlo_domain::state::LetterState;
use sqlx::PgConnection;

use super::begun::begun;
use super::claiming::Claim;
use super::filling::can_claim_later;
use super::planner::Planner;
use super::tallies::Tallies;
use super::{CHUNK, FIRST, Maker, Plan, seal};
use crate::config::ReplayConfig;
use crate::failpoint;
use crate::store::StoreError;
use crate::store::replays::candidates::Candidate;
use crate::store::replays::plan;
use crate::store::replays::unclaimed::{self, SelectedLetter};

/// The letters of a frozen plan that were not looked at.
pub(crate) struct Rest {
    id: ReplayId,
    letters: Vec<LetterId>,
    planner: Planner,
    /// Of those that were.
    tallies: Tallies,
}

/// Whether a plan of so many letters may be frozen before they are looked at.
pub(super) fn may_be(replay: &Replay, new: &NewReplay, letters: usize) -> bool {
    let is_checked = new.plan.is_some() || new.expected_letters.is_some();
    letters > CHUNK && !is_checked && can_claim_later(replay)
}

/// Freezes a plan of letters as a selection took them: claims the first of them, and keeps the others to be claimed.
/// The replay holds all but those of the first ones that are left out.
///
/// # Errors
/// Returns an error if a query fails. Then nothing of the caller's transaction is to be kept.
pub(super) async fn freeze(
    conn: &mut PgConnection,
    config: &ReplayConfig,
    maker: Maker<'_>,
    (id, new): (ReplayId, &NewReplay),
    selected: &[SelectedLetter],
) -> Result<Plan, StoreError> {
    let mut replay = begun(maker, Some(id), new);
    let mut planner = Planner::new(conn, config, maker, new).await?;
    let mut tallies = Tallies::new(&planner.terms);
    plan::begin(conn, id, &replay).await?;
    let (first, others) = selected.split_at(FIRST.min(selected.len()));
    let ids: Vec<LetterId> = first.iter().map(|one| one.id).collect();
    let found = planner.find(conn, &ids, true).await?;
    let taken = planner.sort(&ids, found, &mut tallies);
    let claim = Claim { id, target: &planner.terms.target, actor: maker.actor };
    claim.take(conn, tallies.position(), &taken, maker.at).await?;
    tallies.add(conn, &taken).await?;
    let mut position = tallies.position();
    for chunk in others.chunks(CHUNK) {
        unclaimed::add(conn, id, position, &planner.terms, chunk).await?;
        position = position.saturating_add(i32::try_from(chunk.len()).unwrap_or(i32::MAX));
    }
    replay.total = position.into();
    replay.outcomes.pending = replay.total;
    replay.left_out = tallies.left_out.clone().into_list();
    seal::seal(conn, maker.actor, id, &replay).await?;
    failpoint::reach(failpoint::PLANNED);
    let letters = others.iter().map(|one| one.id).collect();
    Ok(Plan { replay, rest: Some(Rest { id, letters, planner, tallies }) })
}

impl Rest {
    /// Looks at the letters, and fills in the replay: how many letters go where, and which are left out. In a
    /// transaction after that of the plan.
    ///
    /// # Errors
    /// Returns an error if a query fails. The plan is frozen all the same.
    pub(crate) async fn look(
        mut self,
        conn: &mut PgConnection,
        replay: &mut Replay,
    ) -> Result<(), StoreError> {
        for chunk in self.letters.chunks(CHUNK) {
            let mut found = self.planner.find(conn, chunk, false).await?;
            let ours = found.iter_mut().filter(|one| one.claimed_by == Some(self.id));
            ours.for_each(as_before);
            let taken = self.planner.sort(chunk, found, &mut self.tallies);
            self.tallies.add(conn, &taken).await?;
        }
        self.tallies.fill_in(replay);
        if let Some(claimed) = &replay.claimed_origins {
            plan::note_claimed_origins(conn, self.id, claimed).await?;
        }
        Ok(())
    }
}

/// A letter as it was before this plan claimed it.
fn as_before(letter: &mut Candidate) {
    letter.state = LetterState::Held;
    letter.replays -= 1;
}
