//! Freezing a plan: which letters a replay takes, and where each goes. From here on nothing joins it.
//!
//! Whoever replays letters comes through here: people and programs by way of the desk, and retry
//! policies.

mod begun;
mod body_changes;
mod claiming;
mod destinations;
mod envelopes;
mod heads;
mod left_out;
mod origins;
mod seal;
mod shown;
mod warnings;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, PolicyId, ReplayId};
use dlo_domain::replay::{NewReplay, Origin, Replay, ReplayState, Target};
use dlo_domain::state::Change;
use sqlx::PgConnection;

pub(crate) use claiming::claim_some;
pub(crate) use left_out::{LeftOutTally, why};

use self::begun::begun;
use self::destinations::{DestinationTally, worker_queue};
use self::envelopes::EnvelopeTally;
use self::heads::HeadTally;
use self::origins::{CLAIMED, OriginCheck, PlanClaims};
use self::warnings::WarningTally;
use crate::changes::MadeOf;
use crate::config::ReplayConfig;
use crate::failpoint;
use crate::store::StoreError;
use crate::store::audit::Note;
use crate::store::replays::bodies;
use crate::store::replays::plan::{self, Candidate, Planned};
use crate::store::replays::unclaimed;

/// Letters that are changed by one statement.
pub(crate) const CHUNK: usize = 5_000;

/// Letters of a large plan that are claimed first.
const FIRST: usize = 500;

/// Why a letter is left out of a plan that was shown before it arrived.
const NOT_SHOWN: &str = "it arrived after this plan was shown: look again to replay it too";

/// Who has a replay made, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Maker<'a> {
    /// Whom the audit trail names.
    pub actor: &'a Actor,
    /// The retry policy that it is, if it is one.
    pub policy: Option<PolicyId>,
    /// No person looked at the letters: those whose origin only the message claims go nowhere.
    pub is_automatic: bool,
    /// When.
    pub at: DateTime<Utc>,
}

/// Freezes a plan of these letters, or tells what it would hold: without an id nothing is left
/// behind. `new` must have been checked; its selection is not looked at, since `ids` is what it came
/// to. Letters that do not allow it are left out and told. Ids come in their order, each once.
///
/// # Errors
/// When Postgres does not do it. Then nothing of the caller's transaction is to be kept.
pub(crate) async fn freeze(
    conn: &mut PgConnection,
    config: &ReplayConfig,
    maker: Maker<'_>,
    (id, new): (Option<ReplayId>, &NewReplay),
    ids: &[LetterId],
) -> Result<Replay, StoreError> {
    freeze_changed(conn, config, maker, (id, new), ids, None).await
}

/// The letters of `ids` that could go as they stand now: what other bodies are to be made of, before their
/// plan is frozen. Nothing is locked.
///
/// # Errors
/// Returns an error if a query fails.
pub(crate) async fn free(
    conn: &mut PgConnection,
    config: &ReplayConfig,
    maker: Maker<'_>,
    new: &NewReplay,
    ids: &[LetterId],
) -> Result<Vec<LetterId>, StoreError> {
    let mut planner = Planner::new(conn, config, maker, new).await?;
    planner.free(conn, ids).await
}

/// The same as [`freeze`] with other bodies in place of those that letters arrived with, where some were
/// `made`: they are frozen too. A letter that none could be made of is left out and told.
///
/// # Errors
/// Returns an error if a query fails. Then nothing of the caller's transaction is to be kept.
pub(crate) async fn freeze_changed(
    conn: &mut PgConnection,
    config: &ReplayConfig,
    maker: Maker<'_>,
    (id, new): (Option<ReplayId>, &NewReplay),
    ids: &[LetterId],
    made: Option<&HashMap<LetterId, MadeOf>>,
) -> Result<Replay, StoreError> {
    let mut replay = begun(maker, id, new);
    let mut planner = Planner::new(conn, config, maker, new).await?;
    let ordered;
    let ids = if new.in_order {
        ordered = plan::in_order(conn, ids).await?;
        &ordered
    } else {
        ids
    };
    planner.fill(conn, &mut replay, ids, made).await?;
    if let Some(id) = id {
        if replay.total == 0 {
            replay.state = ReplayState::Finished;
            replay.finished_at = Some(maker.at);
        }
        seal::seal(conn, maker.actor, id, &replay).await?;
        failpoint::reach(failpoint::PLANNED);
    }
    Ok(replay)
}

