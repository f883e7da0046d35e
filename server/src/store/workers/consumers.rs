//! What brokers say of the queues that workers name.

use chrono::{DateTime, Utc};
use dlo_domain::topology::SeenConsumers;
use dlo_domain::worker::WorkerQueue;
use sqlx::PgConnection;

use crate::store::StoreError;
use crate::store::topology::Place;

/// Queues of one name that a worker's page looks at.
const MOST_QUEUES: i64 = 20;

/// Puts what a read of a vhost told in the place of the one before.
///
/// # Errors
/// When Postgres does not do it.
pub async fn keep(
    conn: &mut PgConnection,
    place: Place<'_>,
    queues: &[SeenConsumers],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let names: Vec<String> = queues.iter().map(|one| one.queue.clone()).collect();
    let counts: Vec<Option<i64>> = queues.iter().map(|one| one.consumers).collect();
    // An array of arrays must be even in Postgres: as JSON they need not be.
    let tags: Vec<Option<serde_json::Value>> =
        queues.iter().map(|one| one.tags.as_ref().map(|tags| serde_json::json!(tags))).collect();
    sqlx::query!(
        "delete from worker_queues where broker = $1 and vhost = $2 and queue <> all($3)",
        place.broker,
        place.vhost,
        &names,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "insert into worker_queues (queue, broker, vhost, read_at, consumers, tags)
         select queue, $1, $2, $3, consumers,
             case when tags is not null
                 then array(select jsonb_array_elements_text(tags)) end
         from unnest($4::text[], $5::bigint[], $6::jsonb[]) as seen (queue, consumers, tags)
         on conflict (queue, broker, vhost) do update set read_at = excluded.read_at,
             consumers = excluded.consumers, tags = excluded.tags",
        place.broker,
        place.vhost,
        now,
        &names,
        &counts as &[Option<i64>],
        &tags as &[Option<serde_json::Value>],
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What was read of queues of this name since `since`; older reads are no opinion.
///
/// # Errors
/// When Postgres does not do it.
pub async fn of_queue(
    conn: &mut PgConnection,
    queue: &str,
    since: DateTime<Utc>,
) -> Result<Vec<WorkerQueue>, StoreError> {
    let queues = sqlx::query_as!(
        WorkerQueue,
        "select broker, vhost, queue, read_at, consumers, tags from worker_queues
         where queue = $1 and read_at >= $2 order by broker, vhost limit $3",
        queue,
        since,
        MOST_QUEUES,
    )
    .fetch_all(conn)
    .await?;
    Ok(queues)
}

/// Removes what was read of brokers and vhosts that are not looked at any more.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!(
        "delete from worker_queues q
         where not exists (select from topology_vhosts v
             where v.broker = q.broker and v.vhost = q.vhost)",
    )
    .execute(conn)
    .await?;
    Ok(())
}
