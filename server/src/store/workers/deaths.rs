//! Deaths in the queues of workers.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::worker::Worker;
use sqlx::PgConnection;

use crate::store::StoreError;

/// Says of workers how many letters arrived from their queues in the last hour, to five minutes.
///
/// # Errors
/// When Postgres does not do it.
pub(super) async fn count(
    conn: &mut PgConnection,
    workers: &mut [Worker],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let mut queues: Vec<&str> = workers.iter().filter_map(|one| one.queue.as_deref()).collect();
    queues.sort_unstable();
    queues.dedup();
    if queues.is_empty() {
        return Ok(());
    }
    let rows = sqlx::query!(
        r#"select queue, sum(arrivals)::bigint as "arrivals!" from queue_deaths
           where slot > $1 and queue = any($2) group by queue"#,
        now - TimeDelta::hours(1),
        &queues as &[&str],
    )
    .fetch_all(conn)
    .await?;
    let died: HashMap<String, i64> =
        rows.into_iter().map(|row| (row.queue, row.arrivals)).collect();
    for worker in workers {
        let queue = worker.queue.as_deref();
        worker.letters_last_hour = queue.map(|queue| died.get(queue).copied().unwrap_or_default());
    }
    Ok(())
}
