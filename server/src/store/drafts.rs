//! Bodies that are being edited by hand: kept for a day between writing and sending.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::changing::Shape;
use dlo_domain::ids::LetterId;
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;

/// A body that is being edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its id.
    pub id: Uuid,
    /// The letter.
    pub letter: LetterId,
    /// The arrival that it was begun from.
    pub ordinal: i32,
    /// Who wrote it.
    pub made_by: String,
    /// When.
    pub made_at: DateTime<Utc>,
    /// The bytes.
    pub body: Vec<u8>,
    /// In place of the arrival's content type.
    pub content_type: Option<String>,
    /// How it was written.
    pub shape: Shape,
}

/// Removes drafts that nobody sent within a day.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget_old(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<(), StoreError> {
    let before = now - TimeDelta::days(1);
    sqlx::query!("delete from drafts where made_at < $1", before).execute(conn).await?;
    Ok(())
}

/// Keeps a draft.
///
/// # Errors
/// When Postgres does not do it.
pub async fn keep(conn: &mut PgConnection, draft: &Draft) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into drafts (id, letter_id, ordinal, made_by, made_at, body, content_type, shape)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        draft.id,
        draft.letter.0,
        draft.ordinal,
        draft.made_by,
        draft.made_at,
        draft.body,
        draft.content_type,
        draft.shape.as_str()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A draft of a letter, or nothing when there is none (any more).
///
/// # Errors
/// When Postgres does not do it or the row cannot be read.
pub async fn find(
    conn: &mut PgConnection,
    id: Uuid,
    letter: LetterId,
) -> Result<Option<Draft>, StoreError> {
    let row = sqlx::query!(
        "select ordinal, made_by, made_at, body, content_type, shape from drafts
         where id = $1 and letter_id = $2",
        id,
        letter.0
    )
    .fetch_optional(conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let shape = row.shape.parse().map_err(|why| StoreError::corrupt("drafts", "shape", why))?;
    Ok(Some(Draft {
        id,
        letter,
        ordinal: row.ordinal,
        made_by: row.made_by,
        made_at: row.made_at,
        body: row.body,
        content_type: row.content_type,
        shape,
    }))
}
