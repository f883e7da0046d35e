//! Replays: asked for, previewed, watched.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

mod form;
mod manner;
#[cfg(feature = "ssr")]
mod pace;

use chrono::{DateTime, Utc};
use dlo_domain::page::Page;
use dlo_domain::replay::{LetterSearch, Replay, ReplayItem};
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

pub use form::ReplayForm;
pub use manner::{FIELDS, Manner};

use crate::codec::Json;
use crate::error::ApiError;

/// Replays on one page of the list.
pub const PAGE: u32 = 50;

/// Letters of a replay on one page.
pub const ITEMS: u32 = 100;

/// A page of replays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayList {
    /// When it was read.
    pub now: DateTime<Utc>,
    /// The replays.
    pub page: Page<Replay>,
}

/// A replay with a page of its letters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayRead {
    /// When it was read.
    pub now: DateTime<Utc>,
    /// The replay.
    pub replay: Replay,
    /// How fast it goes and how long it still takes, in words; empty when nothing moves.
    pub pace: String,
    /// Its letters, in the order of publishing.
    pub items: Page<ReplayItem>,
}

/// A page of replays, newest first; `cursor` is empty for the first. `by` says whose, as in the API;
/// nothing says people's.
///
/// # Errors
/// A word that says nobody's, a cursor that cannot be read, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays", input = GetUrl, output = Json)]
pub async fn list_replays(
    #[server(default)] by: String,
    #[server(default)] cursor: String,
) -> Result<ReplayList, ApiError> {
    let by = match by.as_str() {
        "" => dlo_domain::replay::Makers::People,
        word => word.parse().map_err(|fault: dlo_domain::replay::UnknownMakers| {
            ApiError::invalid(fault.to_string())
        })?,
    };
    Ok(ReplayList {
        page: crate::desk::desk().replays(by, super::cursor(&cursor)?, PAGE).await?,
        now: crate::request::now(),
    })
}

/// One replay and a page of its letters, of one outcome unless `outcome` is empty.
///
/// # Errors
/// No such replay or outcome, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replay", input = GetUrl, output = Json)]
pub async fn read_replay(
    id: String,
    #[server(default)] outcome: String,
    #[server(default)] cursor: String,
) -> Result<ReplayRead, ApiError> {
    let id: dlo_domain::ids::ReplayId = super::id(&id, "replay")?;
    let outcome = match outcome.as_str() {
        "" => None,
        word => Some(word.parse().map_err(|fault: dlo_domain::replay::UnknownOutcome| {
            ApiError::invalid(fault.to_string())
        })?),
    };
    let desk = crate::desk::desk();
    let after = super::cursor(&cursor)?;
    let replay = desk.replay(id).await?;
    Ok(ReplayRead {
        pace: replay.pace.map(pace::text).unwrap_or_default(),
        replay,
        items: desk.replay_items(id, outcome, after, ITEMS).await?,
        now: crate::request::now(),
    })
}

/// What a replay would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayPreview {
    /// What a dry run told.
    pub replay: Replay,
    /// The plan of the same replay with the usual canary; empty if it has a canary of its own.
    pub canary_plan: String,
}

#[cfg(feature = "ssr")]
impl From<Replay> for ReplayPreview {
    fn from(replay: Replay) -> Self {
        let plan = replay.plan.as_ref().and_then(|token| token.read().ok());
        let careful = plan.filter(|_| replay.canary.is_none());
        let careful =
            careful.map(|plan| plan.with_canary(&dlo_domain::replay::Canary::default()).token().0);
        Self { canary_plan: careful.unwrap_or_default(), replay }
    }
}

