//! Deaths, silences and depths of the last day, by slots of five minutes. Everything that is read here
//! is bounded by the time that is kept, and by the most that a timeline shows.

use chrono::{DateTime, Utc};
use dlo_domain::ids::GroupId;
use dlo_domain::timeline::{Away, Axis, Band, KEPT_FOR, MOST_QUEUES, QueueLane};
use sqlx::PgConnection;

use super::StoreError;

/// Times away that one timeline reads, the last ones.
const MOST_BANDS: i64 = 2_000;

/// Arrivals of a time.
pub type Counted = (DateTime<Utc>, i64);

/// All deaths since `from`.
///
/// # Errors
/// When Postgres does not do it.
pub async fn deaths(
    conn: &mut PgConnection,
    from: DateTime<Utc>,
) -> Result<Vec<Counted>, StoreError> {
    let rows = sqlx::query!(
        r#"select date_bin('5 minutes', minute, 'epoch') as "slot!", sum(arrivals)::bigint as "arrivals!"
           from death_counts where minute >= $1 group by 1"#,
        from,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.slot, row.arrivals)).collect())
}

/// The deaths of a group since `from`.
///
/// # Errors
/// When Postgres does not do it.
pub async fn deaths_of_group(
    conn: &mut PgConnection,
    group: GroupId,
    from: DateTime<Utc>,
) -> Result<Vec<Counted>, StoreError> {
    let rows = sqlx::query!(
        r#"select t.slot, sum(t.arrivals)::bigint as "arrivals!"
           from signatures s join signature_slots t on t.signature = s.id
           where s.group_id = $1 and t.slot >= $2 group by t.slot"#,
        group.0,
        from,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.slot, row.arrivals)).collect())
}

/// The deaths in queues of these names since `from`.
///
/// # Errors
/// When Postgres does not do it.
pub async fn deaths_in(
    conn: &mut PgConnection,
    queues: &[String],
    from: DateTime<Utc>,
) -> Result<Vec<Counted>, StoreError> {
    let rows = sqlx::query!(
        r#"select slot, sum(arrivals)::bigint as "arrivals!"
           from queue_deaths where slot >= $2 and queue = any($1) group by slot"#,
        queues,
        from,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.slot, row.arrivals)).collect())
}

/// Whose times away are asked for.
#[derive(Debug, Clone, Copy)]
pub enum Whose<'a> {
    /// All workers'.
    Everybody,
    /// One worker's.
    Worker(&'a str),
    /// Those of the workers of these queues.
    OfQueues(&'a [String]),
}

/// When workers did not take work since `from`: silences that ended after it or last, drains that
/// last, and stops that came after it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn away(
    conn: &mut PgConnection,
    whose: Whose<'_>,
    from: DateTime<Utc>,
) -> Result<Vec<(String, Band)>, StoreError> {
    let (worker, queues) = match whose {
        Whose::Everybody => (None, None),
        Whose::Worker(name) => (Some(name), None),
        Whose::OfQueues(queues) => (None, Some(queues)),
    };
    // The silences of the time first, by their indexes: whose they are is looked up for those alone.
    let rows = sqlx::query!(
        r#"with silences as (
               (select worker, since, null::timestamptz as until from worker_downtimes
                where until is null order by worker limit $4)
               union all
               (select worker, since, until from worker_downtimes
                where until >= $1 and until is not null order by until desc limit $4))
           select w.name as "name!", s.since as "since!", s.until as "until?", 'silent' as "away!"
           from silences s join workers w on w.name = s.worker
           where ($2::text is null or w.name = $2) and ($3::text[] is null or w.queue = any($3))
           union all
           (select name, state_since, null, state from workers
            where (state = 'draining' and silent_since is null or state = 'stopped' and state_since >= $1)
                and ($2::text is null or name = $2) and ($3::text[] is null or queue = any($3))
            order by state_since desc limit $4)"#,
        from,
        worker,
        queues,
        MOST_BANDS,
    )
    .fetch_all(conn)
    .await?;
    let bands = rows.into_iter().map(|row| {
        let band = Band {
            since: row.since,
            until: row.until,
            away: match row.away.as_str() {
                "draining" => Away::Draining,
                "stopped" => Away::Stopped,
                _ => Away::Silent,
            },
        };
        (row.name, band)
    });
    Ok(bands.collect())
}

/// The queues in which messages were since the axis begins, of these names or of all, those that grew
/// most first; and how many more there were.
///
/// # Errors
/// When Postgres does not do it.
pub async fn depths(
    conn: &mut PgConnection,
    names: Option<&[String]>,
    axis: &Axis,
) -> Result<(Vec<QueueLane>, i64), StoreError> {
    let most = i64::try_from(MOST_QUEUES).unwrap_or(i64::MAX);
    let chosen = sqlx::query!(
        r#"select broker, vhost, queue, count(*) over () as "all!"
           from queue_depths
           where slot >= $1 and ($2::text[] is null or queue = any($2))
           group by broker, vhost, queue having max(depth) > 0
           order by max(depth) - min(depth) desc, max(depth) desc, queue, vhost, broker limit $3"#,
        axis.from,
        names,
        most,
    )
    .fetch_all(&mut *conn)
    .await?;
    let all = chosen.first().map_or(0, |row| row.all);
    let mut lanes = Vec::new();
    for row in chosen {
        let seen = sqlx::query!(
            "select slot, depth from queue_depths
             where slot >= $1 and queue = $2 and broker = $3 and vhost = $4",
            axis.from,
            row.queue,
            row.broker,
            row.vhost,
        )
        .fetch_all(&mut *conn)
        .await?;
        lanes.push(QueueLane {
            broker: row.broker,
            vhost: row.vhost,
            queue: row.queue,
            depths: axis.peaks(seen.into_iter().map(|one| (one.slot, one.depth))),
        });
    }
    Ok((lanes, (all - most).max(0)))
}

/// Removes what no timeline reaches back to.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<(), StoreError> {
    let before = now - KEPT_FOR;
    sqlx::query!("delete from signature_slots where slot < $1", before).execute(&mut *conn).await?;
    sqlx::query!("delete from queue_deaths where slot < $1", before).execute(&mut *conn).await?;
    sqlx::query!("delete from queue_depths where slot < $1", before).execute(conn).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