/// What a plan is made with.
struct Planner<'a> {
    config: &'a ReplayConfig,
    /// The queue of the worker that the target names; empty when it names none.
    worker_queue: String,
    /// What arrived after this moment was not shown; `None` if nothing had to be.
    shown_until: Option<DateTime<Utc>>,
    new: &'a NewReplay,
    actor: &'a Actor,
    /// Whose origin is known.
    origins: OriginCheck,
    /// Letters whose origin only the message claims are taken, too.
    takes_claimed: bool,
}

impl<'a> Planner<'a> {
    async fn new(
        conn: &mut PgConnection,
        config: &'a ReplayConfig,
        maker: Maker<'a>,
        new: &'a NewReplay,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            config,
            worker_queue: worker_queue(conn, config, &new.target).await?,
            shown_until: shown::until(new),
            new,
            actor: maker.actor,
            origins: OriginCheck::new(&new.target, maker.is_automatic),
            takes_claimed: new.claimed_origins && !maker.is_automatic,
        })
    }

    /// Sorts letters into a replay and out of it; claims them, unless it is a dry run.
    async fn fill(
        &mut self,
        conn: &mut PgConnection,
        replay: &mut Replay,
        ids: &[LetterId],
        made: Option<&HashMap<LetterId, MadeOf>>,
    ) -> Result<(), StoreError> {
        let mut left_out = LeftOutTally::default();
        let mut destinations = DestinationTally::default();
        let mut heads = HeadTally::default();
        let mut warnings = WarningTally::default();
        let mut envelopes = EnvelopeTally::default();
        let mut digest = shown::digest(self.new, replay.created_at);
        let mut claims = PlanClaims::new(&self.new.target, self.takes_claimed);
        let mut replayed_before = 0;
        let mut perhaps_delivered = 0;
        if let Some(id) = replay.id {
            plan::begin(conn, id, replay).await?;
        }
        let claims_later = self.claims_later(replay, ids, made);
        for chunk in portions(ids) {
            let is_claimed = replay.id.is_some() && !claims_later;
            let mut found = plan::candidates(conn, chunk, is_claimed).await?;
            self.origins.mark(conn, &mut found).await?;
            let mut planned = self.sort(chunk, found, &mut left_out, &mut claims);
            let frozen = match made {
                Some(made) => body_changes::put_in_place(made, &mut planned, &mut left_out),
                None => Vec::new(),
            };
            destinations.add(&planned);
            claims.add_planned(&planned);
            shown::add(&mut digest, &planned);
            let before = planned.iter().filter(|one| one.letter.replays > 0);
            replayed_before += i64::try_from(before.count()).unwrap_or(i64::MAX);
            perhaps_delivered += plan::count_nacked(conn, &planned).await?;
            if let Some(id) = replay.id {
                let position = i32::try_from(replay.total).unwrap_or(i32::MAX);
                if claims_later {
                    unclaimed::add(conn, id, position, &planned).await?;
                } else {
                    self.claim(conn, id, position, replay, &planned).await?;
                    bodies::freeze(conn, id, &frozen).await?;
                }
            } else {
                heads.add(conn, &planned, &frozen, self.new).await?;
                match made.filter(|_| self.new.open_envelopes) {
                    Some(made) => envelopes.add_opened(&planned, made),
                    None => envelopes.add_closed(conn, &planned).await?,
                }
                warnings.add(conn, &planned).await?;
            }
            replay.total += i64::try_from(planned.len()).unwrap_or(i64::MAX);
        }
        replay.outcomes.pending = replay.total;
        replay.left_out = left_out.into_list();
        replay.destinations = destinations.into_list();
        replay.replayed_before = Some(replayed_before);
        replay.perhaps_delivered = Some(perhaps_delivered);
        replay.made_persistent = heads.made_persistent;
        replay.claimed_origins = claims.into_claimed();
        replay.warnings = warnings.into_list(replay.total, replay.created_at);
        replay.warnings.extend(heads.warnings(replay.total));
        replay.warnings.extend(envelopes.into_list(replay.total));
        replay.stripped = heads.into_stripped();
        replay.plan = digest.map(|digest| digest.finish().token());
        Ok(())
    }

    /// Whether letters are claimed after the plan is frozen, beside those that are sent: of a large replay that
    /// begins at once and sends them as they are, in any order.
    fn claims_later(
        &self,
        replay: &Replay,
        ids: &[LetterId],
        made: Option<&HashMap<LetterId, MadeOf>>,
    ) -> bool {
        let begins = replay.state == ReplayState::Running;
        begins && ids.len() > CHUNK && made.is_none() && !self.new.in_order
    }

    /// The letters that could go as they stand now. Nothing is locked.
    async fn free(
        &mut self,
        conn: &mut PgConnection,
        ids: &[LetterId],
    ) -> Result<Vec<LetterId>, StoreError> {
        let mut free = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(CHUNK) {
            let mut found = plan::candidates(conn, chunk, false).await?;
            self.origins.mark(conn, &mut found).await?;
            let able = found
                .into_iter()
                .filter(|one| self.takes_claimed || !one.origin_claimed)
                .filter_map(|one| self.consider(Some(one)).ok());
            free.extend(able.map(|one| one.letter.id));
        }
        Ok(free)
    }

    /// Which letters go where, and which are left out.
    fn sort(
        &self,
        ids: &[LetterId],
        found: Vec<Candidate>,
        left_out: &mut LeftOutTally,
        claims: &mut PlanClaims,
    ) -> Vec<Planned> {
        let mut found: HashMap<LetterId, Candidate> =
            found.into_iter().map(|candidate| (candidate.id, candidate)).collect();
        let mut planned = Vec::with_capacity(found.len());
        for id in ids {
            match self.consider(found.remove(id)) {
                Ok(one) if one.letter.origin_claimed && !self.takes_claimed => {
                    claims.add(&one.letter);
                    left_out.add(CLAIMED.to_owned(), *id);
                }
                Ok(one) => planned.push(one),
                Err(reason) => left_out.add(reason, *id),
            }
        }
        planned
    }

    /// Where a letter goes, or why it does not.
    fn consider(&self, letter: Option<Candidate>) -> Result<Planned, String> {
        let letter = letter.ok_or_else(|| why(Change::Claim, None))?;
        if letter.state.after(Change::Claim).is_err() {
            return Err(why(Change::Claim, Some(letter.state)));
        }
        if self.shown_until.is_some_and(|until| letter.last_arrived_at > until) {
            return Err(NOT_SHOWN.to_owned());
        }
        let cap = self.config.loop_cap;
        if !self.new.ignore_loop_cap && letter.replays >= i32::from(cap) {
            return Err(format!(
                "it was replayed {cap} times or more and is still here, which is the loop cap of \
                 this office: look at why, or say `ignore_loop_cap`"
            ));
        }
        let origin = Origin {
            queue: letter.queue.as_deref(),
            exchange: letter.exchange.as_deref(),
            routing_key: letter.routing_key.as_deref(),
        };
        let address = self.new.target.address(origin, &self.worker_queue);
        let address = address.map_err(|fault| fault.to_string())?;
        Ok(Planned { letter, address })
    }

    async fn claim(
        &self,
        conn: &mut PgConnection,
        id: ReplayId,
        position: i32,
        replay: &Replay,
        planned: &[Planned],
    ) -> Result<(), StoreError> {
        let detail = claim_detail(id, &replay.target);
        let note = claim_note(replay.created_at, self.actor, id, &detail);
        plan::add(conn, id, position, planned, note).await
    }
}

/// Letters in portions that one statement takes: few at first, where there are many, so that the first of them
/// are soon on their way.
fn portions(ids: &[LetterId]) -> impl Iterator<Item = &[LetterId]> {
    let first = if ids.len() > CHUNK { FIRST } else { ids.len() };
    let (first, others) = ids.split_at(first);
    std::iter::once(first).chain(others.chunks(CHUNK))
}

/// What the audit trail says of letters that a replay claims.
fn claim_detail(id: ReplayId, target: &Target) -> String {
    format!("replay {id}, to {}", seal::place(target))
}

fn claim_note<'a>(at: DateTime<Utc>, actor: &'a Actor, id: ReplayId, detail: &'a str) -> Note<'a> {
    Note { at, actor, action: "letter.replay", detail: Some(detail), replay: Some(id) }
}
