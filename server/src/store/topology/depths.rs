//! How full queues were, by slots of five minutes. What is too old is removed with what else timelines
//! are made of.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::super::StoreError;
use super::Place;

/// Queues that workers name, which are looked at.
const MOST_OF_WORKERS: i64 = 500;

/// The queues that workers name, the first 500 by name.
///
/// # Errors
/// When Postgres does not do it.
pub async fn of_workers(conn: &mut PgConnection) -> Result<BTreeSet<String>, StoreError> {
    let of_workers = sqlx::query_scalar!(
        r#"select distinct queue as "queue!" from workers where queue is not null
           order by 1 limit $1"#,
        MOST_OF_WORKERS,
    )
    .fetch_all(conn)
    .await?;
    Ok(of_workers.into_iter().collect())
}

/// Writes down what is in queues now; of a slot the most counts.
///
/// # Errors
/// When Postgres does not do it.
pub async fn note(
    conn: &mut PgConnection,
    place: Place<'_>,
    depths: &[(&str, i64)],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let names: Vec<String> = depths.iter().map(|one| one.0.to_owned()).collect();
    let counts: Vec<i64> = depths.iter().map(|one| one.1).collect();
    sqlx::query!(
        "insert into queue_depths as d (slot, queue, broker, vhost, depth)
         select date_bin('5 minutes', $5, 'epoch'), queue, $1, $2, depth
         from unnest($3::text[], $4::bigint[]) as seen (queue, depth)
         on conflict (slot, queue, broker, vhost)
         do update set depth = excluded.depth where d.depth < excluded.depth",
        place.broker,
        place.vhost,
        &names,
        &counts,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
