//! Changing what is sent: jq tried on letters, one letter edited by hand, what was sent, and a
//! second person's word on a replay.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use dlo_domain::changing::{EditSheet, SentBody, TransformPreview};
use dlo_domain::ids::LetterId;
use dlo_domain::replay::Replay;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use crate::codec::Json;
use crate::error::ApiError;

/// What would be sent of letters; nothing where neither their bodies nor their headers are changed.
///
/// # Errors
/// A program or a change of headers that cannot be read, no letters chosen, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/transform", input = GetUrl, output = Json)]
pub async fn try_transform(
    #[server(default)] ids: Vec<LetterId>,
    #[server(default)] filter: String,
    #[server(default)] scope: String,
    #[server(default)] jq: String,
    #[server(default)] headers: String,
    #[server(default)] open_envelopes: String,
    #[server(default)] keep_expiration: String,
) -> Result<Option<TransformPreview>, ApiError> {
    let manner = super::replays::Manner {
        keep_expiration,
        headers,
        open_envelopes,
        jq,
        ..Default::default()
    };
    let is_changed = |field: &String| !field.trim().is_empty();
    if ![&manner.jq, &manner.headers, &manner.open_envelopes].into_iter().any(is_changed) {
        return Ok(None);
    }
    let new = manner.ask(super::selection(ids, filter, &scope)?, crate::request::now())?;
    let asked = dlo_domain::changing::TryTransform {
        selection: new.selection,
        transform: new.transform,
        open_envelopes: new.open_envelopes,
        headers: new.headers,
        keep_expiration: new.keep_expiration,
    };
    Ok(Some(crate::desk::desk().try_transform(&asked).await?))
}

/// Everything that the form of an edit holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EditForm {
    /// The draft whose changes are shown; empty where none is.
    pub draft: String,
    /// How the body is written: `json`, `text` or `hex`.
    pub shape: String,
    /// The body.
    pub text: String,
    /// Its content type.
    pub content_type: String,
    /// The queue it goes to; empty for the one that the letter died in.
    pub queue: String,
    /// Headers to leave out, `-name`, and to set, `name=value`, with commas between them.
    pub headers: String,
    /// Anything: another person has to approve it.
    pub needs_approval: String,
    /// The plan on the button that was pressed.
    pub plan: String,
}

/// The form of an edit, and what sending its draft would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EditRead {
    /// The form.
    pub sheet: EditSheet,
    /// The dry run of its draft; `None` if there is none, or nothing differs from what arrived.
    pub dry_run: Option<Replay>,
    /// Why its draft cannot be sent any more.
    pub refusal: Option<String>,
}

/// The form that edits a letter's body: of its last arrival, or of a draft, with a dry run of what that
/// sends.
///
/// # Errors
/// No such letter or draft, a queue that cannot be, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/edit", input = GetUrl, output = Json)]
pub async fn read_edit(
    id: String,
    #[server(default)] shape: String,
    #[server(default)] draft: String,
    #[server(default)] queue: String,
    #[server(default)] headers: String,
    #[server(default)] needs_approval: String,
) -> Result<EditRead, ApiError> {
    let id: LetterId = super::id(&id, "letter")?;
    let shape = shape.parse().ok();
    let desk = crate::desk::desk();
    let draft = match draft.as_str() {
        "" => None,
        draft => Some(super::id(draft, "draft")?),
    };
    let mut read =
        EditRead { sheet: desk.edit_sheet(id, shape, draft).await?, dry_run: None, refusal: None };
    let Some(draft) = read.sheet.draft.as_ref().filter(|draft| draft.differs) else {
        return Ok(read);
    };
    let form = EditForm { queue, headers, needs_approval, ..EditForm::default() };
    let mut new = replay_of(id, &form)?;
    new.edit = match desk.edit_of_draft(id, draft.id).await {
        Ok(edit) => Some(edit),
        // What was written is shown all the same.
        Err(crate::desk::DeskError::Conflict(why)) => {
            read.refusal = Some(why);
            return Ok(read);
        }
        Err(why) => return Err(why.into()),
    };
    new.dry_run = true;
    let operator = dlo_domain::audit::Actor::local_operator();
    read.dry_run = Some(desk.plan_replay(&operator, &new).await?);
    Ok(read)
}

/// A replay of one letter, to the queue that it died in or to another.
#[cfg(feature = "ssr")]
fn replay_of(id: LetterId, form: &EditForm) -> Result<dlo_domain::replay::NewReplay, ApiError> {
    let manner = super::replays::Manner {
        queue: form.queue.clone(),
        headers: form.headers.clone(),
        needs_approval: form.needs_approval.clone(),
        ..Default::default()
    };
    let selection = dlo_domain::selection::Selection::of_ids(vec![id]);
    manner.ask(selection, crate::request::now())
}

