//! The order of groups: what domain/src/group/impact.rs says of each, kept beside its totals.

use dlo_domain::group::Impact;
use sqlx::PgConnection;
use uuid::Uuid;

use super::totals;
use crate::store::StoreError;

/// Weighs groups. Their totals must be summed up.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub(super) async fn weigh(conn: &mut PgConnection, groups: &[Uuid]) -> Result<(), StoreError> {
    let rows = sqlx::query!(
        r#"select t.group_id, t.critical, t.high, t.normal, t.low, t.last_arrived_at, t.places,
               t.impact, now() as "now!",
               coalesce((
                   select sum(h.arrivals) from signatures s
                   join signature_hours h on h.signature = s.id
                   where s.group_id = t.group_id
                       and h.hour >= date_trunc('hour', now(), 'UTC') - interval '1 hour'
               ), 0)::bigint as "recent!"
           from group_totals t where t.group_id = any($1)"#,
        groups,
    )
    .fetch_all(&mut *conn)
    .await?;
    let (mut ids, mut impacts) = (Vec::new(), Vec::new());
    for row in rows {
        let impact = Impact {
            critical: row.critical,
            high: row.high,
            normal: row.normal,
            low: row.low,
            recent: row.recent,
            last_arrived_at: row.last_arrived_at,
            places: row.places.into(),
        };
        let score = impact.score(row.now);
        if score != row.impact {
            ids.push(row.group_id);
            impacts.push(score);
        }
    }
    sqlx::query!(
        "update group_totals as t set impact = new.impact
         from unnest($1::uuid[], $2::bigint[]) as new (id, impact)
         where t.group_id = new.id",
        &ids,
        &impacts,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// In how many queues the newest letters of groups died, or how many workers had the executions that
/// they name, if those are more; looked at once a minute at most.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub(super) async fn count_places(
    conn: &mut PgConnection,
    groups: &[Uuid],
) -> Result<(), StoreError> {
    sqlx::query!(
        "update group_totals as t
         set places_counted_at = now(), places = (
             select greatest(1, count(distinct newest.queue), count(distinct e.worker)) from (
                 select s.id from signatures s where s.group_id = t.group_id
                 order by s.first_seen_at desc limit 10) as s
             cross join lateral (
                 select l.id, l.queue from letters l where l.signature = s.id
                 order by l.last_arrived_at desc, l.id desc limit 20) as newest
             left join letter_executions x on x.letter_id = newest.id
             left join executions e on e.id = x.execution_id)
         where t.group_id = any($1)
             and (t.places_counted_at is null or t.places_counted_at < now() - interval '1 minute')",
        groups,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Weighs all groups in which something waits, for what time alone changes. Nothing when another
/// office counts at this moment. Call within a transaction.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub async fn weigh_all(conn: &mut PgConnection) -> Result<(), StoreError> {
    if !totals::take_turn(conn).await? {
        return Ok(());
    }
    let groups = sqlx::query_scalar!("select group_id from group_totals where waiting > 0")
        .fetch_all(&mut *conn)
        .await?;
    weigh(conn, &groups).await
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::*;

    async fn impacts(conn: &mut PgConnection) -> Vec<i64> {
        sqlx::query_scalar("select impact from group_totals order by group_id")
            .fetch_all(conn)
            .await
            .expect("impacts")
    }

    /// Two groups with ten normal letters each, the second of them in three queues.
    async fn two_groups(conn: &mut PgConnection) -> Vec<Uuid> {
        sqlx::raw_sql(
            "insert into groups (id, state, state_since, title, why, created_at)
             select lpad(g::text, 32, '0')::uuid, 'open', now(), '', '{}', now()
             from generate_series(1, 2) g;
             insert into signatures (id, version, content, sample_letter_id, first_seen_at, position,
                 group_id)
             select decode(lpad(g::text, 32, '0'), 'hex'), 1, '{}', gen_random_uuid(), now(), g,
                 lpad(g::text, 32, '0')::uuid
             from generate_series(1, 2) g;
             insert into sources (id, broker, vhost, queue, name, mode, configured,
                 condition_since, created_at)
             values (lpad('9', 32, '0')::uuid, 'main', '/', 'dead', 'dead', 'take', false, now(), now());
             insert into letters (id, source_id, state, severity, queue, reason, size_bytes,
                 arrivals, first_arrived_at, last_arrived_at, signature)
             select gen_random_uuid(), lpad('9', 32, '0')::uuid, 'held', 'normal',
                 case g when 1 then 'one' else 'queue ' || n % 3 end, 'rejected', 0, 1, now(), now(),
                 decode(lpad(g::text, 32, '0'), 'hex')
             from generate_series(1, 2) g, generate_series(1, 10) n;",
        )
        .execute(&mut *conn)
        .await
        .expect("two groups");
        let changed = totals::fold(&mut *conn, chrono::DateTime::UNIX_EPOCH).await;
        let changed = changed.expect("folded");
        assert_eq!(changed.len(), 2);
        changed
    }

    #[sqlx::test(migrator = "crate::store::MIGRATOR")]
    async fn what_fails_on_many_workers_of_one_queue_has_spread_too(pool: PgPool) {
        let mut conn = pool.begin().await.expect("a transaction");
        let groups = two_groups(&mut conn).await;
        sqlx::raw_sql(
            "insert into executions (id, key, state, worker, first_seen_at, state_since)
             select 'e' || n, gen_random_uuid(), 'running', 'worker ' || n, now(), now()
             from generate_series(0, 4) n;
             insert into letter_executions (letter_id, arrived_at, execution_id)
             select id, now(), 'e' || row_number() over (order by id) % 5
             from letters where queue = 'one';
             update group_totals set places_counted_at = null",
        )
        .execute(&mut *conn)
        .await
        .expect("executions");
        count_places(&mut conn, &groups).await.expect("counted");
        weigh(&mut conn, &groups).await.expect("weighed");
        assert_eq!(impacts(&mut conn).await, [360, 270]);
    }

    #[sqlx::test(migrator = "crate::store::MIGRATOR")]
    async fn what_spreads_comes_first_and_time_alone_makes_less_of_it(pool: PgPool) {
        let mut conn = pool.begin().await.expect("a transaction");
        two_groups(&mut conn).await;
        let [narrow, wide] = impacts(&mut conn).await[..] else {
            panic!("two groups");
        };
        // 100 for ten normal letters, and four doublings of arrivals.
        assert_eq!((narrow, wide), (180, 270));
        sqlx::raw_sql("update group_totals set last_arrived_at = now() - interval '1 day'")
            .execute(&mut *conn)
            .await
            .expect("a day later");
        weigh_all(&mut conn).await.expect("weighed");
        assert_eq!(impacts(&mut conn).await, [90, 135]);
    }
}
