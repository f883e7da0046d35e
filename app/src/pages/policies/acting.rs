//! What people do with retry policies: one form each.

use dlo_domain::audit::Actor;
use dlo_domain::ids::PolicyId;
use dlo_domain::policy::NewPolicy;
use leptos::prelude::*;

use super::draft::PolicyDraft;
use super::reading;
use super::view::policy_id;
use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::request::{go_on_to, is_plain_form};

/// Keeps a policy: a new one, or in the place of the one of this id.
///
/// # Errors
/// A policy that will not do, no such policy, too many, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies/save")]
pub(crate) async fn save_policy(#[server(flatten)] draft: PolicyDraft) -> Result<(), ApiError> {
    match write(&draft).await {
        // A plain form comes back with all that was typed, and its page says what is wrong.
        Err(ApiError::Invalid { .. }) if is_plain_form() => go_on_to(&draft.address()),
        Err(fault) => return Err(fault),
        Ok(()) => leptos_axum::redirect(&links::told(links::RETRIES, "policy")),
    }
    Ok(())
}

/// Has a policy asked from now on, or asked no more.
///
/// # Errors
/// No such policy, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies/enable")]
pub(crate) async fn enable_policy(id: String, enabled: bool) -> Result<(), ApiError> {
    let id = policy_id(&id)?;
    let policy = NewPolicy { enabled, ..desk().policy(id).await?.policy.policy };
    let operator = Actor::local_operator();
    desk().change_policy(&operator, id, &policy).await?;
    go_on_to(&links::told(links::RETRIES, "policies"));
    Ok(())
}

/// Has a policy asked one place earlier, or later: `to` is `up` or `down`.
///
/// # Errors
/// No such policy, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies/move")]
pub(crate) async fn move_policy(id: String, to: String) -> Result<(), ApiError> {
    let id = policy_id(&id)?;
    let policies = desk().policies().await?;
    let mut order: Vec<PolicyId> = policies.iter().map(|policy| policy.id).collect();
    let place = order.iter().position(|one| *one == id);
    let place = place
        .ok_or_else(|| ApiError::not_found("There is no such policy any more: it was removed."))?;
    let other = if to == "up" {
        place.checked_sub(1)
    } else {
        Some(place + 1).filter(|other| *other < order.len())
    };
    if let Some(other) = other {
        order.swap(place, other);
        let operator = Actor::local_operator();
        desk().order_policies(&operator, &order).await?;
    }
    go_on_to(&links::told(links::RETRIES, "policies"));
    Ok(())
}

/// Removes a policy.
///
/// # Errors
/// No such policy, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies/remove")]
pub(crate) async fn remove_policy(id: String) -> Result<(), ApiError> {
    let operator = Actor::local_operator();
    desk().remove_policy(&operator, policy_id(&id)?).await?;
    go_on_to(&links::told(links::RETRIES, "policy-removed"));
    Ok(())
}

/// Has the policies asked of the held letters that this one matches.
///
/// # Errors
/// No such policy, one that is off, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies/apply")]
pub(crate) async fn apply_policy(id: String) -> Result<(), ApiError> {
    let operator = Actor::local_operator();
    let applied = desk().apply_policy(&operator, policy_id(&id)?).await?;
    let (page, letters) = (links::policy_form(&id), applied.letters);
    go_on_to(&format!("{page}?notice=policy-applied&letters={letters}"));
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
