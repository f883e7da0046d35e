//! The end of a plan: sealed, noted in the audit trail, and told to the engines of all offices.

use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Replay, Target};
use sqlx::PgConnection;

use crate::store::audit::{self, Note};
use crate::store::replays::plan;
use crate::store::{StoreError, events};

/// Ends a plan, notes it and wakes the engines of all offices.
pub(super) async fn seal(
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
        detail = format!("{detail}; of {} only the message says where it died", claimed.letters);
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
pub(super) fn place(target: &Target) -> String {
    match target {
        Target::OriginQueue => "the queue it died in".to_owned(),
        Target::OriginExchange => "the exchange it was published to".to_owned(),
        Target::Queue { queue } => queue.clone(),
        Target::Exchange { exchange, routing_key } => {
            format!("the exchange `{exchange}` with the key `{routing_key}`")
        }
        Target::Worker { worker } => format!("the queue of worker {worker}"),
    }
}
