//! How much is not well with workers, executions and queues.

use chrono::{DateTime, Utc};
use dlo_domain::causes::{Behind, Causes, MOST_BEHIND, MOST_STUCK};
use dlo_domain::severity::Severity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;
use super::alerts::list;

/// Counts it. Executions that were not begun and stand where they are since before
/// `stuck_before` are stuck.
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
                 where state <> 'stopped' and silent_since is not null) as "stale!",
             (select count(*) from (
                 select from executions
                 where state in ('requested', 'scheduling', 'scheduled') and state_since < $2
                 limit $3) as these) as "stuck!",
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
    .fetch_one(&mut *conn)
    .await?;
    Ok(Causes {
        at: now,
        firing_alerts: list::firing_by_severity(conn).await?,
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

/// The workers and executions that stand behind letters, those with the most letters first.
///
/// # Errors
/// When Postgres does not do it.
pub async fn behind(conn: &mut PgConnection, letters: &[Uuid]) -> Result<Behind, StoreError> {
    // Letters by queue first: a queue may have as many workers as there are.
    let workers = sqlx::query!(
        r#"select w.name, died.letters as "letters!"
           from (select queue, count(*) as letters from letters where id = any($1) group by queue)
               as died
           join workers w on w.queue = died.queue
           order by died.letters desc, w.name limit $2"#,
        letters,
        MOST_BEHIND,
    )
    .fetch_all(&mut *conn)
    .await?;
    let executions = sqlx::query!(
        r#"select execution_id, count(distinct letter_id) as "letters!" from letter_executions
           where letter_id = any($1)
           group by execution_id order by 2 desc, 1 limit $2"#,
        letters,
        MOST_BEHIND,
    )
    .fetch_all(conn)
    .await?;
    Ok(Behind {
        letters: i64::try_from(letters.len()).unwrap_or(i64::MAX),
        workers: workers.into_iter().map(|row| (row.name, row.letters)).collect(),
        executions: executions.into_iter().map(|row| (row.execution_id, row.letters)).collect(),
    })
}
