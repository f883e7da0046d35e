use super::*;
use crate::clock::{ManualClock, new_id};
use sqlx::PgPool;

fn time(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

#[test]
fn a_week_goes_from_monday_to_monday() {
    let week = Week::of(time("2026-11-21T12:00:00Z"));
    assert_eq!(week.part_of("letters"), "letters_20261116");
    assert_eq!(week.end(), time("2026-11-23T00:00:00Z"));
    assert_eq!(Week::of(time("2026-11-16T00:00:00Z")), week);
    assert_eq!(Week::of(time("2026-11-15T23:59:59Z")).next(), week);
    assert_eq!(Week::of_part("letters_20261116"), Some(week));
    assert_eq!(Week::of_part("letters_elsewhen"), None);
}

#[test]
fn an_id_lies_in_the_week_that_it_was_made_in() {
    for at in ["2026-11-16T00:00:00Z", "2026-11-22T23:59:59.999999Z"] {
        let id = new_id(&ManualClock::at(time(at)));
        let week = Week::of(time(at));
        assert!(first_id(week.begin()) <= id && id < first_id(week.end()), "{at}");
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn weeks_are_made_once_and_ahead(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let now = time("2026-11-21T12:00:00Z");
    for _ in 0..2 {
        make(&mut conn, time("2026-11-09T00:00:00Z"), now).await.expect("made");
    }
    let weeks = all(&mut conn).await.expect("read");
    let first = Week::of(time("2026-11-09T00:00:00Z"));
    let expected: Vec<Week> =
        std::iter::successors(Some(first), |week| Some(week.next())).take(5).collect();
    assert_eq!(weeks, expected);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn bodies_are_compressed_in_every_week(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let now = time("2026-11-21T12:00:00Z");
    make(&mut conn, now, now).await.expect("made");
    let (weeks, compressed): (i64, i64) = sqlx::query_as(
        "select count(*), count(*) filter (where attcompression = 'l' and attstorage = 'x')
         from pg_partition_tree('arrivals') join pg_attribute on attrelid = relid
         where attname = 'body'",
    )
    .fetch_one(&mut *conn)
    .await
    .expect("read");
    assert!(weeks > 2, "{weeks}");
    assert_eq!(compressed, weeks);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_week_whose_letters_are_there_already_is_left_out(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    let now = time("2026-11-21T12:00:00Z");
    let id = new_id(&ManualClock::at(now));
    sqlx::query(
        "with source as (
             insert into sources (id, broker, vhost, queue, name, mode, configured,
                 condition_since, created_at)
             values ($1, 'main', '/', 'dead', 'dead', 'take', false, now(), now()) returning id)
         insert into letters (id, source_id, state, severity, reason, size_bytes, arrivals,
             first_arrived_at, last_arrived_at)
         select $1, id, 'held', 'low', 'expired', 0, 1, now(), now() from source",
    )
    .bind(id)
    .execute(&mut *conn)
    .await
    .expect("a letter");
    make(&mut conn, now, now).await.expect("the others are made");
    let weeks = all(&mut conn).await.expect("read");
    assert_eq!(weeks.first(), Some(&Week::of(now).next()));
    let kept: i64 = sqlx::query_scalar("select count(*) from letters where id = $1")
        .bind(id)
        .fetch_one(&mut *conn)
        .await
        .expect("counted");
    assert_eq!(kept, 1);
}
