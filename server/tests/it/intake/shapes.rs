//! Whatever a message looks like, it becomes a letter with what could be read, and a note of
//! what could not.

use lapin::BasicProperties;
use lapin::options::{BasicGetOptions, BasicRejectOptions};
use lapin::types::{AMQPValue, FieldTable};
use sqlx::PgPool;

use dlo_domain::source::SourceMode;

use crate::support::broker::Vhost;
use crate::support::office::{Office, letters, watch};
use crate::support::until;

fn headers(fields: Vec<(&str, AMQPValue)>) -> BasicProperties {
    let mut table = FieldTable::default();
    for (name, value) in fields {
        table.insert(name.into(), value);
    }
    BasicProperties::default().with_headers(table)
}

fn text(value: &str) -> AMQPValue {
    AMQPValue::LongString(value.into())
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_rejected_message_tells_where_it_died(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    vhost.queue("orders.work", &[("x-dead-letter-exchange", text("dlx"))]).await;
    vhost.publish("orders.work", headers(vec![("tenant", text("acme"))]), b"{}").await;
    let got = vhost
        .channel
        .basic_get("orders.work".into(), BasicGetOptions::default())
        .await
        .expect("answered")
        .expect("a message");
    vhost
        .channel
        .basic_reject(got.delivery.delivery_tag, BasicRejectOptions { requeue: false })
        .await
        .expect("rejected");
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("a letter", || async { letters(&pool).await == 1 }).await;
    office.stop().await;
    let row: (String, String, String, String, String) = sqlx::query_as(
        "select queue, reason, state, deaths -> 0 ->> 'queue', exchange || routing_key
         from letters join (select letter_id, deaths from arrivals) a on letter_id = id",
    )
    .fetch_one(&pool)
    .await
    .expect("read");
    let wanted = ("orders.work", "rejected", "held", "orders.work", "orders.work");
    let (a, b, c, d, e) = &row;
    assert_eq!((a.as_str(), b.as_str(), c.as_str(), d.as_str(), e.as_str()), wanted);
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn junk_is_kept_with_a_note(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let junk = [
        headers(vec![]),
        headers(vec![("x-death", text("junk"))]),
        headers(vec![("x-death", AMQPValue::Void)]),
        headers(vec![(
            "x-death",
            AMQPValue::FieldArray(vec![text("a"), AMQPValue::LongInt(1)].into()),
        )]),
        headers(vec![(
            "x-death",
            AMQPValue::FieldArray(vec![AMQPValue::FieldTable(FieldTable::default())].into()),
        )]),
        headers(vec![("x-dlo-letter", text("'; drop table letters; --"))]),
        headers(vec![
            ("x-dlo-letter", text("0190c0de-0000-7000-8000-000000000000")),
            ("x-dlo-replay", text("0190c0de-0000-7000-8000-000000000001")),
        ]),
        headers(vec![("x-error", text("<script>alert(1)</script>"))]),
    ];
    let count = i64::try_from(junk.len()).expect("few");
    for properties in junk {
        vhost.publish("dead", properties, b"body").await;
    }
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("every letter", || async { letters(&pool).await == count }).await;
    office.stop().await;
    let notes: Vec<Vec<String>> =
        sqlx::query_scalar("select notes from arrivals join letters on id = letter_id order by id")
            .fetch_all(&pool)
            .await
            .expect("read");
    assert!(notes.iter().all(|notes| !notes.is_empty()), "{notes:#?}");
    assert!(notes[6].iter().any(|note| note.contains("did not send")), "{:?}", notes[6]);
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn deep_and_large_headers_are_stored(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let mut deep = AMQPValue::LongInt(1);
    for _ in 0..64 {
        deep = AMQPValue::FieldArray(vec![deep].into());
    }
    let large = "x".repeat(100_000);
    vhost.publish("dead", headers(vec![("deep", deep)]), b"1").await;
    vhost.publish("dead", headers(vec![("x-error", text(&large))]), b"2").await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("both letters", || async { letters(&pool).await == 2 }).await;
    office.stop().await;
    let lengths: Vec<i32> =
        sqlx::query_scalar("select coalesce(length(error_message), 0) from letters order by id")
            .fetch_all(&pool)
            .await
            .expect("read");
    assert_eq!(lengths[0], 0);
    assert!((4_000..=4_096).contains(&lengths[1]), "{lengths:?}");
    vhost.delete().await;
}
