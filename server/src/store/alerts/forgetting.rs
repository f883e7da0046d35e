//! Forgets what has been over for long.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::store::StoreError;

/// Forgets some alerts that were over before a time, with their course and with what channels were told, and some
/// silences that had ended. Tells how many.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn forget_some(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<u64, StoreError> {
    // What waits for a channel is told first, however long that takes.
    let alerts = sqlx::query!(
        "delete from alerts where id in (
             select id from alerts a where resolved_at < $1
                 and not exists (select from notifications n where n.alert_id = a.id and n.sent_at is null)
             order by resolved_at, id limit $2)",
        before,
        limit,
    )
    .execute(&mut *conn)
    .await?;
    let silences = sqlx::query!(
        "delete from alert_silences where id in (
             select id from alert_silences where until < $1 order by until limit $2)",
        before,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(alerts.rows_affected() + silences.rows_affected())
}
