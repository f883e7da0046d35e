//! What will happen if I press this?

mod acting;
mod destinations;
mod fields;
mod form;
mod how;
mod publishing;
mod terms;
mod transform;
mod tried;
mod view;

use dlo_domain::audit::Actor;
use dlo_domain::changing::TransformPreview;
use leptos::prelude::*;
use leptos_meta::Title;

use super::outcome::Outcome;
use crate::components::ErrorPanel;
use crate::desk::{DeskError, desk};
use crate::error::ApiError;
use crate::query::Query;
use crate::request::now;
use crate::{api, links};
pub(crate) use fields::{FIELDS, ReplayFields};
pub(crate) use form::ReplayForm;
use how::How;
use transform::TransformPanel;
use view::{Preview, ReplayPreview};

/// How letters are chosen, where none are.
#[component]
fn ChooseFirst() -> impl IntoView {
    view! {
        <div class="answer">
            <h1>"Choose the letters first."</h1>
        </div>
        <p class="note-line">
            "Select some in the " <a href=links::LETTERS>"list of letters"</a>
            " or take all that a filter matches there; or go to one of the "
            <a href=links::GROUPS>"groups"</a> " and replay its held letters. "
            "Nothing is published before you have seen what it would do."
        </p>
    }
    .into_any()
}

/// A dry run, and the buttons that make it real.
#[component]
pub(crate) fn NewReplayPage() -> impl IntoView {
    let form = ReplayForm::read(&Query::of_request());
    let content = Suspend::new(async move {
        // One after the other: the second is there only where something is changed.
        let preview = preview(form.clone()).await;
        if preview.is_err() && form.is_empty() {
            return view! { <ChooseFirst /> }.into_any();
        }
        let tried = transform::tried(form.clone()).await;
        view! { <PlanForm preview tried form /> }.into_any()
    });
    view! {
        <Title text="New replay" />
        <Outcome />
        <Suspense>{content}</Suspense>
    }
    .into_any()
}

/// What a replay of these letters would do; nothing is changed.
///
/// # Errors
/// No letters chosen, a field that cannot be read, or a desk that does not answer.
async fn preview(form: ReplayForm) -> Result<ReplayPreview, ApiError> {
    let selection = api::selection(form.ids, form.q, &form.scope)?;
    let mut new = form.fields.ask(selection, now())?;
    new.dry_run = true;
    let operator = Actor::local_operator();
    let planned = desk().plan_replay(&operator, &new).await;
    if new.transform.is_some() && matches!(planned, Err(DeskError::Unfit { .. })) {
        // What is wrong with the program is said beside it.
        new.transform = None;
        return Ok(desk().plan_replay(&operator, &new).await?.into());
    }
    Ok(planned?.into())
}

/// The one form of the page: every button of it sends every field. Without a button of its own, Enter looks
/// again.
#[component]
fn PlanForm(
    preview: Result<ReplayPreview, ApiError>,
    tried: Result<Option<TransformPreview>, ApiError>,
    form: ReplayForm,
) -> impl IntoView {
    let (error, content) = match preview {
        Ok(preview) => (None, view! { <Preview preview tried form=form.clone() /> }.into_any()),
        Err(error) => {
            let content = view! {
                <TransformPanel jq=form.fields.jq.clone() tried />
                <How fields=form.fields.clone() />
            };
            (Some(error), content.into_any())
        }
    };
    view! {
        {error.map(|error| view! { <ErrorPanel error /> })}
        <form
            class="new-replay"
            method="get"
            action=links::NEW_REPLAY
            autocomplete="off"
            data-still
            data-plan
        >
            <button type="submit" hidden>
                "Look again"
            </button>
            <Chosen form />
            {content}
        </form>
    }
    .into_any()
}

/// The fields that name the letters.
#[component]
fn Chosen(form: ReplayForm) -> impl IntoView {
    view! {
        {form
            .ids
            .iter()
            .map(|id| view! { <input type="hidden" name="ids[]" value=id.to_string() /> })
            .collect_view()}
        <input type="hidden" name="q" value=form.q />
        <input type="hidden" name="scope" value=form.scope />
    }
    .into_any()
}
