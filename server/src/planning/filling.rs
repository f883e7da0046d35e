//! Letters on their way into a plan, a few thousand at a time.

use std::collections::HashMap;

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{NewReplay, Replay, ReplayState};
use sqlx::PgConnection;

use super::claiming::Claim;
use super::envelopes::EnvelopeTally;
use super::heads::HeadTally;
use super::planner::Planner;
use super::tallies::Tallies;
use super::warnings::WarningTally;
use super::{CHUNK, Maker, body_changes, portions, shown};
use crate::changes::MadeOf;
use crate::store::StoreError;
use crate::store::replays::plan::Planned;
use crate::store::replays::unclaimed::{self, SelectedLetter};
use crate::store::replays::{bodies, plan};

/// Sorts letters into a replay and out of it. Unless it is a dry run, they are claimed, or kept to be claimed.
pub(super) async fn fill(
    conn: &mut PgConnection,
    planner: &mut Planner,
    (maker, new): (Maker<'_>, &NewReplay),
    replay: &mut Replay,
    ids: &[LetterId],
    made: Option<&HashMap<LetterId, MadeOf>>,
) -> Result<(), StoreError> {
    let mut tallies = Tallies::new(&planner.terms);
    let mut heads = HeadTally::default();
    let mut warnings = WarningTally::default();
    let mut envelopes = EnvelopeTally::default();
    let mut digest = shown::digest(new, replay.created_at);
    if let Some(id) = replay.id {
        plan::begin(conn, id, replay).await?;
    }
    let claims_later = ids.len() > CHUNK && made.is_none() && can_claim_later(replay);
    for portion in portions(ids) {
        let claims_now = replay.id.is_some() && !claims_later;
        let found = planner.find(conn, portion, claims_now).await?;
        let mut taken = planner.sort(portion, found, &mut tallies);
        let frozen = match made {
            Some(made) => body_changes::put_in_place(made, &mut taken, &mut tallies.left_out),
            None => Vec::new(),
        };
        shown::add(&mut digest, &taken);
        match replay.id {
            Some(id) if claims_later => {
                keep_for_later(conn, planner, (id, tallies.position()), &taken).await?;
            }
            Some(id) => {
                let claim = Claim { id, target: &planner.terms.target, actor: maker.actor };
                claim.take(conn, tallies.position(), &taken, replay.created_at).await?;
                bodies::freeze(conn, id, &frozen).await?;
            }
            None => {
                heads.add(conn, &taken, &frozen, new).await?;
                match made.filter(|_| new.open_envelopes) {
                    Some(made) => envelopes.add_opened(&taken, made),
                    None => envelopes.add_closed(conn, &taken).await?,
                }
                warnings.add(conn, &taken).await?;
            }
        }
        tallies.add(conn, &taken).await?;
    }
    tallies.fill_in(replay);
    replay.made_persistent = heads.made_persistent;
    replay.warnings = warnings.into_list(replay.total, replay.created_at);
    replay.warnings.extend(heads.warnings(replay.total));
    replay.warnings.extend(envelopes.into_list(replay.total));
    replay.stripped = heads.into_stripped();
    replay.plan = digest.map(|digest| digest.finish().token());
    Ok(())
}

/// Whether letters may be claimed after the plan is frozen, beside those that are sent: of a replay that begins at
/// once and keeps no order.
pub(super) fn can_claim_later(replay: &Replay) -> bool {
    replay.state == ReplayState::Running && !replay.in_order
}

async fn keep_for_later(
    conn: &mut PgConnection,
    planner: &Planner,
    (id, position): (ReplayId, i32),
    letters: &[Planned],
) -> Result<(), StoreError> {
    let selected = letters.iter().map(|one| SelectedLetter {
        id: one.letter.id,
        ordinal: one.letter.arrivals,
        source_id: one.letter.source_id,
    });
    let selected: Vec<_> = selected.collect();
    unclaimed::add(conn, id, position, &planner.terms, &selected).await
}
