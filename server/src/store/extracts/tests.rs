//! Letters from before there were extracts get theirs.

use chrono::DateTime;
use dlo_domain::filter::LetterFilter;
use dlo_domain::page::Total;
use sqlx::PgPool;

use super::*;
use crate::store::letter_list::{self, Matching};

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn letters_from_before_are_taken_up_once(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    sqlx::query(
        "insert into sources (id, broker, vhost, queue, name, mode, configured, condition_since,
             created_at)
         values (gen_random_uuid(), 'main', '/', 'q', 'q', 'take', false, now(), now())",
    )
    .execute(&mut *conn)
    .await
    .expect("a source");
    sqlx::query(
        "with new as (
             insert into letters (id, source_id, state, severity, reason, error_message, size_bytes,
                 arrivals, first_arrived_at, last_arrived_at)
             select gen_random_uuid(), s.id, 'held', 'low', 'unknown', 'No STOCK ' || n, 1, 2,
                 now(), now()
             from sources s, generate_series(1, 7) as n returning id, source_id),
         arrived as (
             insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange,
                 routing_key, properties, headers, deaths, body, body_sha256)
             select new.id, ordinal, now(), source_id, '', '', '{}',
                 '[{\"name\": \"tenant\", \"type\": \"long_string\", \"value\": \"acme\"}]', '[]',
                 convert_to('{\"arrival\": ' || ordinal || '}', 'UTF8'), '\\x00'
             from new, generate_series(1, 2) as ordinal)
         insert into letters_without_extract select id from new",
    )
    .execute(&mut *conn)
    .await
    .expect("letters");
    for wanted in [3, 3, 1, 0] {
        let made = make_missing(&mut conn, 3).await.expect("made");
        assert_eq!(made, wanted);
    }
    for wanted in [4, 3, 0] {
        let indexed = index_some(&mut conn, 4).await.expect("indexed");
        assert_eq!(indexed, wanted);
    }
    for (text, wanted) in [
        ("\"no stock\" header.tenant:acme body.arrival:2", 7),
        ("body.arrival:1", 0),
    ] {
        let filter = LetterFilter::parse(text).expect("a filter");
        let matching = Matching::look_up(&mut conn, &filter, DateTime::UNIX_EPOCH)
            .await
            .expect("looked up");
        let found = letter_list::count(&mut conn, &matching).await;
        assert_eq!(found.expect("counted"), Total::exactly(wanted), "{text}");
    }
}
