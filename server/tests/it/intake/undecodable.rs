//! A message that the client library cannot decode must not block the queue for ever, nor take
//! its neighbours with it.

use std::sync::Arc;

use dlo_domain::ids::OfficeId;
use dlo_domain::source::{SourceCondition, SourceMode};
use dlo_server::clock::{SystemClock, new_id};
use dlo_server::intake::{self, Deps, Settings};
use dlo_server::store;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::office::{Office, condition, letters, watch};
use crate::support::raw::publish_with_message_id;
use crate::support::until;

async fn eject(pool: &PgPool, vhost: &Vhost) {
    let deps = Deps {
        pool: pool.clone(),
        brokers: Arc::new(vhost.brokers.clone()),
        clock: Arc::new(SystemClock),
        office_id: OfficeId(new_id(&SystemClock)),
        judges: Arc::default(),
        settings: Settings::default(),
    };
    let mut conn = pool.acquire().await.expect("a connection");
    let sources = store::sources::watched(&mut conn).await.expect("read");
    intake::eject_head(&deps, &sources[0])
        .await
        .expect("ejected");
}

#[sqlx::test(migrations = "../migrations")]
async fn an_undecodable_head_is_told_and_ejected_with_its_body(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    vhost
        .publish("dead", BasicProperties::default(), b"before")
        .await;
    publish_with_message_id(&uri, "dead", &[b'm', 0xff, 0xfe], b"\x00poison\xff").await;
    vhost
        .publish("dead", BasicProperties::default(), b"after")
        .await;
    let source = watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;

    until("the head is known to be undecodable", 30, || async {
        condition(&pool, source).await.0 == SourceCondition::UndecodableHead
    })
    .await;
    assert_eq!(letters(&pool).await, 1, "what stood before it was taken");

    eject(&pool, &vhost).await;
    until("what stood behind it is taken", 30, || async {
        letters(&pool).await == 3
    })
    .await;
    // It is gone, so messages are taken in batches again.
    let more: Vec<String> = (0..400).map(|n| format!("more {n}")).collect();
    vhost.publish_all("dead", &more).await;
    until("the rest", 60, || async { letters(&pool).await == 403 }).await;
    office.stop().await;
    let transactions: i64 = sqlx::query_scalar("select count(distinct xmin::text) from letters")
        .fetch_one(&pool)
        .await
        .expect("counted");
    assert!(
        transactions < 200,
        "{transactions} transactions for 403 letters"
    );
    let mut bodies: Vec<Vec<u8>> = sqlx::query_scalar("select body from arrivals")
        .fetch_all(&pool)
        .await
        .expect("read");
    bodies.retain(|body| !body.starts_with(b"more "));
    bodies.sort();
    let wanted: [&[u8]; 3] = [b"\x00poison\xff", b"after", b"before"];
    assert_eq!(bodies, wanted);
    vhost.delete().await;
}

/// The broker took its headers, and adds a death history with which they are longer than a frame.
#[sqlx::test(migrations = "../migrations")]
async fn a_head_whose_headers_outgrew_a_frame_is_told_and_ejected(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    let text = |text: &str| AMQPValue::LongString(text.into());
    let dying = [
        ("x-dead-letter-exchange", text("dlx")),
        ("x-message-ttl", AMQPValue::LongInt(0)),
    ];
    vhost.queue("work", &dying).await;
    let mut headers = FieldTable::default();
    headers.insert("h".into(), text(&"x".repeat(130_900)));
    let grown = BasicProperties::default().with_headers(headers);
    vhost.publish("work", grown, b"poison").await;
    until("it died", 10, || async {
        vhost.messages("dead").await == 1
    })
    .await;
    let plain = BasicProperties::default;
    vhost.publish("work", plain(), b"neighbour").await;
    let source = watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("the head is known", 40, || async {
        condition(&pool, source).await.0 == SourceCondition::UndecodableHead
    })
    .await;
    eject(&pool, &vhost).await;
    until("what stood behind it is taken", 30, || async {
        letters(&pool).await == 2
    })
    .await;
    office.stop().await;
    let mut bodies: Vec<Vec<u8>> = sqlx::query_scalar("select body from arrivals")
        .fetch_all(&pool)
        .await
        .expect("read");
    bodies.sort();
    assert_eq!(bodies, [b"neighbour".to_vec(), b"poison".to_vec()]);
    vhost.delete().await;
}