/// Keeps what was written, and leads to what it changes. Nothing is sent.
///
/// # Errors
/// What was written cannot be sent, no such letter, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/edit/keep", output = Json)]
pub async fn keep_draft(id: String, #[server(flatten)] form: EditForm) -> Result<(), ApiError> {
    let id: LetterId = super::id(&id, "letter")?;
    let form = keep(id, form).await?;
    leptos_axum::redirect(&crate::links::edit_of(id, &form));
    Ok(())
}

/// Keeps what the form holds as a draft; tells the form with this draft.
#[cfg(feature = "ssr")]
async fn keep(id: LetterId, form: EditForm) -> Result<EditForm, ApiError> {
    let new = written(&form)?;
    let operator = dlo_domain::audit::Actor::local_operator();
    let draft = crate::desk::desk().keep_draft(&operator, id, &new).await?;
    Ok(EditForm { draft: draft.to_string(), ..form })
}

/// What stands in the form.
#[cfg(feature = "ssr")]
fn written(form: &EditForm) -> Result<dlo_domain::changing::NewDraft, ApiError> {
    let shape = form.shape.parse().map_err(|fault: dlo_domain::changing::UnknownShape| {
        ApiError::invalid(fault.to_string())
    })?;
    Ok(dlo_domain::changing::NewDraft {
        shape,
        text: form.text.clone(),
        content_type: form.content_type.clone(),
    })
}

/// Replays one letter with the draft whose changes were shown. A form that holds something else leads back
/// to the page, which shows what that changes.
///
/// # Errors
/// What was written is not what was shown, no such draft, a letter that came back meanwhile or cannot be
/// replayed, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/edit/send", output = Json)]
pub async fn send_edit(id: String, #[server(flatten)] form: EditForm) -> Result<(), ApiError> {
    let id: LetterId = super::id(&id, "letter")?;
    let desk = crate::desk::desk();
    let draft = super::id(&form.draft, "draft")?;
    if !desk.is_draft(id, draft, &written(&form)?).await? {
        let form = keep(id, form).await?;
        return Err(not_as_shown(
            id,
            &form,
            ApiError::conflict(
                "The body was changed after its differences were shown. Nothing was published: look \
                 at what changes now, and press the button again.",
            ),
        ));
    }
    let mut new = replay_of(id, &form)?;
    new.edit = Some(desk.edit_of_draft(id, draft).await?);
    let plan = dlo_domain::replay::PlanToken(form.plan.clone());
    if plan.read().is_err() {
        let error = ApiError::conflict(
            "Nothing was published: look at what changes first, and press the button beside it.",
        );
        return Err(not_as_shown(id, &form, error));
    }
    new.plan = Some(plan);
    let operator = dlo_domain::audit::Actor::local_operator();
    match desk.plan_replay(&operator, &new).await.map_err(ApiError::from) {
        Ok(replay) => {
            leptos_axum::redirect(&match replay.id {
                Some(id) => crate::links::replay(id),
                None => crate::links::letter(id),
            });
            Ok(())
        }
        Err(error @ ApiError::Conflict { .. }) => Err(not_as_shown(id, &form, error)),
        Err(error) => Err(error),
    }
}

/// Leads back to the page, which shows anew what would be sent.
#[cfg(feature = "ssr")]
fn not_as_shown(id: LetterId, form: &EditForm, error: ApiError) -> ApiError {
    crate::request::lead_back::<SendEdit>(&crate::links::edit_of(id, form), &error);
    error
}

/// What a replay sent in place of a letter's body.
///
/// # Errors
/// It sent none, no such letter or replay, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/sent", input = GetUrl, output = Json)]
pub async fn read_sent(id: String, replay: String) -> Result<SentBody, ApiError> {
    let id = super::id(&id, "letter")?;
    let replay = super::id(&replay, "replay")?;
    Ok(crate::desk::desk().sent_body(id, replay).await?)
}

/// A second person's word on a replay: `verdict` is `approve` or `reject`.
///
/// # Errors
/// The replay does not wait for it, its maker is the one who decides, no reason for a refusal, or
/// a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/decide", output = Json)]
pub async fn decide_replay(
    id: String,
    verdict: String,
    #[server(default)] reason: String,
) -> Result<(), ApiError> {
    let id: dlo_domain::ids::ReplayId = super::id(&id, "replay")?;
    let operator = dlo_domain::audit::Actor::local_operator();
    let desk = crate::desk::desk();
    match verdict.as_str() {
        "approve" => desk.approve_replay(&operator, id).await?,
        "reject" => desk.reject_replay(&operator, id, &reason).await?,
        _ => return Err(ApiError::invalid("Say `approve` or `reject`.")),
    };
    crate::request::go_on_to(&crate::links::replay(id));
    Ok(())
}
