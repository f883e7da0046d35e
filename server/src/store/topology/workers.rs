//! Whose queue it is, by what workers say in their heartbeats.

use std::collections::HashMap;

use dlo_domain::replay::WorkersThere;
use dlo_domain::worker::Condition;
use sqlx::PgConnection;

use crate::store::StoreError;

/// Workers of one queue that are told.
const MOST: i64 = 20;

/// The workers that name this queue, by name, and how each is; the first 20.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn of_queue(
    conn: &mut PgConnection,
    queue: &str,
) -> Result<Vec<(String, Condition)>, StoreError> {
    let rows = sqlx::query!(
        r#"select name, case when state = 'stopped' then 'stopped' when state = 'draining' then 'draining'
               when silent_since is null then 'fresh' else 'stale' end as "condition!"
           from workers where queue = $1 order by name limit $2"#,
        queue,
        MOST,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let condition = row.condition.parse();
            let condition =
                condition.map_err(|why| StoreError::corrupt("workers", "state", why))?;
            Ok((row.name, condition))
        })
        .collect()
}

/// How the workers of queues are, counted. Queues that no worker names are left out.
///
/// # Errors
/// When Postgres does not do it.
pub async fn of_queues(
    conn: &mut PgConnection,
    queues: &[&str],
) -> Result<HashMap<String, WorkersThere>, StoreError> {
    let rows = sqlx::query!(
        r#"select queue as "queue!",
             count(*) filter (where state = 'stopped') as "stopped!",
             count(*) filter (where state = 'draining' and silent_since is null) as "draining!",
             count(*) filter (where state <> 'stopped' and silent_since is not null) as "stale!",
             count(*) filter (where state = 'active' and silent_since is null) as "fresh!"
           from workers where queue = any($1) group by queue"#,
        queues as &[&str],
    )
    .fetch_all(conn)
    .await?;
    let counted = rows.into_iter().map(|row| {
        let there = WorkersThere {
            fresh: row.fresh,
            stale: row.stale,
            draining: row.draining,
            stopped: row.stopped,
        };
        (row.queue, there)
    });
    Ok(counted.collect())
}
