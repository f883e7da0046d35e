//! Counters that are the sum of their rows: adding, and folding rows together.

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use sqlx::PgConnection;

use super::StoreError;
use super::alerts::matches;

/// Adds arrivals to the chart's minute, by severity.
///
/// # Errors
/// When Postgres does not do it.
pub async fn add_deaths(
    conn: &mut PgConnection,
    at: DateTime<Utc>,
    by_severity: &[(&str, i64)],
) -> Result<(), StoreError> {
    let minute = at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(at);
    let severities: Vec<String> = by_severity.iter().map(|(word, _)| (*word).to_owned()).collect();
    let arrivals: Vec<i64> = by_severity.iter().map(|(_, count)| *count).collect();
    sqlx::query!(
        "insert into death_counts (minute, severity, arrivals)
         select $1, severity, arrivals
         from unnest($2::text[], $3::bigint[]) as new (severity, arrivals)",
        minute,
        &severities,
        &arrivals,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Adds arrivals to the slot of the queues that they died in.
///
/// # Errors
/// When Postgres does not do it.
pub async fn add_deaths_in(
    conn: &mut PgConnection,
    at: DateTime<Utc>,
    by_queue: &BTreeMap<String, i64>,
) -> Result<(), StoreError> {
    if by_queue.is_empty() {
        return Ok(());
    }
    let queues: Vec<String> = by_queue.keys().cloned().collect();
    let arrivals: Vec<i64> = by_queue.values().copied().collect();
    sqlx::query!(
        "insert into queue_deaths (slot, queue, arrivals)
         select date_bin('5 minutes', $1, 'epoch'), queue, arrivals
         from unnest($2::text[], $3::bigint[]) as new (queue, arrivals)",
        at,
        &queues,
        &arrivals,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Folds the rows of each counter into one. Another office that folds at the same moment does
/// it instead. Call within a transaction.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub async fn fold(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<(), StoreError> {
    let alone = sqlx::query_scalar!(
        r#"select pg_try_advisory_xact_lock(hashtextextended('fold counts', 0)) as "alone!""#,
    )
    .fetch_one(&mut *conn)
    .await?;
    if !alone {
        return Ok(());
    }
    sqlx::query!(
        "with gone as (delete from letter_counts returning source_id, state, severity, letters)
         insert into letter_counts (source_id, state, severity, letters)
         select source_id, state, severity, sum(letters) from gone
         group by source_id, state, severity having sum(letters) <> 0",
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "with gone as (
             delete from death_counts where minute > $1 returning minute, severity, arrivals)
         insert into death_counts (minute, severity, arrivals)
         select minute, severity, sum(arrivals) from gone group by minute, severity",
        now - TimeDelta::minutes(10),
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "with gone as (
             delete from queue_deaths where slot > $1 returning slot, queue, arrivals)
         insert into queue_deaths (slot, queue, arrivals)
         select slot, queue, sum(arrivals) from gone group by slot, queue",
        now - TimeDelta::minutes(10),
    )
    .execute(&mut *conn)
    .await?;
    matches::fold(conn, now - TimeDelta::minutes(10)).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::PgPool;

    async fn total(conn: &mut PgConnection) -> (i64, i64) {
        let row = sqlx::query!(
            r#"select count(*) as "rows!", coalesce(sum(arrivals), 0)::bigint as "arrivals!"
               from death_counts"#,
        )
        .fetch_one(conn)
        .await
        .expect("counted");
        (row.rows, row.arrivals)
    }

    #[sqlx::test(migrator = "crate::store::MIGRATOR")]
    async fn folding_keeps_the_sum(pool: PgPool) {
        let mut conn = pool.begin().await.expect("a transaction");
        let now = DateTime::from_timestamp(1_800_000_000, 0).expect("in range");
        for _ in 0..20 {
            add_deaths(&mut conn, now, &[("high", 3), ("low", 1)]).await.expect("added");
        }
        assert_eq!(total(&mut conn).await, (40, 80));
        fold(&mut conn, now).await.expect("folded");
        assert_eq!(total(&mut conn).await, (2, 80));
    }
}
