//! What the form of an edit does: it keeps what was written, shows what that changes, and sends what was shown.

use dlo_domain::audit::Actor;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::PlanToken;
use leptos::prelude::*;
use uuid::Uuid;

use super::form::EditForm;
use crate::desk::desk;
use crate::error::ApiError;
use crate::request::{go_on_to, lead_back};
use crate::{api, links};

/// Keeps what was written, and leads to what it changes. Nothing is sent.
///
/// # Errors
/// What was written cannot be sent, no such letter, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/edit/keep")]
pub(crate) async fn keep_draft(
    id: String,
    #[server(flatten)] form: EditForm,
) -> Result<(), ApiError> {
    let id: LetterId = api::id(&id, "letter")?;
    let form = keep(id, form).await?;
    go_on_to(&links::edit_of(id, &form));
    Ok(())
}

/// Keeps what the form holds as a draft; tells the form with this draft.
async fn keep(id: LetterId, form: EditForm) -> Result<EditForm, ApiError> {
    let draft = desk().keep_draft(&Actor::local_operator(), id, &form.written()?).await?;
    Ok(EditForm { draft: draft.to_string(), ..form })
}

/// Replays one letter with the draft whose changes were shown. A form that holds something else leads back
/// to the page, which shows what that changes.
///
/// # Errors
/// What was written cannot be sent, no such letter or draft, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/edit/send")]
pub(crate) async fn send_edit(
    id: String,
    #[server(flatten)] form: EditForm,
) -> Result<(), ApiError> {
    let id: LetterId = api::id(&id, "letter")?;
    let draft = api::id(&form.draft, "draft")?;
    if !desk().is_draft(id, draft, &form.written()?).await? {
        let form = keep(id, form).await?;
        let error = ApiError::conflict(
            "The body changed after its differences were shown. Nothing was published: check what \
             changes now, then press the button again.",
        );
        lead_back::<SendEdit>(&links::edit_of(id, &form), &error);
        return Err(error);
    }
    let sent = send(id, draft, &form).await;
    match &sent {
        Ok(page) => go_on_to(page),
        Err(error) => lead_back::<SendEdit>(&links::edit_of(id, &form), error),
    }
    sent.map(|_| ())
}

/// Makes the replay that was shown; the page to go on to.
async fn send(id: LetterId, draft: Uuid, form: &EditForm) -> Result<String, ApiError> {
    let mut new = form.replay_of(id)?;
    new.edit = Some(desk().edit_of_draft(id, draft).await?);
    let plan = PlanToken(form.plan.clone());
    if plan.read().is_err() {
        return Err(ApiError::conflict(
            "Nothing was published: check what changes first, then press the button beside it.",
        ));
    }
    new.plan = Some(plan);
    let replay = desk().plan_replay(&Actor::local_operator(), &new).await?;
    Ok(replay.id.map_or_else(|| links::letter(id), links::replay))
}
