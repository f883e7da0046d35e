//! What people do with queues and findings: one form each.

use dlo_domain::audit::Actor;
use dlo_domain::ids::FindingId;
use dlo_domain::topology::FindingEdit;
use leptos::prelude::*;

use crate::desk::desk;
use crate::error::ApiError;
use crate::request::go_on_to;
use crate::{api, links};

/// Has all brokers read again.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "queues/check")]
pub(crate) async fn check_queues() -> Result<(), ApiError> {
    desk().check_topology().await?;
    go_on_to(&links::told(links::QUEUES, "checking"));
    Ok(())
}

/// Takes note of a finding, takes that back, or mutes it for a week: `word` is `note`, `forget` or
/// `mute`.
///
/// # Errors
/// No such finding, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "queues/finding")]
pub(crate) async fn judge_finding(id: String, word: String) -> Result<(), ApiError> {
    let id: FindingId = api::id(&id, "finding")?;
    let edit = FindingEdit {
        acknowledged: match word.as_str() {
            "note" => Some(true),
            "forget" => Some(false),
            _ => None,
        },
        mute_hours: (word == "mute").then_some(7 * 24),
    };
    desk().edit_finding(&Actor::local_operator(), id, edit).await?;
    go_on_to(&links::told(links::QUEUES, "finding"));
    Ok(())
}
