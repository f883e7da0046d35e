//! How often a letter may come back to a source's queue, and the loss that somebody accepted for that.

use chrono::{DateTime, Utc};
use dlo_domain::delivery_limit::{AcceptedLoss, Evidence};
use dlo_domain::ids::SourceId;
use sqlx::PgConnection;

use crate::store::StoreError;

/// Writes down how often a letter may come back to a source's queue, as it was seen. Tells whether that is
/// something new.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn set_delivery_limit(
    conn: &mut PgConnection,
    id: SourceId,
    limit: Option<i64>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update sources set delivery_limit = $2
         where id = $1 and removed_at is null and delivery_limit is distinct from $2",
        id.0,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// What letters told of how often they may come back, as it is kept.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn evidence(conn: &mut PgConnection, id: SourceId) -> Result<Evidence, StoreError> {
    let kept = sqlx::query_scalar!("select limit_evidence from sources where id = $1", id.0)
        .fetch_optional(conn)
        .await?;
    Ok(Evidence::of_kept(kept.flatten().as_deref()))
}

/// Keeps what letters told.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn keep_evidence(
    conn: &mut PgConnection,
    id: SourceId,
    evidence: Evidence,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update sources set limit_evidence = $2
         where id = $1 and limit_evidence is distinct from $2",
        id.0,
        evidence.kept(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes down that somebody accepts a loss, at the limit that stands there; tells whether it does.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn accept(
    conn: &mut PgConnection,
    id: SourceId,
    loss: &AcceptedLoss,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update sources set accepted_letters = $2, accepted_limit = $3, accepted_by = $4,
             accepted_at = $5
         where id = $1 and removed_at is null and delivery_limit is not distinct from $3",
        id.0,
        i32::from(loss.letters),
        loss.delivery_limit,
        loss.by,
        loss.at,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Takes an accepted loss back. Tells whether there was one.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn withdraw(conn: &mut PgConnection, id: SourceId) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update sources set accepted_letters = null, accepted_limit = null, accepted_by = null,
             accepted_at = null
         where id = $1 and removed_at is null and accepted_letters is not null",
        id.0,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Reads the columns of an accepted loss.
pub(super) fn read(
    letters: Option<i32>,
    delivery_limit: Option<i64>,
    by: Option<String>,
    at: Option<DateTime<Utc>>,
) -> Option<AcceptedLoss> {
    Some(AcceptedLoss {
        letters: letters.and_then(|letters| u16::try_from(letters).ok())?,
        delivery_limit,
        by: by?,
        at: at?,
    })
}
