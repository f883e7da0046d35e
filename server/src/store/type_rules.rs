//! Rules that say of which message type the bodies of a queue are.

use chrono::{DateTime, Utc};
use dlo_domain::ids::TypeRuleId;
use dlo_domain::type_rule::{NewTypeRule, TypeRule};
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;

/// A rule that is added.
#[derive(Debug, Clone, Copy)]
pub struct AddedTypeRule<'a> {
    /// Which one it is, unless there is one for the same queue and routing key.
    pub id: TypeRuleId,
    /// What it says.
    pub rule: &'a NewTypeRule,
    /// Who adds it.
    pub by: &'a str,
    /// When.
    pub at: DateTime<Utc>,
}

struct Row {
    id: Uuid,
    queue: String,
    routing_key: String,
    message_type: String,
    added_by: String,
    added_at: DateTime<Utc>,
}

impl Row {
    fn into_rule(self) -> TypeRule {
        TypeRule {
            id: TypeRuleId(self.id),
            queue: self.queue,
            routing_key: self.routing_key,
            message_type: self.message_type,
            added_by: self.added_by,
            added_at: self.added_at,
        }
    }
}

/// All of them, the one that was added last first.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<TypeRule>, StoreError> {
    let rules = sqlx::query_as!(
        Row,
        "select id, queue, routing_key, message_type, added_by, added_at
         from type_rules order by added_at desc, id desc"
    )
    .fetch_all(conn)
    .await?;
    Ok(rules.into_iter().map(Row::into_rule).collect())
}

/// Adds one, in the place of that for the same queue and routing key. The rules must be taken.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn add(conn: &mut PgConnection, new: AddedTypeRule<'_>) -> Result<TypeRule, StoreError> {
    let kept = sqlx::query_as!(
        Row,
        "insert into type_rules (id, queue, routing_key, message_type, added_by, added_at)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (queue, routing_key) do update set
             message_type = excluded.message_type, added_by = excluded.added_by, added_at = excluded.added_at
         returning id, queue, routing_key, message_type, added_by, added_at",
        new.id.0,
        new.rule.queue,
        new.rule.routing_key,
        new.rule.message_type,
        new.by,
        new.at,
    )
    .fetch_one(conn)
    .await?;
    Ok(kept.into_rule())
}

/// Removes one; `None` if it is not there.
///
/// # Errors
/// Returns an error if the statement fails.
pub async fn remove(
    conn: &mut PgConnection,
    id: TypeRuleId,
) -> Result<Option<TypeRule>, StoreError> {
    let removed = sqlx::query_as!(
        Row,
        "delete from type_rules where id = $1
         returning id, queue, routing_key, message_type, added_by, added_at",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(removed.map(Row::into_rule))
}
