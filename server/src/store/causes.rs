//! How much is not well with workers, executions and queues.

use chrono::{DateTime, Utc};
use dlo_domain::causes::{Causes, MOST_STUCK};
use dlo_domain::severity::Severity;
use sqlx::PgConnection;

use super::StoreError;

/// Counts it. Executions that are scheduled since before `stuck_before` are stuck.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
    stuck_before: DateTime<Utc>,
) -> Result<Causes, StoreError> {
    let row = sqlx::query!(
        r#"select
             (select count(*) from workers
                 where state = 'active' and silent_since is not null) as "stale!",
             (select count(*) from (
                 select from executions where state = 'scheduled' and state_since < $2 limit $3
             ) as these) as "stuck!",
             count(*) filter (where kind = 'no_consumer') as "idle!",
             count(*) filter (where severity = 'critical') as "critical!",
             count(*) filter (where severity = 'high') as "high!",
             count(*) filter (where severity = 'normal') as "normal!",
             count(*) filter (where severity = 'low') as "low!"
           from topology_findings
           where resolved_at is null and coalesce(muted_until, '-infinity') <= $1"#,
        now,
        stuck_before,
        MOST_STUCK + 1,
    )
    .fetch_one(conn)
    .await?;
    Ok(Causes {
        at: now,
        stale_workers: row.stale,
        stuck_executions: row.stuck.min(MOST_STUCK),
        stuck_is_least: row.stuck > MOST_STUCK,
        queues_without_consumers: row.idle,
        findings: vec![
            (Severity::Critical, row.critical),
            (Severity::High, row.high),
            (Severity::Normal, row.normal),
            (Severity::Low, row.low),
        ],
    })
}
