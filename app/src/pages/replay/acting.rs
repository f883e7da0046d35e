//! What people do with a replay: one form each.

use dlo_domain::audit::Actor;
use dlo_domain::ids::ReplayId;
use leptos::prelude::*;

use crate::desk::desk;
use crate::error::ApiError;
use crate::request::go_on_to;
use crate::{api, links};

/// Tells a replay to `pause`, `resume` or `cancel`. With `again`, one that resumes takes up once more
/// what died again or did not get through.
///
/// # Errors
/// No such replay, a word that means nothing to it now, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/control")]
pub(crate) async fn control_replay(
    id: String,
    word: String,
    #[server(default)] again: String,
) -> Result<(), ApiError> {
    let id: ReplayId = api::id(&id, "replay")?;
    let word = word.parse().map_err(ApiError::invalid)?;
    desk().control_replay(&Actor::local_operator(), id, word, !again.is_empty()).await?;
    go_on_to(&links::replay(id));
    Ok(())
}

/// Looks for the unknown letters of a replay in the queues that they were sent to.
///
/// # Errors
/// No such replay, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/search")]
pub(crate) async fn search_unknown(id: String) -> Result<(), ApiError> {
    let id: ReplayId = api::id(&id, "replay")?;
    let search = desk().search_unknown(&Actor::local_operator(), id, false).await?;
    go_on_to(&links::searched(id, search.found));
    Ok(())
}

/// A second person's word on a replay: `verdict` is `approve` or `reject`.
///
/// # Errors
/// The replay does not wait for it, its maker is the one who decides, no reason for a refusal, or
/// a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/decide")]
pub(crate) async fn decide_replay(
    id: String,
    verdict: String,
    #[server(default)] reason: String,
) -> Result<(), ApiError> {
    let id: ReplayId = api::id(&id, "replay")?;
    let desk = desk();
    match verdict.as_str() {
        "approve" => desk.approve_replay(&Actor::local_operator(), id).await?,
        "reject" => desk.reject_replay(&Actor::local_operator(), id, &reason).await?,
        _ => return Err(ApiError::invalid("Say `approve` or `reject`.")),
    };
    go_on_to(&links::replay(id));
    Ok(())
}
