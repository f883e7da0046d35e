//! How full queues were, by slots of five minutes. What is too old is removed with what else timelines
//! are made of.

use chrono::{DateTime, Utc};
use dlo_domain::topology::{QueueDepth, WorkerQueues};
use sqlx::PgConnection;

use super::super::StoreError;
use super::Place;

/// Queues that workers name, which are looked at.
const MOST_OF_WORKERS: usize = 500;

/// The queues that workers name, the first 500 by name. A queue is a worker's own when no other names it,
/// and the worker is a numbered one of its kind: the queue of a service is whoever's runs that service,
/// and of workers that come and go under random names the next takes what one leaves.
///
/// # Errors
/// When Postgres does not do it.
pub async fn of_workers(conn: &mut PgConnection) -> Result<WorkerQueues, StoreError> {
    let rows = sqlx::query!(
        r#"select queue as "queue!", min(name) as "worker!",
               count(*) = 1 and bool_and(kind <> name and not is_autoscaled) as "is_own!"
           from workers where queue is not null
           group by queue order by queue limit $1"#,
        i64::try_from(MOST_OF_WORKERS).unwrap_or(i64::MAX) + 1,
    )
    .fetch_all(conn)
    .await?;
    let mut found =
        WorkerQueues { is_cut: rows.len() > MOST_OF_WORKERS, ..WorkerQueues::default() };
    for row in rows.into_iter().take(MOST_OF_WORKERS) {
        if row.is_own {
            found.own.insert(row.queue.clone(), row.worker);
        }
        found.named.insert(row.queue);
    }
    Ok(found)
}

/// Writes down what is in queues now; of a slot the most counts, and what waits as it was seen last.
///
/// # Errors
/// When Postgres does not do it.
pub async fn note(
    conn: &mut PgConnection,
    place: Place<'_>,
    depths: &[QueueDepth<'_>],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let names: Vec<String> = depths.iter().map(|one| one.queue.to_owned()).collect();
    let counts: Vec<i64> = depths.iter().map(|one| one.depth).collect();
    let waiting: Vec<i64> = depths.iter().map(|one| one.waiting).collect();
    sqlx::query!(
        "insert into queue_depths as d (slot, queue, broker, vhost, depth, waiting)
         select date_bin('5 minutes', $6, 'epoch'), queue, $1, $2, depth, waiting
         from unnest($3::text[], $4::bigint[], $5::bigint[]) as seen (queue, depth, waiting)
         on conflict (slot, queue, broker, vhost)
         do update set depth = greatest(d.depth, excluded.depth), waiting = excluded.waiting
         where d.depth < excluded.depth or d.waiting <> excluded.waiting",
        place.broker,
        place.vhost,
        &names,
        &counts,
        &waiting,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
