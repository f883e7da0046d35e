//! Freezing a plan: which letters a replay takes, and where each goes. From here on nothing joins it.
//!
//! Whoever replays letters comes through here: people and programs by way of the desk, and retry
//! policies.

mod destinations;
mod left_out;
mod origins;
mod stripped;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::changing::Approval;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, PolicyId, ReplayId};
use dlo_domain::replay::{NewReplay, Origin, OutcomeCounts, Replay, ReplayState, Target};
use dlo_domain::state::Change;
use sqlx::PgConnection;

pub(crate) use left_out::{LeftOutTally, why};

use self::destinations::{DestinationTally, worker_queue};
use self::origins::{CLAIMED, OriginCheck, PlanClaims};
use self::stripped::StrippedTally;
use crate::changes::{ChangeError, Changes, MadeOf, Sent};
use crate::config::ReplayConfig;
use crate::failpoint;
use crate::store::audit::{self, Note};
use crate::store::replays::bodies::{self, Frozen};
use crate::store::replays::plan::{self, Candidate, Planned};
use crate::store::{StoreError, events};

/// Letters that are changed by one statement.
pub(crate) const CHUNK: usize = 5_000;

/// Why letters are left out whose bodies were made while they changed.
const CAME_BACK: &str = "it came back while what is sent in its place was made: plan it anew";
const NOT_MADE: &str = "it was not free when what is sent in its place was made, or its message is not \
    stored: plan it anew";

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
    let mut changes = Changes::none();
    let frozen = freeze_changed(conn, config, maker, (id, new), ids, &mut changes).await;
    frozen.map_err(|why| match why {
        ChangeError::Store(why) => why,
        other => unreachable!("letters are sent as they are: {other}"),
    })
}

/// The same with other bodies in place of those that letters arrived with: they are frozen too. A
/// letter that none can be made of is left out and told.
///
/// # Errors
/// When Postgres does not do it, or bodies cannot be made at all. Then nothing of the caller's
/// transaction is to be kept.
pub(crate) async fn freeze_changed(
    conn: &mut PgConnection,
    config: &ReplayConfig,
    maker: Maker<'_>,
    (id, new): (Option<ReplayId>, &NewReplay),
    ids: &[LetterId],
    changes: &mut Changes,
) -> Result<Replay, ChangeError> {
    let mut replay = empty(maker, (id, new));
    let mut planner = Planner {
        config,
        worker_queue: worker_queue(conn, config, &new.target).await?,
        new,
        actor: maker.actor,
        origins: OriginCheck::new(&new.target, maker.is_automatic),
        takes_claimed: new.claimed_origins && !maker.is_automatic,
    };
    // Before anything is locked: a program may take long.
    let made = if changes.is_none() {
        None
    } else {
        let letters = planner.free(conn, ids).await?;
        Some(changes.make(conn, &letters).await?)
    };
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
        seal(conn, maker.actor, id, &replay).await?;
        failpoint::reach(failpoint::PLANNED);
    }
    Ok(replay)
}

fn empty(maker: Maker<'_>, (id, new): (Option<ReplayId>, &NewReplay)) -> Replay {
    let begins_later = new.start_at.is_some_and(|start| start > maker.at);
    Replay {
        id,
        state: match id {
            None => ReplayState::DryRun,
            Some(_) if new.needs_approval => ReplayState::AwaitingApproval,
            Some(_) if begins_later => ReplayState::Scheduled,
            Some(_) => ReplayState::Running,
        },
        target: new.target.clone(),
        rate_per_second: new.rate_per_second,
        canary: new.canary.clone(),
        climb: None,
        in_order: new.in_order,
        keep_expiration: new.keep_expiration,
        start_at: new.start_at,
        stopped: None,
        transform: new.transform.clone(),
        edited: new.edit.is_some(),
        approval: new.needs_approval.then(Approval::default),
        policy_id: maker.policy,
        created_by: maker.actor.0.clone(),
        created_at: maker.at,
        finished_at: None,
        total: 0,
        outcomes: OutcomeCounts::default(),
        pace: None,
        left_out: Vec::new(),
        destinations: Vec::new(),
        replayed_before: None,
        claimed_origins: None,
        stripped: Vec::new(),
    }
}

/// What a plan is made with.
struct Planner<'a> {
    config: &'a ReplayConfig,
    /// The queue of the worker that the target names; empty when it names none.
    worker_queue: String,
    new: &'a NewReplay,
    actor: &'a Actor,
    /// Whose origin is known.
    origins: OriginCheck,
    /// Letters whose origin only the message claims are taken, too.
    takes_claimed: bool,
}

