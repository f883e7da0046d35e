//! Makes the replay that a page showed.

use dlo_domain::audit::Actor;
use dlo_domain::replay::PlanToken;
use leptos::prelude::*;

use super::form::ReplayForm;
use crate::desk::desk;
use crate::error::ApiError;
use crate::request::{go_on_to, lead_back, now};
use crate::{api, links};

/// Makes the replay that a page showed: the form says what, the button that was pressed which plan. What cannot be
/// done leads back to the page, with a new dry run and the reason.
///
/// # Errors
/// No letters chosen, no plan that was shown or another than would be made now, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/start")]
pub(crate) async fn start_replay(#[server(flatten)] form: ReplayForm) -> Result<(), ApiError> {
    let started = start(&form).await;
    match &started {
        Ok(page) => go_on_to(page),
        Err(error) => lead_back::<StartReplay>(&links::new_replay(&form), error),
    }
    started.map(|_| ())
}

/// Makes it; the page to go on to.
async fn start(form: &ReplayForm) -> Result<String, ApiError> {
    let letters = api::selection(form.ids.clone(), form.q.clone(), &form.scope)?;
    let mut new = form.fields.ask(letters, now())?;
    let plan = if form.canary_plan.is_empty() {
        &form.plan
    } else {
        new.canary.get_or_insert_default();
        &form.canary_plan
    };
    let plan = PlanToken(plan.clone());
    if plan.read().is_err() {
        return Err(ApiError::conflict(
            "Nothing was published. Check the plan first, then press the button beside it.",
        ));
    }
    new.plan = Some(plan);
    let replay = desk().plan_replay(&Actor::local_operator(), &new).await?;
    Ok(replay.id.map_or_else(|| links::REPLAYS.to_owned(), links::replay))
}
