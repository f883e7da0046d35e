//! Rules that name the type of a queue's messages are kept and removed: a change of what letters are read by, as a
//! schema is.

use dlo_domain::ids::TypeRuleId;
use dlo_domain::type_rule::{MOST_TYPE_RULES, NewTypeRule, TypeRule, TypeRuleFault};
use sqlx::PgConnection;

use super::keeping::{Change, read_anew};
use super::message_types;
use crate::store::type_rules::{self, AddedTypeRule};
use crate::store::{StoreError, registry_schemas, rules, schemas};

/// Why a rule was not added.
#[derive(Debug, thiserror::Error)]
pub enum AddTypeRuleError {
    /// It cannot be used.
    #[error("{0}")]
    Fault(TypeRuleFault),
    /// Postgres did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Adds a rule, in the place of that for the same queue and routing key.
///
/// # Errors
/// Returns an error if it cannot be used, or Postgres does not do it: then the transaction must be given up.
pub async fn add_type_rule(
    conn: &mut PgConnection,
    change: Change<'_>,
    id: TypeRuleId,
    rule: &NewTypeRule,
) -> Result<TypeRule, AddTypeRuleError> {
    rule.check().map_err(AddTypeRuleError::Fault)?;
    rules::take(conn).await?;
    let known =
        message_types(&schemas::definitions(conn).await?, &registry_schemas::told(conn).await?);
    if !known.has(&rule.message_type) {
        return Err(AddTypeRuleError::Fault(TypeRuleFault::Unknown(rule.message_type.clone())));
    }
    let kept =
        type_rules::add(conn, AddedTypeRule { id, rule, by: &change.actor.0, at: change.at })
            .await?;
    if type_rules::all(conn).await?.len() > MOST_TYPE_RULES {
        return Err(AddTypeRuleError::Fault(TypeRuleFault::TooMany));
    }
    read_anew(conn, change, "type_rule.add", &told(&kept)).await?;
    Ok(kept)
}

/// Removes a rule. Returns whether it was there.
///
/// # Errors
/// Returns an error if Postgres does not do it: then the transaction must be given up.
pub async fn remove_type_rule(
    conn: &mut PgConnection,
    change: Change<'_>,
    id: TypeRuleId,
) -> Result<bool, StoreError> {
    rules::take(conn).await?;
    let Some(removed) = type_rules::remove(conn, id).await? else { return Ok(false) };
    read_anew(conn, change, "type_rule.remove", &told(&removed)).await?;
    Ok(true)
}

fn told(rule: &TypeRule) -> String {
    format!("queue `{}`, routing key `{}`: {}", rule.queue, rule.routing_key, rule.message_type)
}
