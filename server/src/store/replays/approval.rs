//! A replay that waits for a second person: it is let go, or given up. Nothing of it is published
//! before.

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::ids::ReplayId;
use sqlx::PgConnection;

use crate::store::StoreError;

/// A replay as whoever decides on it must know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Awaiting {
    /// Where it stands.
    pub state: String,
    /// Who asked for it.
    pub created_by: String,
    /// How many letters it holds.
    pub total: i64,
}

/// How a replay stands; nothing when there is no such replay. It is not locked: whoever decides takes
/// its letters first, and the decision itself names the state that it expects.
///
/// # Errors
/// When Postgres does not do it.
pub async fn find(conn: &mut PgConnection, id: ReplayId) -> Result<Option<Awaiting>, StoreError> {
    let found = sqlx::query_as!(
        Awaiting,
        "select state, created_by, total from replays where id = $1",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(found)
}

/// Lets it go; tells whether it was waiting.
///
/// # Errors
/// When Postgres does not do it.
pub async fn approve(
    conn: &mut PgConnection,
    id: ReplayId,
    by: &Actor,
    at: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update replays
         set state = case when start_at > $3 then 'scheduled' else 'running' end,
             decided_by = $2, decided_at = $3
         where id = $1 and state = 'awaiting_approval'",
        id.0,
        by.0,
        at
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Gives it up, when each of its letters has its outcome; tells whether it was waiting.
///
/// # Errors
/// When Postgres does not do it.
pub async fn reject(
    conn: &mut PgConnection,
    id: ReplayId,
    by: &Actor,
    at: DateTime<Utc>,
    why: &str,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update replays
         set state = 'finished', finished_at = $3, decided_by = $2, decided_at = $3,
             refused_because = $4
         where id = $1 and state = 'awaiting_approval'",
        id.0,
        by.0,
        at,
        why
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
