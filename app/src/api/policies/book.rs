//! Policies read and changed as the pages' forms say.

use dlo_domain::audit::Actor;
use dlo_domain::ids::PolicyId;
use dlo_domain::policy::NewPolicy;
use dlo_domain::selection::Selection;

use super::{PolicyDraft, PolicyForm, PolicySeen, reading, saying};
use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::request::{answer_with, go_on_to, is_plain_form, now};

fn policy_id(text: &str) -> Result<PolicyId, ApiError> {
    crate::api::id(text, "retry policy")
}

/// A form, with all that is asked for.
pub(super) async fn form(
    written: PolicyDraft,
    is_written: bool,
    looks: bool,
) -> Result<PolicyForm, ApiError> {
    let id = written.id.clone();
    let report = if id.is_empty() { None } else { Some(desk().policy(policy_id(&id)?).await?) };
    let draft = match &report {
        // What is written of one that was removed cannot be kept: its page tells what it was.
        Some(report) if report.removed.is_some() => reading::draft_of(id, &report.policy.policy),
        _ if is_written => written,
        Some(report) => reading::draft_of(id, &report.policy.policy),
        None => reading::draft_of_new(),
    };
    let is_there = report.as_ref().is_none_or(|report| report.removed.is_none());
    let seen = if looks && is_there { look(&draft).await } else { Ok(None) };
    let (preview, error) = match seen {
        Ok(preview) => (preview, String::new()),
        // The form stands, and says what is wrong with it: that is an answer as good as any.
        Err(ApiError::Invalid { reason } | ApiError::Unavailable { reason }) => {
            answer_with(200);
            (None, reason)
        }
        Err(fault) => return Err(fault),
    };
    Ok(PolicyForm {
        now: now(),
        draft,
        error: crate::wording::sentence(&error),
        preview,
        gone: report.as_ref().and_then(saying::gone),
        report: report.map(saying::told),
    })
}

async fn look(draft: &PolicyDraft) -> Result<Option<PolicySeen>, ApiError> {
    let policy = reading::policy_of(draft)?;
    let id = (!draft.id.is_empty()).then(|| policy_id(&draft.id)).transpose()?;
    let checked = policy.checked();
    let policy = checked.map_err(|fault| ApiError::invalid(fault.to_string()))?;
    let seen = desk().preview_policy(id, &policy).await;
    match seen {
        Ok(seen) => Ok(Some(saying::seen(&policy, seen))),
        Err(crate::desk::DeskError::Invalid(reason)) => Err(ApiError::invalid(reason)),
        Err(crate::desk::DeskError::Unavailable(reason)) => Err(ApiError::Unavailable { reason }),
        Err(fault) => Err(fault.into()),
    }
}

/// Adds or changes a policy, and goes to all of them.
pub(super) async fn save(draft: PolicyDraft) -> Result<(), ApiError> {
    match write(&draft).await {
        // A plain form comes back with all that was typed, and its page says what is wrong.
        Err(ApiError::Invalid { .. }) if is_plain_form() => go_on_to(&draft.address()),
        Err(fault) => return Err(fault),
        Ok(()) => leptos_axum::redirect(&format!("{}?notice=policy", links::RETRIES)),
    }
    Ok(())
}

async fn write(draft: &PolicyDraft) -> Result<(), ApiError> {
    let (operator, policy) = (Actor::local_operator(), reading::policy_of(draft)?);
    if draft.id.is_empty() {
        desk().add_policy(&operator, &policy).await?;
    } else {
        let id = policy_id(&draft.id)?;
        desk().change_policy(&operator, id, &policy).await?;
    }
    Ok(())
}

/// Switches a policy on or off.
pub(super) async fn enable(id: &str, enabled: bool) -> Result<(), ApiError> {
    let id = policy_id(id)?;
    let policy = NewPolicy { enabled, ..desk().policy(id).await?.policy.policy };
    let operator = Actor::local_operator();
    desk().change_policy(&operator, id, &policy).await?;
    go_on_to(&format!("{}?notice=policies", links::RETRIES));
    Ok(())
}

/// Moves a policy by one place; the first and the last stay where they are.
pub(super) async fn step(id: &str, is_up: bool) -> Result<(), ApiError> {
    let id = policy_id(id)?;
    let policies = desk().policies().await?;
    let mut order: Vec<PolicyId> = policies.iter().map(|policy| policy.id).collect();
    let place = order.iter().position(|one| *one == id);
    let place = place
        .ok_or_else(|| ApiError::not_found("There is no such policy any more: it was removed."))?;
    let other = if is_up {
        place.checked_sub(1)
    } else {
        Some(place + 1).filter(|other| *other < order.len())
    };
    if let Some(other) = other {
        order.swap(place, other);
        let operator = Actor::local_operator();
        desk().order_policies(&operator, &order).await?;
    }
    go_on_to(&format!("{}?notice=policies", links::RETRIES));
    Ok(())
}

/// Removes a policy.
pub(super) async fn remove(id: &str) -> Result<(), ApiError> {
    let operator = Actor::local_operator();
    desk().remove_policy(&operator, policy_id(id)?).await?;
    go_on_to(&format!("{}?notice=policy-removed", links::RETRIES));
    Ok(())
}

/// Applies a policy to what is held.
pub(super) async fn apply(id: &str) -> Result<(), ApiError> {
    let operator = Actor::local_operator();
    let applied = desk().apply_policy(&operator, policy_id(id)?).await?;
    let (page, letters) = (links::policy_form(id), applied.letters);
    go_on_to(&format!("{page}?notice=policy-applied&letters={letters}"));
    Ok(())
}

/// Holds a letter.
pub(super) async fn hold(id: &str) -> Result<(), ApiError> {
    let letter = crate::api::id(id, "letter")?;
    let operator = Actor::local_operator();
    let held = desk().hold(&operator, &Selection::of_ids(vec![letter])).await?;
    let (page, letters) = (links::letter(letter), held.changed);
    go_on_to(&format!("{page}?notice=held&letters={letters}"));
    Ok(())
}
