//! Retry policies: reading and changing them. What they plan is `retries`'; what they mean is
//! `dlo_domain::policy`'s.
//!
//! They are changed under the lock of the rules (`rules::take`), which every batch of intake shares:
//! a change waits for the batches under way, and every later batch knows whether policies are asked.

pub mod inbox;
pub mod letting_go;
mod matches;

use chrono::{DateTime, Utc};
use dlo_domain::ids::PolicyId;
use dlo_domain::policy::{BreakerState, BreakerStatus, Bucket, NewPolicy, PolicyRemoved};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::StoreError;

pub use matches::{Matched, first_matches, matched};

/// A policy as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its id.
    pub id: PolicyId,
    /// Its place in the order of asking, from 1.
    pub position: i32,
    /// What it says.
    pub policy: NewPolicy,
    /// Who wrote it last.
    pub changed_by: String,
    /// When.
    pub changed_at: DateTime<Utc>,
    /// Its breaker.
    pub breaker: BreakerStatus,
    /// Its budget.
    pub bucket: Bucket,
    /// When it was removed, and by whom.
    pub removed: Option<PolicyRemoved>,
}

struct Row {
    id: Uuid,
    position: Option<i32>,
    policy: serde_json::Value,
    changed_by: String,
    changed_at: DateTime<Utc>,
    breaker_state: String,
    breaker_since: DateTime<Utc>,
    budget_millionths: i64,
    budget_at: DateTime<Utc>,
    removed_at: Option<DateTime<Utc>>,
    removed_by: Option<String>,
}

impl TryFrom<Row> for Kept {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let corrupt = |column, why: &dyn ToString| {
            StoreError::corrupt("retry_policies", column, why.to_string())
        };
        let state: Result<BreakerState, _> = row.breaker_state.parse();
        Ok(Self {
            id: PolicyId(row.id),
            position: row.position.unwrap_or_default(),
            policy: serde_json::from_value(row.policy).map_err(|why| corrupt("policy", &why))?,
            changed_by: row.changed_by,
            changed_at: row.changed_at,
            breaker: BreakerStatus {
                state: state.map_err(|why| corrupt("breaker_state", &why))?,
                since: row.breaker_since,
            },
            bucket: Bucket { millionths: row.budget_millionths, at: row.budget_at },
            removed: row.removed_at.map(|at| PolicyRemoved { at, by: row.removed_by }),
        })
    }
}

/// All policies in the order of asking. One that this version cannot read is left out, and logged.
///
/// # Errors
/// When Postgres does not do it.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<Kept>, StoreError> {
    let rows = sqlx::query_as!(
        Row,
        "select id, position, policy, changed_by, changed_at, breaker_state, breaker_since,
             budget_millionths, budget_at, removed_at, removed_by
         from retry_policies where removed_at is null order by position"
    )
    .fetch_all(conn)
    .await?;
    let kept = rows.into_iter().filter_map(|row| {
        let id = row.id;
        Kept::try_from(row)
            .inspect_err(|why| tracing::warn!(%id, %why, "a retry policy is left out"))
            .ok()
    });
    Ok(kept.collect())
}

/// One policy, also one that was removed; nothing when there never was one of this id.
///
/// # Errors
/// When Postgres does not do it or this version cannot read it.
pub async fn ever(conn: &mut PgConnection, id: PolicyId) -> Result<Option<Kept>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        "select id, position, policy, changed_by, changed_at, breaker_state, breaker_since,
             budget_millionths, budget_at, removed_at, removed_by
         from retry_policies where id = $1",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(Kept::try_from).transpose()
}

/// One policy, which nobody else changes until the transaction ends; nothing when there is none,
/// another office works on it, or this version cannot read it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn seize(conn: &mut PgConnection, id: PolicyId) -> Result<Option<Kept>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        "select id, position, policy, changed_by, changed_at, breaker_state, breaker_since,
             budget_millionths, budget_at, removed_at, removed_by
         from retry_policies where id = $1 and removed_at is null for no key update skip locked",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.and_then(|row| Kept::try_from(row).ok()))
}

