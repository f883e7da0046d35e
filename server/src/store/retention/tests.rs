use super::*;
use crate::clock::{Clock as _, ManualClock, new_id};
use crate::fixture::{self, noon as now};
use chrono::TimeDelta;
use dlo_domain::ids::SourceId;
use sqlx::PgPool;
use uuid::Uuid;

const DAY: Duration = Duration::from_hours(24);
const KEPT: Retention = Retention {
    resolved: Duration::from_hours(24 * 30),
    discarded: Duration::from_hours(24 * 60),
    replays: Duration::from_hours(24 * 90),
};

/// A database with a source and the weeks of the last half year.
async fn database(pool: &PgPool) -> (sqlx::pool::PoolConnection<sqlx::Postgres>, Uuid) {
    let mut conn = pool.acquire().await.expect("a connection");
    weeks::make(&mut conn, now() - 180 * DAY, now()).await.expect("weeks");
    let SourceId(source) = fixture::source(pool).await;
    (conn, source)
}

/// A letter that arrived so many days ago, and is in its state since so many.
async fn letter(
    conn: &mut PgConnection,
    source: Uuid,
    arrived: i64,
    state: &str,
    since: i64,
) -> Uuid {
    let at = now() - TimeDelta::days(arrived);
    let id = new_id(&ManualClock::at(at));
    sqlx::query(
        "with letter as (
             insert into letters (id, source_id, state, severity, reason, size_bytes, arrivals,
                 first_arrived_at, last_arrived_at, state_since, claimed_at)
             values ($1, $2, $3, 'low', 'expired', 0, 1, $4, $4, $5, $5) returning id)
         insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange, routing_key,
             properties, headers, deaths, body, body_sha256)
         select id, 1, $4, $2, '', '', '{}', '[]', '[]', '', '' from letter",
    )
    .bind(id)
    .bind(source)
    .bind(state)
    .bind(at)
    .bind(now() - TimeDelta::days(since))
    .execute(conn)
    .await
    .expect("a letter");
    id
}

async fn ids(conn: &mut PgConnection, query: &'static str) -> Vec<Uuid> {
    sqlx::query_scalar(query).fetch_all(conn).await.expect("read")
}

async fn counted(conn: &mut PgConnection) -> i64 {
    sqlx::query_scalar("select coalesce(sum(letters), 0)::bigint from letter_counts")
        .fetch_one(conn)
        .await
        .expect("summed")
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn what_is_done_and_old_goes_and_what_waits_stays(pool: PgPool) {
    let (mut conn, source) = database(&pool).await;
    let mut kept = vec![
        letter(&mut conn, source, 170, "held", 170).await,
        letter(&mut conn, source, 169, "unknown", 169).await,
        letter(&mut conn, source, 168, "resolved", 29).await,
        letter(&mut conn, source, 90, "discarded", 59).await,
        letter(&mut conn, source, 1, "replayed", 1).await,
    ];
    letter(&mut conn, source, 168, "resolved", 31).await;
    letter(&mut conn, source, 90, "discarded", 61).await;
    let removed = remove_due(&mut conn, KEPT, now()).await.expect("removed");
    assert_eq!(removed, 2);
    kept.sort();
    assert_eq!(ids(&mut conn, "select id from letters order by id").await, kept);
    let bodies = ids(&mut conn, "select letter_id from arrivals order by letter_id").await;
    assert_eq!(bodies, kept, "a letter goes with its bodies, and no other body does");
    assert_eq!(counted(&mut conn).await, 5);
    assert_eq!(remove_due(&mut conn, KEPT, now()).await.expect("again"), 0);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_week_in_which_all_is_due_is_dropped_whole(pool: PgPool) {
    let (mut conn, source) = database(&pool).await;
    for _ in 0..5 {
        letter(&mut conn, source, 100, "resolved", 90).await;
        letter(&mut conn, source, 100, "discarded", 90).await;
    }
    let before = weeks::all(&mut conn).await.expect("read").len();
    let removed = remove_due(&mut conn, KEPT, now()).await.expect("removed");
    assert_eq!(removed, 10);
    assert_eq!(counted(&mut conn).await, 0);
    // The empty weeks of long ago go with it.
    let after = weeks::all(&mut conn).await.expect("read");
    assert!(after.len() < before);
    assert!(after[0].end() > now() - KEPT.discarded);
    let trail: Vec<String> = sqlx::query_scalar("select detail from audit order by id")
        .fetch_all(&mut *conn)
        .await
        .expect("read");
    assert!(trail.iter().any(|line| line.starts_with("10 letters of the week")), "{trail:?}");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_week_that_somebody_reads_is_left_for_later(pool: PgPool) {
    let (mut conn, source) = database(&pool).await;
    letter(&mut conn, source, 100, "resolved", 90).await;
    let mut reader = pool.begin().await.expect("a transaction");
    ids(&mut reader, "select id from letters").await;
    // The rows go at once, the table when nobody stands in the way.
    let removed = remove_due(&mut conn, KEPT, now()).await.expect("removed");
    assert_eq!((removed, counted(&mut conn).await), (1, 0));
    let before = weeks::all(&mut conn).await.expect("read").len();
    reader.commit().await.expect("ended");
    remove_due(&mut conn, KEPT, now()).await.expect("removed");
    assert!(weeks::all(&mut conn).await.expect("read").len() < before);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn the_state_tells_since_when(pool: PgPool) {
    let (mut conn, source) = database(&pool).await;
    let id = letter(&mut conn, source, 100, "held", 100).await;
    for (statement, moved) in [
        ("update letters set replays = 1 where id = $1", false),
        ("update letters set state = 'discarded' where id = $1", true),
    ] {
        sqlx::query(statement).bind(id).execute(&mut *conn).await.expect("changed");
        let recent: bool = sqlx::query_scalar(
            "select state_since > now() - interval '1 hour' from letters where id = $1",
        )
        .bind(id)
        .fetch_one(&mut *conn)
        .await
        .expect("read");
        assert_eq!(recent, moved, "{statement}");
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_shared_clock_that_jumps_a_month_removes_no_more_than_fell_due(pool: PgPool) {
    let (mut conn, source) = database(&pool).await;
    sqlx::query("update retention_pace set horizon = $1, passed_at = $1")
        .bind(now())
        .execute(&mut *conn)
        .await
        .expect("set");
    letter(&mut conn, source, 61, "discarded", 31).await;
    let clock = ManualClock::at(now());
    let minutes = TimeDelta::minutes(10);
    clock.advance(TimeDelta::days(40) + minutes);
    let own = OwnPass { elapsed: minutes, at: now() };
    let pace = pass(&mut conn, &clock, Some(own)).await.expect("a pass");
    assert_eq!(pace.horizon, now() + minutes);
    assert_eq!(horizon(&mut conn).await.expect("read"), pace.horizon);
    let removed = remove_due(&mut conn, KEPT, pace.horizon).await;
    assert_eq!(removed.expect("nothing is due"), 0);
    let by_the_clock = remove_due(&mut conn, KEPT, clock.now()).await;
    assert_eq!(by_the_clock.expect("removed"), 1, "which the clock alone would remove");
}
