//! What comes in is found by what it says, also when it died again.

use dlo_domain::filter::LetterFilter;
use dlo_domain::source::SourceMode;
use dlo_server::clock::{Clock as _, SystemClock};
use dlo_server::store::letter_list::{self, Matching};
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::office::{Office, letters, watch};
use crate::support::until;

fn properties(error: &str, more: &[(&str, String)]) -> BasicProperties {
    let mut headers = FieldTable::default();
    let text = |text: &str| AMQPValue::LongString(text.as_bytes().into());
    headers.insert("x-error".into(), text(error));
    headers.insert("tries".into(), AMQPValue::LongInt(3));
    for (name, value) in more {
        headers.insert((*name).into(), text(value));
    }
    BasicProperties::default().with_headers(headers)
}

async fn found(pool: &PgPool, text: &str) -> i64 {
    let mut conn = pool.acquire().await.expect("a connection");
    let filter = LetterFilter::parse(text).expect("a filter");
    let matching =
        Matching::look_up(&mut conn, &filter, SystemClock.now()).await.expect("looked up");
    let total = letter_list::count(&mut conn, &matching).await;
    total.expect("counted").count
}

async fn assert_found(pool: &PgPool, cases: &[(&str, i64)]) {
    for (text, wanted) in cases {
        assert_eq!(found(pool, text).await, *wanted, "{text}");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_is_found_by_what_its_last_arrival_says(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let order = br#"{"customer": {"id": 42}, "note": "Fragile\u0000"}"#;
    vhost.publish("dead", properties("No Stock", &[]), order).await;
    vhost.publish("dead", BasicProperties::default(), &[0xff, 0xfe]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("two letters", || async { letters(&pool).await == 2 }).await;
    assert_found(
        &pool,
        &[
            ("\"no stock\"", 1),
            ("fragile header.tries:>=3", 1),
            ("body.customer.id:42 -body.customer.id:43", 1),
            ("body.note:Fragile*", 1),
            ("-body.customer.id:42", 1),
        ],
    )
    .await;

    // It comes back from a replay, and says something else.
    let letter: uuid::Uuid =
        sqlx::query_scalar("select id from letters where error_message is not null")
            .fetch_one(&pool)
            .await
            .expect("a letter");
    let replay = uuid::Uuid::from_u128(7);
    sqlx::query(
        "with r as (
             insert into replays (id, state, target, created_by, created_at, total, pending)
             values ($1, 'finished', '{}', 'x', now(), 1, 0) returning id)
         insert into replay_items (replay_id, position, letter_id, attempt, vhost, broker, outcome)
         select id, 1, $2, 1, '/', 'main', 'confirmed' from r",
    )
    .bind(replay)
    .bind(letter)
    .execute(&pool)
    .await
    .expect("a replay");
    let marks = [("x-dlo-letter", letter.to_string()), ("x-dlo-replay", replay.to_string())];
    vhost.publish("dead", properties("Late", &marks), b"{\"customer\": 7}").await;
    until("the second arrival", || async { found(&pool, "arrivals:2").await == 1 }).await;
    office.stop().await;
    assert_found(
        &pool,
        &[
            ("late body.customer:7", 1),
            ("fragile", 0),
            ("body.customer.id:42", 0),
            ("has:header.x-dlo-replay", 1),
        ],
    )
    .await;
    vhost.delete().await;
}