/// Whether a policy has this name, other than the one of this id.
///
/// # Errors
/// When Postgres does not do it.
pub async fn has_name(
    conn: &mut PgConnection,
    name: &str,
    but: Option<PolicyId>,
) -> Result<bool, StoreError> {
    let has = sqlx::query_scalar!(
        r#"select exists (
               select 1 from retry_policies
               where name = $1 and removed_at is null and id is distinct from $2
           ) as "has!""#,
        name,
        but.map(|id| id.0)
    )
    .fetch_one(conn)
    .await?;
    Ok(has)
}

/// Adds a policy behind all others.
///
/// # Errors
/// When Postgres does not do it.
pub async fn insert(
    conn: &mut PgConnection,
    id: PolicyId,
    policy: &NewPolicy,
    by: &str,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into retry_policies
             (id, position, name, policy, enabled, changed_by, changed_at, breaker_since, budget_at)
         select $1, coalesce(max(position), 0) + 1, $2, $3, $4, $5, $6, $6, $6 from retry_policies",
        id.0,
        policy.name,
        Json(policy) as _,
        policy.enabled,
        by,
        at,
    )
    .execute(&mut *conn)
    .await?;
    note_asked(conn).await
}

/// Puts another in the place of a policy. Its breaker begins anew, closed: what it counted was
/// another policy's. Letters that it was letting go, and has not yet, it keeps. `false` when there is
/// none of that id.
///
/// # Errors
/// When Postgres does not do it.
pub async fn change(
    conn: &mut PgConnection,
    id: PolicyId,
    policy: &NewPolicy,
    by: &str,
    at: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update retry_policies set name = $2, policy = $3, enabled = $4, changed_by = $5,
             changed_at = $6, breaker_state = 'closed', breaker_since = $6, lets_go_by = null,
             lets_go_why = null
         where id = $1 and removed_at is null",
        id.0,
        policy.name,
        Json(policy) as _,
        policy.enabled,
        by,
        at,
    )
    .execute(&mut *conn)
    .await?;
    note_asked(conn).await?;
    Ok(done.rows_affected() > 0)
}

/// Removes a policy; its name, or nothing when there is none of that id. The others move up.
///
/// # Errors
/// When Postgres does not do it.
pub async fn remove(
    conn: &mut PgConnection,
    id: PolicyId,
    by: &str,
    at: DateTime<Utc>,
) -> Result<Option<String>, StoreError> {
    let Some(gone) = sqlx::query!(
        r#"with gone as (
               select id, position, name from retry_policies
               where id = $1 and removed_at is null for update)
           update retry_policies p set removed_at = $2, removed_by = $3, position = null,
               enabled = false
           from gone where p.id = gone.id
           returning gone.name, gone.position as "position!""#,
        id.0,
        at,
        by
    )
    .fetch_optional(&mut *conn)
    .await?
    else {
        return Ok(None);
    };
    sqlx::query!(
        "update retry_policies set position = position - 1 where position > $1",
        gone.position
    )
    .execute(&mut *conn)
    .await?;
    note_asked(conn).await?;
    Ok(Some(gone.name))
}

/// Orders the policies anew; those that are not named come behind, as they were.
///
/// # Errors
/// When Postgres does not do it.
pub async fn order(conn: &mut PgConnection, order: &[PolicyId]) -> Result<(), StoreError> {
    let ids: Vec<Uuid> = order.iter().map(|id| id.0).collect();
    sqlx::query!(
        "update retry_policies p set position = placed.place
         from (
             select id, row_number() over (order by array_position($1::uuid[], id), position) as place
             from retry_policies where removed_at is null) as placed
         where p.id = placed.id and p.position <> placed.place",
        &ids,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps for intake whether any policy is asked.
async fn note_asked(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!(
        "update rule_book set policies_are_asked =
             exists (select from retry_policies where enabled and removed_at is null)"
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps where a policy's breaker and budget stand.
///
/// # Errors
/// When Postgres does not do it.
pub async fn keep(
    conn: &mut PgConnection,
    id: PolicyId,
    breaker: BreakerStatus,
    bucket: Bucket,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update retry_policies set breaker_state = $2, breaker_since = $3, budget_millionths = $4,
             budget_at = $5
         where id = $1",
        id.0,
        breaker.state.as_str(),
        breaker.since,
        bucket.millionths,
        bucket.at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests;
