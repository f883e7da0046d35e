//! Rules changed as the page's forms say.

use dlo_domain::audit::Actor;
use dlo_domain::ids::RuleId;
use dlo_domain::rule::{Rule, RuleBook, RuleKind};

use super::{RuleDraft, reading};
use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::request::{go_on_to, is_plain_form};

/// The rules of a rule's own kind, and its place among them.
async fn among(id: &str) -> Result<(RuleKind, Vec<Rule>, usize), ApiError> {
    let id: RuleId = crate::api::id(id, "rule")?;
    let RuleBook { severity, grouping, .. } = desk().rules().await?;
    [(RuleKind::Severity, severity), (RuleKind::Grouping, grouping)]
        .into_iter()
        .find_map(|(kind, rules)| {
            let place = rules.iter().position(|rule| rule.id == id)?;
            Some((kind, rules, place))
        })
        .ok_or_else(|| ApiError::not_found("There is no such rule any more: it was removed."))
}

/// One rule.
pub(super) async fn find(id: &str) -> Result<Rule, ApiError> {
    let (_, mut rules, place) = among(id).await?;
    Ok(rules.swap_remove(place))
}

/// Adds or changes a rule, and goes to all of them.
pub(super) async fn save(draft: RuleDraft) -> Result<(), ApiError> {
    match write(&draft).await {
        // A plain form comes back with all that was typed, and its page says what is wrong.
        Err(ApiError::Invalid { .. }) if is_plain_form() => go_on_to(&draft.address()),
        Err(fault) => return Err(fault),
        Ok(()) => leptos_axum::redirect(&format!("{}?notice=rule", links::RULES)),
    }
    Ok(())
}

async fn write(draft: &RuleDraft) -> Result<(), ApiError> {
    let (operator, rule) = (Actor::local_operator(), reading::rule_of(draft)?);
    if draft.id.is_empty() {
        desk().add_rule(&operator, &rule).await?;
    } else {
        let id = crate::api::id(&draft.id, "rule")?;
        desk().change_rule(&operator, id, &rule).await?;
    }
    Ok(())
}

/// Switches a rule on or off.
pub(super) async fn enable(id: &str, enabled: bool) -> Result<(), ApiError> {
    let mut rule = find(id).await?;
    rule.rule.enabled = enabled;
    let operator = Actor::local_operator();
    desk().change_rule(&operator, rule.id, &rule.rule).await?;
    go_on_to("/rules?notice=rules");
    Ok(())
}

/// Moves a rule by one place; the first and the last stay where they are.
pub(super) async fn step(id: &str, is_up: bool) -> Result<(), ApiError> {
    let (kind, rules, place) = among(id).await?;
    let other = if is_up {
        place.checked_sub(1)
    } else {
        Some(place + 1).filter(|other| *other < rules.len())
    };
    if let Some(other) = other {
        let mut order: Vec<RuleId> = rules.iter().map(|rule| rule.id).collect();
        order.swap(place, other);
        let operator = Actor::local_operator();
        desk().order_rules(&operator, kind, &order).await?;
    }
    go_on_to("/rules?notice=rules");
    Ok(())
}
