//! Policies that are letting letters go: those that were removed, or do not retry any more. That is
//! written down with the change, and done afterwards in small steps, so that the change does not
//! hold the lock that intake shares for as long as there are letters.

use dlo_domain::audit::Actor;
use dlo_domain::ids::PolicyId;
use sqlx::PgConnection;

use crate::store::StoreError;

/// Whose word it is that a policy lets its letters go, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Who said it.
    pub by: Actor,
    /// Why, for the audit trail of each letter.
    pub why: String,
}

/// Writes down that a policy lets go of the letters that wait for it now. It must make no more
/// tries.
///
/// # Errors
/// When Postgres does not do it.
pub async fn begin(conn: &mut PgConnection, id: PolicyId, word: &Word) -> Result<(), StoreError> {
    sqlx::query!(
        "update retry_policies set lets_go_by = $2, lets_go_why = $3
         where id = $1
             and exists (select from retries where policy_id = $1 and state = 'waiting')",
        id.0,
        word.by.0,
        word.why,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The policies that still have letters to let go.
///
/// # Errors
/// When Postgres does not do it.
pub async fn under_way(conn: &mut PgConnection) -> Result<Vec<PolicyId>, StoreError> {
    let ids = sqlx::query_scalar!("select id from retry_policies where lets_go_by is not null")
        .fetch_all(conn)
        .await?;
    Ok(ids.into_iter().map(PolicyId).collect())
}

/// Takes such a policy, so that nobody else changes it until the transaction ends. Nothing when it
/// has no letters to let go any more, or another office works on it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn seize(conn: &mut PgConnection, id: PolicyId) -> Result<Option<Word>, StoreError> {
    let row = sqlx::query!(
        r#"select lets_go_by as "by!", lets_go_why as "why!" from retry_policies
           where id = $1 and lets_go_by is not null
           for no key update skip locked"#,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Word { by: Actor(row.by), why: row.why }))
}

/// Writes down that it is done, if no letter waits for the policy. Tells whether it is.
///
/// # Errors
/// When Postgres does not do it.
pub async fn end(conn: &mut PgConnection, id: PolicyId) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update retry_policies set lets_go_by = null, lets_go_why = null
         where id = $1
             and not exists (select from retries where policy_id = $1 and state = 'waiting')",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}
