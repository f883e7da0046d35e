//! The form of a rule, sent.

use dlo_domain::audit::Actor;
use leptos::prelude::*;

use super::draft::RuleDraft;
use super::reading;
use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::pages::rules::rule_id;
use crate::request::{go_on_to, is_plain_form, lead_back};

/// Saves a rule: a new one, or in the place of the one of this id. One that is refused leads back to its form, with
/// all that was written.
///
/// # Errors
/// A rule that will not do, no such rule, too many, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules/save")]
pub(crate) async fn save_rule(
    #[server(default)] id: String,
    sort: String,
    #[server(default)] name: String,
    #[server(default)] filter: String,
    #[server(default)] verdict: String,
    #[server(default)] enabled: String,
) -> Result<(), ApiError> {
    let draft = RuleDraft { id, sort, name, filter, verdict, enabled: enabled != "false" };
    match save(&draft).await {
        Ok(()) => leptos_axum::redirect(&links::told(links::RULES, "judging-rule")),
        // The page looks at what was written, and says what is wrong with it.
        Err(ApiError::Invalid { .. }) if is_plain_form() => go_on_to(&draft.address()),
        Err(fault) if is_plain_form() => lead_back::<SaveRule>(&draft.address(), &fault),
        Err(fault) => return Err(fault),
    }
    Ok(())
}

async fn save(draft: &RuleDraft) -> Result<(), ApiError> {
    let (operator, rule) = (Actor::local_operator(), reading::rule_of(draft)?);
    if draft.id.is_empty() {
        desk().add_rule(&operator, &rule).await?;
    } else {
        desk().change_rule(&operator, rule_id(&draft.id)?, &rule).await?;
    }
    Ok(())
}
