//! Texts come into the index a few at a time, once, and as they are in the end.

use sqlx::{Executor as _, PgPool};

use super::*;

const PARTS: IndexedParts = IndexedParts { headers: true, body_bytes: 1_024 };

async fn number(conn: &mut PgConnection, query: &'static str) -> i64 {
    sqlx::query_scalar(query).fetch_one(conn).await.expect("counted")
}

/// Letters 1 to `count`, of "no stock" and their number, with an extract each.
async fn letters(conn: &mut PgConnection, count: i32) {
    sqlx::query(
        "with source as (
             insert into sources (id, broker, vhost, queue, name, mode, configured, condition_since,
                 created_at)
             values (gen_random_uuid(), 'main', '/', 'dead', 'dead', 'take', false, now(), now())
             returning id),
         numbers as (
             select lpad(to_hex(n), 32, '0')::uuid as letter_id, n from generate_series(1, $1) as n),
         extracts as (
             insert into extracts (letter_id, headers, excerpt_bytes)
             select letter_id, '{}', 5 from numbers),
         arrivals as (
             insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange, routing_key,
                 properties, headers, deaths, body, body_sha256)
             select letter_id, 1, now(), source.id, '', '', '{}', '[]', '[]',
                 convert_to('ÉABCDEF', 'UTF8'), ''
             from numbers, source)
         insert into letters (id, source_id, state, severity, reason, error_message, size_bytes,
             arrivals, first_arrived_at, last_arrived_at)
         select letter_id, source.id, 'held', 'high', 'rejected', 'No stock ' || n, 8, 1, now(), now()
         from numbers, source",
    )
    .bind(count)
    .execute(conn)
    .await
    .expect("letters");
}

fn id(number: u128) -> LetterId {
    LetterId(Uuid::from_u128(number))
}

async fn text(conn: &mut PgConnection, number: u128) -> Option<String> {
    sqlx::query_scalar("select text from texts where letter_id = $1")
        .bind(id(number).0)
        .fetch_optional(conn)
        .await
        .expect("a text")
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn texts_are_indexed_a_few_at_a_time(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    letters(&mut conn, 900).await;
    // They wait in pages of 400.
    for wanted in [400, 500, 0] {
        let indexed = index_some(&mut conn, if wanted == 400 { 1 } else { 401 }, PARTS).await;
        assert_eq!(indexed.expect("indexed"), wanted);
    }
    assert_eq!(number(&mut conn, "select count(*) from texts").await, 900);
    assert_eq!(number(&mut conn, "select count(*) from unindexed_letters").await, 0);
    assert_eq!(text(&mut conn, 7).await.as_deref(), Some("no stock 7\nÉabc"));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_text_that_became_another_is_indexed_again(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    letters(&mut conn, 3).await;
    index_some(&mut conn, 10, PARTS).await.expect("indexed");
    conn.execute(
        "update letters set error_message = 'Late' where right(id::text, 1) in ('2', '3')",
    )
    .await
    .expect("updated");
    let now = [id(1), id(2), id(3)];
    index_again(&mut conn, &now).await.expect("queued");
    assert_eq!(number(&mut conn, "select count(*) from texts").await, 1);
    index_again(&mut conn, &now).await.expect("queued once");
    assert_eq!(index_some(&mut conn, 10, PARTS).await.expect("indexed"), 2);
    assert_eq!(text(&mut conn, 3).await.as_deref(), Some("late\nÉabc"));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_letter_that_is_being_changed_or_is_gone_does_not_hold_the_others_up(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    letters(&mut conn, 3).await;
    conn.execute("delete from extracts where right(letter_id::text, 1) = '3'").await.expect("gone");
    let mut other = pool.begin().await.expect("another");
    other
        .execute("update extracts set excerpt_bytes = 0 where right(letter_id::text, 1) = '2'")
        .await
        .expect("changed");
    assert_eq!(index_some(&mut conn, 10, PARTS).await.expect("indexed"), 1);
    index_again(&mut other, &[id(2)]).await.expect("nothing to do");
    other.commit().await.expect("committed");
    assert_eq!(index_some(&mut conn, 10, PARTS).await.expect("indexed"), 1);
    assert_eq!(text(&mut conn, 2).await.as_deref(), Some("no stock 2"));
    assert_eq!(number(&mut conn, "select count(*) from unindexed_letters").await, 0);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn the_index_has_whole_characters_and_says_whether_it_has_all(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    letters(&mut conn, 1).await;
    conn.execute("update extracts set headers = '{\"b\": \"ACME\", \"aa\": [7, {\"x\": true}]}'")
        .await
        .expect("headers");
    for (headers, body_bytes, wanted, is_whole) in [
        (true, 1_024, "acme\n7\nno stock 1\nÉabc", true),
        (true, 5, "acme\n7\nno stock 1\nÉabc", true),
        (true, 4, "acme\n7\nno stock 1\nÉab", false),
        (true, 1, "acme\n7\nno stock 1", false),
        (true, 0, "acme\n7\nno stock 1", false),
        (false, 5, "no stock 1\nÉabc", false),
    ] {
        conn.execute("truncate texts, unindexed_letters").await.expect("emptied");
        conn.execute("select queue_texts(array(select letter_id from extracts))")
            .await
            .expect("queued");
        let parts = IndexedParts { headers, body_bytes };
        assert_eq!(index_some(&mut conn, 10, parts).await.expect("indexed"), 1);
        assert_eq!(text(&mut conn, 1).await.as_deref(), Some(wanted), "{parts:?}");
        assert_eq!(are_in_part(&mut conn).await.expect("asked"), !is_whole, "{parts:?}");
    }
    index_again(&mut conn, &[id(1)]).await.expect("queued");
    assert_eq!(text(&mut conn, 1).await, None, "of a part nobody knows whether it is another");
    index_some(&mut conn, 10, PARTS).await.expect("indexed");
    index_again(&mut conn, &[id(1)]).await.expect("the same");
    assert!(text(&mut conn, 1).await.is_some());
}
