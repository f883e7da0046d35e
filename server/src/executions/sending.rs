//! Sends the message of an execution on: a replay of its letter, which no person looked at. So only a letter goes
//! whose origin is known.

use dlo_domain::audit::Actor;
use dlo_domain::death::Reason;
use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{NewReplay, Replay, Target};
use dlo_domain::selection::Selection;
use sqlx::PgConnection;

use super::Keeper;
use crate::clock::new_id;
use crate::planning::{self, Maker};
use crate::store::executions::links::Open;
use crate::store::{StoreError, origins};

/// Whether its message may be sent on by itself.
pub(super) fn may_send_on(open: &Open) -> bool {
    open.reason == Reason::Expired || open.naming.reschedule_on.contains(&open.reason)
}

/// Whether it is not known yet that its message comes from the queue that it names, and may be soon: one that
/// only claims so is not sent on.
pub(super) async fn awaits_read(conn: &mut PgConnection, open: &Open) -> Result<bool, StoreError> {
    Ok(!origins::awaited(conn, &[open.letter]).await?.is_empty())
}

/// Replays the letter there; or says why it cannot be.
pub(super) async fn replay(
    keeper: &Keeper,
    conn: &mut PgConnection,
    open: &Open,
    target: Target,
) -> Result<Result<ReplayId, String>, StoreError> {
    if let Some(why) = left_out(&plan(keeper, conn, open, (None, target.clone())).await?) {
        return Ok(Err(why));
    }
    let id = ReplayId(new_id(&*keeper.clock));
    plan(keeper, conn, open, (Some(id), target)).await?;
    Ok(Ok(id))
}

/// Freezes a replay of the letter, or tells what it would do.
async fn plan(
    keeper: &Keeper,
    conn: &mut PgConnection,
    open: &Open,
    (id, target): (Option<ReplayId>, Target),
) -> Result<Replay, StoreError> {
    let new = NewReplay {
        selection: Selection::of_ids(vec![open.letter]),
        target,
        ..NewReplay::default()
    };
    let maker = Maker {
        actor: &Actor::dead_letter_handler(),
        policy: None,
        is_automatic: true,
        at: keeper.clock.now(),
    };
    planning::freeze(conn, &keeper.replay, maker, (id, &new), &[open.letter]).await
}

fn left_out(plan: &Replay) -> Option<String> {
    let first = plan.left_out.first().map(|left| left.reason.clone());
    match (plan.total, first) {
        (1.., _) => None,
        (_, Some(why)) => Some(why),
        (_, None) => Some("the letter is gone".to_owned()),
    }
}
