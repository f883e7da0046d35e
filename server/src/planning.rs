//! Freezing a plan: which letters a replay takes, and where each goes. From here on nothing joins it.
//!
//! Whoever replays letters comes through here: people and programs by way of the desk, and retry
//! policies.

mod begun;
mod body_changes;
mod claiming;
mod destinations;
mod envelopes;
mod filling;
mod heads;
mod left_out;
mod origins;
mod planner;
mod seal;
mod shown;
mod tallies;
mod unseen;
mod warnings;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, PolicyId, ReplayId};
use dlo_domain::replay::{NewReplay, Replay, ReplayState};
use sqlx::PgConnection;

pub(crate) use claiming::claim_some;
pub(crate) use left_out::LeftOutTally;
pub(crate) use unseen::Rest;

use self::begun::begun;
use self::planner::Planner;
use crate::changes::MadeOf;
use crate::config::ReplayConfig;
use crate::failpoint;
use crate::store::StoreError;
use crate::store::replays::plan;
use crate::store::replays::unclaimed::SelectedLetter;

/// Letters that are changed by one statement.
pub(crate) const CHUNK: usize = 5_000;

/// Letters of a large plan that are claimed first.
const FIRST: usize = 500;

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
    filling::fill(conn, &mut planner, (maker, new), &mut replay, ids, made).await?;
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

/// A plan that is frozen, or what it would be.
pub(crate) struct Plan {
    /// The replay that it is.
    pub(crate) replay: Replay,
    /// Its letters that were not looked at, where only the first ones were.
    pub(crate) rest: Option<Rest>,
}

impl From<Replay> for Plan {
    /// All letters were looked at.
    fn from(replay: Replay) -> Self {
        Self { replay, rest: None }
    }
}

/// The same as [`freeze`] of letters as a selection took them. Where they are many and nobody was shown the plan, only
/// the first are looked at.
///
/// # Errors
/// Returns an error if a query fails. Then nothing of the caller's transaction is to be kept.
pub(crate) async fn freeze_selected(
    conn: &mut PgConnection,
    config: &ReplayConfig,
    maker: Maker<'_>,
    (id, new): (Option<ReplayId>, &NewReplay),
    selected: &[SelectedLetter],
) -> Result<Plan, StoreError> {
    match id {
        Some(id) if unseen::may_be(&begun(maker, Some(id), new), new, selected.len()) => {
            unseen::freeze(conn, config, maker, (id, new), selected).await
        }
        _ => {
            let ids: Vec<LetterId> = selected.iter().map(|one| one.id).collect();
            Ok(freeze(conn, config, maker, (id, new), &ids).await?.into())
        }
    }
}

/// Letters in portions that one statement takes: few at first, where there are many, so that the first of them
/// are soon on their way.
fn portions(ids: &[LetterId]) -> impl Iterator<Item = &[LetterId]> {
    let first = if ids.len() > CHUNK { FIRST } else { ids.len() };
    let (first, others) = ids.split_at(first);
    std::iter::once(first).chain(others.chunks(CHUNK))
}
