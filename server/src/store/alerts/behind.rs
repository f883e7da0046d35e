//! What is behind an alert, for whoever is told of it.

use dlo_domain::ids::{GroupId, SourceId};
use sqlx::PgConnection;

use crate::store::StoreError;

/// The letter of a group that arrived last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastLetter {
    /// What went wrong.
    pub error: Option<String>,
    /// The queue that it died in.
    pub queue: Option<String>,
}

/// The letter of a group that arrived last, of those that wait; nothing when none does.
///
/// # Errors
/// When Postgres does not do it.
pub async fn last_of_group(
    conn: &mut PgConnection,
    group: GroupId,
) -> Result<Option<LastLetter>, StoreError> {
    // Of each signature the newest, by its index; groups of more signatures are told by some of them.
    let last = sqlx::query_as!(
        LastLetter,
        "select l.error_message as error, l.queue
         from (select id from signatures where group_id = $1 limit 100) s
         cross join lateral (
             select error_message, queue, last_arrived_at from letters
             where signature = s.id order by last_arrived_at desc, id desc limit 1) l
         order by l.last_arrived_at desc limit 1",
        group.0,
    )
    .fetch_optional(conn)
    .await?;
    Ok(last)
}

/// What is said of the condition of a source.
///
/// # Errors
/// When Postgres does not do it.
pub async fn condition_of(
    conn: &mut PgConnection,
    source: SourceId,
) -> Result<Option<String>, StoreError> {
    let detail =
        sqlx::query_scalar!("select condition_detail from sources where id = $1", source.0)
            .fetch_optional(conn)
            .await?;
    Ok(detail.flatten())
}
