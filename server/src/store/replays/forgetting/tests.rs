//! Replays go with their letters, and never before.

use chrono::TimeDelta;
use sqlx::PgPool;

use super::*;
use crate::fixture::{self, noon as now};

async fn run(conn: &mut PgConnection, statement: &'static str) {
    sqlx::query(statement).execute(conn).await.expect("it is done");
}

async fn count(conn: &mut PgConnection, of: &'static str) -> i64 {
    let counted = sqlx::query_scalar(of).fetch_one(conn).await;
    counted.expect("counted")
}

/// A replay that was over so many days ago, of letters of which each has a state, or is gone. Letters
/// are numbered on, so that no two replays have one in common.
async fn replay(conn: &mut PgConnection, days: Option<i64>, letters: &[Option<&str>]) -> ReplayId {
    let replays = count(conn, "select count(*) from replays").await;
    let id = Uuid::from_u128(u128::try_from(replays + 1).expect("few"));
    let over = days.map(|days| now() - TimeDelta::days(days));
    sqlx::query(
        "insert into replays
             (id, state, target, created_by, created_at, finished_at, total, pending)
         values ($1, 'finished', '{}', 'anna', $2, $3, $4, 0)",
    )
    .bind(id)
    .bind(now())
    .bind(over)
    .bind(i64::try_from(letters.len()).expect("few"))
    .execute(&mut *conn)
    .await
    .expect("a replay");
    for (position, state) in (0_i32..).zip(letters) {
        let letter = Uuid::from_u128((id.as_u128() << 64) + u128::from(position.unsigned_abs()));
        sqlx::query(
            "with item as (
                 insert into replay_items
                     (replay_id, position, letter_id, attempt, vhost, broker, outcome)
                 values ($1, $2, $3, 1, '/', 'main', 'settled') returning letter_id),
             body as (
                 insert into replay_bodies (letter_id, replay_id, ordinal, body, body_sha256)
                 select letter_id, $1, 1, '', '' from item),
             try as (
                 insert into retries (letter_id, ordinal, course, number, policy_id, state,
                     planned_at, due_at, taken_at, replay_id)
                 select letter_id, 1, 1, 1, (select id from retry_policies), 'taken', $5, $5, $5, $1
                 from item)
             insert into letters (id, source_id, state, severity, reason, size_bytes, arrivals,
                 first_arrived_at, last_arrived_at, claimed_at)
             select letter_id, (select id from sources), $4, 'low', 'expired', 0, 1, $5, $5, $5
             from item where $4 is not null",
        )
        .bind(id)
        .bind(position)
        .bind(letter)
        .bind(state)
        .bind(now())
        .execute(&mut *conn)
        .await
        .expect("a letter");
    }
    ReplayId(id)
}

async fn database(pool: &PgPool) -> sqlx::pool::PoolConnection<sqlx::Postgres> {
    let mut conn = pool.acquire().await.expect("a connection");
    fixture::source(pool).await;
    run(
        &mut conn,
        "insert into retry_policies (id, position, name, policy, enabled, changed_by, changed_at,
             breaker_since, budget_at)
         values (gen_random_uuid(), 1, 'again', '{}', false, 'anna', now(), now(), now())",
    )
    .await;
    conn
}

/// Takes steps until all were looked at. Tells how many, and how many replays are gone.
async fn forget(conn: &mut PgConnection, bounds: Bounds) -> (usize, u64) {
    let before = now() - TimeDelta::days(90);
    let (mut steps, mut gone, mut place) = (0, 0, None);
    loop {
        let done = step(conn, before, place, bounds).await.expect("a step");
        (steps, gone, place) = (steps + 1, gone + done.replays, done.next);
        assert!(steps < 100, "it comes to an end");
        if place.is_none() {
            return (steps, gone);
        }
    }
}

