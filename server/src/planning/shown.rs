//! The token of a plan: of one that a dry run shows, and of one that must be what was shown.

use chrono::{DateTime, Utc};
use dlo_domain::replay::{NewReplay, PlanDigest, PlannedLetter};

use crate::store::replays::plan::Planned;

/// The digest of a plan that has no letters yet; `None` if nobody asks for its token.
pub(super) fn digest(new: &NewReplay, now: DateTime<Utc>) -> Option<PlanDigest> {
    let is_asked = new.dry_run || new.plan.is_some();
    is_asked.then(|| PlanDigest::begin(new, now))
}

/// Until when letters arrived that the plan showed; `None` if none had to be shown. A token that cannot be read
/// was refused before.
pub(super) fn until(new: &NewReplay) -> Option<DateTime<Utc>> {
    let shown = new.shown().ok().flatten();
    shown.map(|plan| plan.shown_until)
}

/// Adds letters in the order of publishing.
pub(super) fn add(digest: &mut Option<PlanDigest>, planned: &[Planned]) {
    let Some(digest) = digest else {
        return;
    };
    for Planned { letter, address } in planned {
        digest.add(PlannedLetter {
            id: letter.id,
            arrival: letter.arrivals,
            arrived_at: letter.last_arrived_at,
            broker: &letter.broker,
            vhost: &letter.vhost,
            address,
        });
    }
}