/// What a replay of these letters would do; nothing is changed.
///
/// # Errors
/// No letters chosen, a field that cannot be read, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/preview", input = GetUrl, output = Json)]
pub async fn preview_replay(
    #[server(flatten)] form: ReplayForm,
) -> Result<ReplayPreview, ApiError> {
    let selection = super::selection(form.ids, form.q, &form.scope)?;
    let mut new = form.manner.ask(selection, crate::request::now())?;
    new.dry_run = true;
    let operator = dlo_domain::audit::Actor::local_operator();
    let desk = crate::desk::desk();
    let planned = desk.plan_replay(&operator, &new).await;
    if new.transform.is_some() && matches!(planned, Err(crate::desk::DeskError::Unfit { .. })) {
        // What is wrong with the program is said beside it.
        new.transform = None;
        return Ok(desk.plan_replay(&operator, &new).await?.into());
    }
    Ok(planned?.into())
}

/// Makes the replay that a page showed: the form says what, the button that was pressed which plan. A form
/// that says something else than its plan leads back to the page, with a new dry run and the reason.
///
/// # Errors
/// No letters chosen, no plan that was shown or another than would be made now, or a desk that does not
/// answer.
#[server(prefix = "/ui", endpoint = "replays/start", output = Json)]
pub async fn start_replay(#[server(flatten)] form: ReplayForm) -> Result<Replay, ApiError> {
    let now = crate::request::now();
    let mut new =
        form.manner.ask(super::selection(form.ids.clone(), form.q.clone(), &form.scope)?, now)?;
    let plan = if form.canary_plan.is_empty() {
        &form.plan
    } else {
        new.canary.get_or_insert_default();
        &form.canary_plan
    };
    let plan = dlo_domain::replay::PlanToken(plan.clone());
    if plan.read().is_err() {
        let error = ApiError::conflict(
            "Nothing was published: look at the plan first, and press the button beside it.",
        );
        crate::request::lead_back::<StartReplay>(&crate::links::new_replay(&form), &error);
        return Err(error);
    }
    new.plan = Some(plan);
    let operator = dlo_domain::audit::Actor::local_operator();
    match crate::desk::desk().plan_replay(&operator, &new).await {
        Ok(replay) => {
            leptos_axum::redirect(&match replay.id {
                Some(id) => crate::links::replay(id),
                None => crate::links::REPLAYS.to_owned(),
            });
            Ok(replay)
        }
        Err(why) => {
            let error = ApiError::from(why);
            if matches!(error, ApiError::Conflict { .. }) {
                crate::request::lead_back::<StartReplay>(&crate::links::new_replay(&form), &error);
            }
            Err(error)
        }
    }
}

/// Tells a replay to `pause`, `resume` or `cancel`. With `again`, one that resumes takes up once more
/// what died again or did not get through.
///
/// # Errors
/// No such replay, a word that means nothing to it now, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/control", output = Json)]
pub async fn control_replay(
    id: String,
    word: String,
    #[server(default)] again: String,
) -> Result<(), ApiError> {
    let id: dlo_domain::ids::ReplayId = super::id(&id, "replay")?;
    let word = word.parse().map_err(ApiError::invalid)?;
    let operator = dlo_domain::audit::Actor::local_operator();
    crate::desk::desk().control_replay(&operator, id, word, !again.is_empty()).await?;
    leptos_axum::redirect(&crate::links::replay(id));
    Ok(())
}

/// Where the unknown letters of a replay would be looked for; nothing is touched.
///
/// # Errors
/// No such replay, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/search/preview", input = GetUrl, output = Json)]
pub async fn preview_search(id: String) -> Result<LetterSearch, ApiError> {
    let id: dlo_domain::ids::ReplayId = super::id(&id, "replay")?;
    let operator = dlo_domain::audit::Actor::local_operator();
    Ok(crate::desk::desk().search_unknown(&operator, id, true).await?)
}

/// Looks for the unknown letters of a replay in the queues that they were sent to.
///
/// # Errors
/// No such replay, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/search", output = Json)]
pub async fn search_unknown(id: String) -> Result<(), ApiError> {
    let id: dlo_domain::ids::ReplayId = super::id(&id, "replay")?;
    let operator = dlo_domain::audit::Actor::local_operator();
    let search = crate::desk::desk().search_unknown(&operator, id, false).await?;
    leptos_axum::redirect(&crate::links::searched(id, search.found));
    Ok(())
}
