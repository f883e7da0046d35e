//! What people do with rules: one form each.

use dlo_domain::audit::Actor;
use dlo_domain::ids::RuleId;
use dlo_domain::rule::{Rule, RuleBook, RuleKind};
use leptos::prelude::*;

use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::request::go_on_to;

/// Has a rule asked from now on, or asked no more.
///
/// # Errors
/// No such rule, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules/enable")]
pub(crate) async fn enable_rule(id: String, enabled: bool) -> Result<(), ApiError> {
    let mut rule = find(&id).await?;
    rule.rule.enabled = enabled;
    desk().change_rule(&Actor::local_operator(), rule.id, &rule.rule).await?;
    go_on_to(&links::told(links::RULES, "judging-rules"));
    Ok(())
}

/// Has a rule asked one place earlier, or later: `to` is `up` or `down`. The first and the last stay where they are.
///
/// # Errors
/// No such rule, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules/move")]
pub(crate) async fn move_rule(id: String, to: String) -> Result<(), ApiError> {
    let (kind, rules, place) = among(&id).await?;
    let other = if to == "up" {
        place.checked_sub(1)
    } else {
        Some(place + 1).filter(|other| *other < rules.len())
    };
    if let Some(other) = other {
        let mut order: Vec<RuleId> = rules.iter().map(|rule| rule.id).collect();
        order.swap(place, other);
        desk().order_rules(&Actor::local_operator(), kind, &order).await?;
    }
    go_on_to(&links::told(links::RULES, "judging-rules"));
    Ok(())
}

/// Removes a rule.
///
/// # Errors
/// No such rule, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules/remove")]
pub(crate) async fn remove_rule(id: String) -> Result<(), ApiError> {
    desk().remove_rule(&Actor::local_operator(), rule_id(&id)?).await?;
    go_on_to(&links::told(links::RULES, "judging-rule-removed"));
    Ok(())
}

/// Reads the id of a rule.
pub(crate) fn rule_id(id: &str) -> Result<RuleId, ApiError> {
    crate::api::id(id, "rule")
}

/// The rules of a rule's own kind, and its place among them.
async fn among(id: &str) -> Result<(RuleKind, Vec<Rule>, usize), ApiError> {
    let id = rule_id(id)?;
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
///
/// # Errors
/// No such rule, or a desk that does not answer.
pub(crate) async fn find(id: &str) -> Result<Rule, ApiError> {
    let (_, mut rules, place) = among(id).await?;
    Ok(rules.swap_remove(place))
}