impl Planner<'_> {
    /// Sorts letters into a replay and out of it; claims them, unless it is a dry run.
    async fn fill(
        &mut self,
        conn: &mut PgConnection,
        replay: &mut Replay,
        ids: &[LetterId],
        mut made: Option<HashMap<LetterId, MadeOf>>,
    ) -> Result<(), ChangeError> {
        let mut left_out = LeftOutTally::default();
        let mut destinations = DestinationTally::default();
        let mut stripped = StrippedTally::default();
        let mut claims = PlanClaims::new(&self.new.target, self.takes_claimed);
        let mut replayed_before = 0;
        if let Some(id) = replay.id {
            plan::begin(conn, id, replay).await?;
        }
        for chunk in ids.chunks(CHUNK) {
            let mut found = plan::candidates(conn, chunk, replay.id.is_some()).await?;
            self.origins.mark(conn, &mut found).await?;
            let mut planned = self.sort(chunk, found, &mut left_out, &mut claims);
            let frozen = match &mut made {
                Some(made) => put_in_place(made, &mut planned, &mut left_out),
                None => Vec::new(),
            };
            destinations.add(&planned);
            claims.add_planned(&planned);
            let before = planned.iter().filter(|one| one.letter.replays > 0);
            replayed_before += i64::try_from(before.count()).unwrap_or(i64::MAX);
            if let Some(id) = replay.id {
                self.add(conn, id, replay, &planned).await?;
                bodies::freeze(conn, id, &frozen).await?;
            } else {
                stripped
                    .add(conn, &planned, self.new.keep_expiration)
                    .await?;
            }
            replay.total += i64::try_from(planned.len()).unwrap_or(i64::MAX);
        }
        replay.outcomes.pending = replay.total;
        replay.left_out = left_out.into_list();
        replay.destinations = destinations.into_list();
        replay.replayed_before = Some(replayed_before);
        replay.claimed_origins = claims.into_claimed();
        replay.stripped = stripped.into_list();
        Ok(())
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
        let mut found: HashMap<LetterId, Candidate> = found
            .into_iter()
            .map(|candidate| (candidate.id, candidate))
            .collect();
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

    async fn add(
        &self,
        conn: &mut PgConnection,
        id: ReplayId,
        replay: &Replay,
        planned: &[Planned],
    ) -> Result<(), StoreError> {
        let detail = format!("replay {id}, to {}", place(&replay.target));
        let note = Note {
            at: replay.created_at,
            actor: self.actor,
            action: "letter.replay",
            detail: Some(&detail),
            replay: Some(id),
        };
        let position = i32::try_from(replay.total).unwrap_or(i32::MAX);
        plan::add(conn, id, position, planned, note).await
    }
}

/// Takes what was made in place of letters' bodies. A letter that nothing can be made of is left out, and
/// so is one that came back since: what was made is of the arrival before.
fn put_in_place(
    made: &mut HashMap<LetterId, MadeOf>,
    planned: &mut Vec<Planned>,
    left_out: &mut LeftOutTally,
) -> Vec<Frozen> {
    let mut frozen = Vec::new();
    planned.retain(|one| {
        let id = one.letter.id;
        match made.remove(&id) {
            Some(made) if made.ordinal != one.letter.arrivals => {
                left_out.add(CAME_BACK.to_owned(), id);
            }
            Some(MadeOf { sent, .. }) => match sent {
                Sent::Same => return true,
                Sent::Changed(body) => {
                    frozen.push(body);
                    return true;
                }
                Sent::Failed(why) => left_out.add_failed(&why, id),
            },
            None => left_out.add(NOT_MADE.to_owned(), id),
        }
        false
    });
    frozen
}

/// Ends a plan, notes it and wakes the engines of all offices.
async fn seal(
    conn: &mut PgConnection,
    actor: &Actor,
    id: ReplayId,
    replay: &Replay,
) -> Result<(), StoreError> {
    plan::seal(conn, id, replay).await?;
    let letters = match replay.total {
        1 => "1 letter".to_owned(),
        total => format!("{total} letters"),
    };
    let mut detail = format!("{letters} to {}", place(&replay.target));
    if let Some(claimed) = replay.claimed_origins.as_ref().filter(|one| one.included) {
        detail = format!(
            "{detail}; of {} only the message says where it died",
            claimed.letters
        );
    }
    let note = Note {
        at: replay.created_at,
        actor,
        action: "replay.create",
        detail: Some(&detail),
        replay: Some(id),
    };
    audit::write_replay(conn, id, note).await?;
    events::notify(conn, &LiveEvent::Replay { replay_id: id }).await
}

/// Where a target leads, for the audit trail.
fn place(target: &Target) -> String {
    match target {
        Target::OriginQueue => "the queue it died in".to_owned(),
        Target::OriginExchange => "the exchange it was published to".to_owned(),
        Target::Queue { queue } => queue.clone(),
        Target::Exchange {
            exchange,
            routing_key,
        } => format!("the exchange `{exchange}` with the key `{routing_key}`"),
        Target::Worker { worker } => format!("the queue of worker {worker}"),
    }
}
