//! A replay before it holds letters.

use dlo_domain::changing::Approval;
use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{NewReplay, OutcomeCounts, Replay, ReplayState};

use super::Maker;

/// The replay that is asked for, as long as it holds no letter. Without an id it is a dry run.
pub(super) fn begun(maker: Maker<'_>, id: Option<ReplayId>, new: &NewReplay) -> Replay {
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
        headers: new.headers.clone(),
        open_envelopes: new.open_envelopes,
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
        perhaps_delivered: None,
        made_persistent: 0,
        claimed_origins: None,
        stripped: Vec::new(),
        warnings: Vec::new(),
        plan: None,
    }
}
