//! Changing what is sent: jq tried on letters, one letter edited by hand, what was sent, and a
//! second person's word on a replay.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use dlo_domain::changing::{EditSheet, SentBody, TransformPreview};
use dlo_domain::ids::LetterId;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use crate::error::ApiError;

/// What a jq program would make of letters; nothing without a program.
///
/// # Errors
/// A program that cannot be read, no letters chosen, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "replays/transform", input = GetUrl)]
pub async fn try_transform(
    #[server(default)] ids: Vec<LetterId>,
    #[server(default)] filter: String,
    #[server(default)] scope: String,
    #[server(default)] jq: String,
) -> Result<Option<TransformPreview>, ApiError> {
    if jq.trim().is_empty() {
        return Ok(None);
    }
    let asked = dlo_domain::changing::TryTransform {
        selection: super::selection(ids, filter, &scope)?,
        transform: dlo_domain::changing::Transform { jq },
    };
    Ok(Some(crate::desk::desk().try_transform(&asked).await?))
}

/// The form that edits a letter's body: of its last arrival, or of a draft.
///
/// # Errors
/// No such letter or draft, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/edit", input = GetUrl)]
pub async fn read_edit(
    id: String,
    #[server(default)] shape: String,
    #[server(default)] draft: String,
) -> Result<EditSheet, ApiError> {
    let id: LetterId = super::id(&id, "letter")?;
    let draft = match draft.as_str() {
        "" => None,
        draft => Some(super::id(draft, "draft")?),
    };
    Ok(crate::desk::desk()
        .edit_sheet(id, shape.parse().ok(), draft)
        .await?)
}

/// Keeps what was written, and leads to what it changes. Nothing is sent.
///
/// # Errors
/// What was written cannot be sent, no such letter, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/edit/keep")]
pub async fn keep_draft(
    id: String,
    shape: String,
    #[server(default)] text: String,
    #[server(default)] content_type: String,
) -> Result<(), ApiError> {
    let id: LetterId = super::id(&id, "letter")?;
    let shape = shape
        .parse()
        .map_err(|fault: dlo_domain::changing::UnknownShape| {
            ApiError::invalid(fault.to_string())
        })?;
    let new = dlo_domain::changing::NewDraft {
        shape,
        text,
        content_type,
    };
    let operator = dlo_domain::audit::Actor::local_operator();
    let draft = crate::desk::desk().keep_draft(&operator, id, &new).await?;
    leptos_axum::redirect(&crate::links::edit(
        id,
        new.shape.as_str(),
        &draft.to_string(),
    ));
    Ok(())
}

/// Replays one letter with what a draft holds, to the queue that it died in or to `queue`.
///
/// # Errors
/// No such draft, a letter that came back meanwhile or cannot be replayed, or a desk that does not
/// answer.
#[server(prefix = "/ui", endpoint = "letters/edit/send")]
pub async fn send_edit(
    id: String,
    draft: String,
    #[server(default)] queue: String,
    #[server(default)] needs_approval: bool,
) -> Result<(), ApiError> {
    let id: LetterId = super::id(&id, "letter")?;
    let desk = crate::desk::desk();
    let manner = super::replays::Manner {
        queue,
        ..Default::default()
    };
    let selection = dlo_domain::selection::Selection::of_ids(vec![id]);
    let mut new = manner.ask(selection, crate::request::now())?;
    new.edit = Some(desk.edit_of_draft(id, super::id(&draft, "draft")?).await?);
    new.needs_approval = needs_approval;
    let operator = dlo_domain::audit::Actor::local_operator();
    let replay = desk.plan_replay(&operator, &new).await?;
    match replay.id {
        Some(id) => leptos_axum::redirect(&crate::links::replay(id)),
        None => leptos_axum::redirect(&crate::links::letter(id)),
    }
    Ok(())
}

/// What a replay sent in place of a letter's body.
///
/// # Errors
/// It sent none, no such letter or replay, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/sent", input = GetUrl)]
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
#[server(prefix = "/ui", endpoint = "replays/decide")]
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