async fn kept(conn: &mut PgConnection) -> Vec<ReplayId> {
    let ids: Vec<Uuid> = sqlx::query_scalar("select id from replays order by id")
        .fetch_all(conn)
        .await
        .expect("read");
    ids.into_iter().map(ReplayId).collect()
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn only_replays_that_are_over_for_long_and_have_no_letter_left_are_forgotten(pool: PgPool) {
    let mut conn = database(&pool).await;
    let gone = [None, None];
    replay(&mut conn, Some(91), &gone).await;
    let young = replay(&mut conn, Some(89), &gone).await;
    let under_way = replay(&mut conn, None, &gone).await;
    let mut expected = vec![young, under_way];
    for state in ["held", "scheduled", "replayed", "unknown", "resolved"] {
        expected.push(replay(&mut conn, Some(400), &[None, Some(state)]).await);
    }
    replay(&mut conn, Some(91), &[]).await;
    assert_eq!(forget(&mut conn, Bounds::default()).await.1, 2);
    assert_eq!(kept(&mut conn).await, expected);
    // What is kept is whole, and nothing else is left.
    for (of, whole) in [
        ("select count(*) from replay_items", 14),
        ("select count(*) from replay_bodies", 14),
        ("select count(*) from retries", 14),
    ] {
        assert_eq!(count(&mut conn, of).await, whole, "{of}");
    }
    // With their letters they go.
    run(&mut conn, "delete from letters").await;
    assert_eq!(forget(&mut conn, Bounds::default()).await.1, 5);
    assert_eq!(kept(&mut conn).await, [young, under_way]);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn steps_are_small_however_large_a_replay_is(pool: PgPool) {
    let mut conn = database(&pool).await;
    let bounds = Bounds { replays: 3, items: 4 };
    replay(&mut conn, Some(100), &[None; 13]).await;
    let large = replay(&mut conn, Some(101), &[None; 9]).await;
    run(
        &mut conn,
        "insert into letters (id, source_id, state, severity, reason, size_bytes, arrivals,
             first_arrived_at, last_arrived_at)
         select letter_id, (select id from sources), 'held', 'low', 'expired', 0, 1, now(), now()
         from replay_items where position = 0
             and replay_id = (select id from replays where total = 9)",
    )
    .await;
    for _ in 0..8 {
        replay(&mut conn, Some(95), &[None]).await;
    }
    // The first step comes no further than the large one that is kept; the second removes a part.
    let before = now() - TimeDelta::days(90);
    let first = step(&mut conn, before, None, bounds).await.expect("a step");
    let second = step(&mut conn, before, first.next, bounds).await;
    assert_eq!(second.expect("a step").replays, 0);
    let left = count(&mut conn, "select count(*) from replay_items").await;
    assert_eq!(left, 9 + 13 - 4 + 8);
    let (steps, gone) = forget(&mut conn, bounds).await;
    assert_eq!(gone, 9);
    assert!(steps >= 6, "{steps}");
    assert_eq!(kept(&mut conn).await, [large]);
    let left = count(&mut conn, "select count(*) from replay_items").await;
    assert_eq!(left, 9, "the one that is kept has all of its letters");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn tries_that_were_never_made_are_forgotten_after_the_same_time(pool: PgPool) {
    let mut conn = database(&pool).await;
    sqlx::query(
        "insert into retries
             (letter_id, ordinal, course, number, policy_id, state, planned_at, due_at)
         select gen_random_uuid(), 1, 1, 1, (select id from retry_policies), state,
             $1 - make_interval(days => days), $1
         from unnest(array['withdrawn', 'waiting']) as state, unnest(array[89, 91]) as days",
    )
    .bind(now())
    .execute(&mut *conn)
    .await
    .expect("tries");
    let before = now() - TimeDelta::days(90);
    let gone = forget_withdrawn(&mut conn, before, 10).await;
    assert_eq!(gone.expect("removed"), 1);
    let left = "select count(*) from retries where state = 'withdrawn'";
    assert_eq!(count(&mut conn, left).await, 1);
    assert_eq!(count(&mut conn, "select count(*) from retries").await, 3);
}
