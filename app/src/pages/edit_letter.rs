//! What shall be sent in place of this letter's body?

mod acting;
mod changes;
mod form;
mod writing;

use dlo_domain::audit::Actor;
use dlo_domain::changing::EditSheet;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::Replay;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::frame::shown;
use super::outcome::Outcome;
use super::schema_note::SchemaNote;
use crate::desk::{DeskError, desk};
use crate::error::ApiError;
use crate::pages::head::{PageHead, crumbs_of_letter};
use crate::query::Query;
use crate::visible::{show_line, show_lines, show_name};
use crate::{api, wording};
use acting::KeepDraft;
use changes::Changes;
pub(crate) use form::EditForm;
use writing::Writing;

/// What the page shows.
struct EditView {
    /// What is edited.
    sheet: EditSheet,
    /// The dry run of its draft; `None` if there is none, or nothing differs from what arrived.
    dry_run: Option<Replay>,
    /// Why its draft cannot be sent any more.
    refusal: Option<String>,
}

/// Edits one letter: what is written, what that changes, and then the button that sends it.
#[component]
pub(crate) fn EditLetterPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|path| path.get("id").unwrap_or_default());
    let form = EditForm::read(&Query::of_request());
    let title = format!("Edit letter {}", show_line(&wording::short(&id)));
    let read = read(id, form.clone());
    view! {
        <Title text=title />
        <Outcome />
        {shown(read, |view| view! { <Sheet view form /> }.into_any())}
    }
    .into_any()
}

/// The body of the last arrival, or of a draft, with a dry run of what that sends.
///
/// # Errors
/// No such letter or draft, a queue that cannot be, or a desk that does not answer.
async fn read(id: String, form: EditForm) -> Result<EditView, ApiError> {
    let id: LetterId = api::id(&id, "letter")?;
    let draft = Some(form.draft.as_str()).filter(|draft| !draft.is_empty());
    let draft = draft.map(|draft| api::id(draft, "draft")).transpose()?;
    let sheet = desk().edit_sheet(id, form.shape.parse().ok(), draft).await?;
    let mut view = EditView { sheet, dry_run: None, refusal: None };
    let Some(draft) = view.sheet.draft.as_ref().filter(|draft| draft.differs) else {
        return Ok(view);
    };
    let mut new = form.replay_of(id)?;
    new.edit = match desk().edit_of_draft(id, draft.id).await {
        Ok(edit) => Some(edit),
        // What was written is shown all the same.
        Err(DeskError::Conflict(why)) => {
            view.refusal = Some(why);
            return Ok(view);
        }
        Err(why) => return Err(why.into()),
    };
    new.dry_run = true;
    view.dry_run = Some(desk().plan_replay(&Actor::local_operator(), &new).await?);
    Ok(view)
}

#[component]
fn Sheet(view: EditView, form: EditForm) -> impl IntoView {
    let sheet = view.sheet.clone();
    let arrived = sheet.schema.clone().filter(|_| sheet.draft.is_none());
    let arrived = arrived.map(|check| view! { <SchemaNote check what="What arrived" /> });
    let content = match sheet.cannot.clone() {
        Some(why) => view! { <p class="note-line">{show_lines(&why)}</p> }.into_any(),
        None => view! { <Form view form /> }.into_any(),
    };
    view! {
        <Head sheet />
        {arrived}
        {content}
    }
    .into_any()
}

#[component]
fn Head(sheet: EditSheet) -> impl IntoView {
    let id = sheet.letter_id;
    let heading = match &sheet.draft {
        None => "Edit what is sent. The letter keeps what arrived.",
        Some(draft) if draft.differs => "This would change. Nothing was sent yet.",
        Some(_) => "Nothing is different from what arrived.",
    };
    view! {
        <PageHead crumbs=crumbs_of_letter(id, "Edit") heading=heading.into_any()>
            <p class="meta">
                <span>"arrival " {sheet.arrival}</span>
                {sheet
                    .queue
                    .map(|queue| view! { <span>"died in " <span class="id">{show_name(&queue)}</span></span> })}
            </p>
        </PageHead>
    }
    .into_any()
}

/// The one form of the page: every button of it sends every field. Without a button of its own, Enter shows
/// what changes.
#[component]
fn Form(view: EditView, form: EditForm) -> impl IntoView {
    let EditView { sheet, dry_run, refusal } = view;
    let draft = sheet.draft.as_ref().map(|draft| draft.id.to_string());
    let changes = sheet.draft.is_some().then(|| {
        view! { <Changes sheet=sheet.clone() dry_run refusal form=form.clone() /> }
    });
    view! {
        <form
            class="stack"
            method="post"
            action=KeepDraft::PATH
            autocomplete="off"
            data-still
            data-plan
            data-leads-to="changes-title"
        >
            <button type="submit" hidden>
                "Show what changes"
            </button>
            <input type="hidden" name="id" value=sheet.letter_id.to_string() />
            <input type="hidden" name="draft" value=draft.unwrap_or_default() />
            <input type="hidden" name="shape" value=sheet.shape.as_str() />
            {changes}
            <Writing sheet form />
        </form>
    }
    .into_any()
}
