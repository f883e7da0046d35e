//! Executions, and the workers that have them.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

use super::{Figure, MOST_COUNTED};
use crate::store::StoreError;

/// Executions that were failed because of time, in the worse of this minute and the one before.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn execution_timeouts(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let worst = sqlx::query_scalar!(
        r#"select coalesce(max(timeouts), 0)::bigint as "worst!"
           from (select minute, sum(timeouts) as timeouts from execution_minutes
                 where minute > $1 and minute <= $2 group by minute) as minutes"#,
        now - TimeDelta::minutes(2),
        now,
    )
    .fetch_one(conn)
    .await?;
    Ok(Figure::of_all(worst))
}

/// Workers that are heard; nothing while none is known.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn active_workers(conn: &mut PgConnection) -> Result<Vec<Figure>, StoreError> {
    let row = sqlx::query!(
        r#"select count(*) filter (where state = 'active' and silent_since is null) as "active!",
             count(*) as "known!"
           from workers"#,
    )
    .fetch_one(conn)
    .await?;
    Ok(if row.known == 0 { Vec::new() } else { Figure::of_all(row.active) })
}

/// Executions that are scheduled since before a time, up to a thousand and one.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn stuck_executions(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    let stuck = sqlx::query_scalar!(
        r#"select count(*) as "stuck!" from (
             select from executions where state = 'scheduled' and state_since < $1 limit $2) as these"#,
        before,
        MOST_COUNTED + 1,
    )
    .fetch_one(conn)
    .await?;
    Ok(Figure::of_all(stuck))
}
