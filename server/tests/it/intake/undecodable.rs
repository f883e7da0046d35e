//! Messages that client libraries cannot decode block nothing: they are kept byte for byte, by
//! themselves, and their neighbours with them.

use dlo_domain::arrival::Arrival;
use dlo_domain::ids::LetterId;
use dlo_domain::source::{SourceCondition, SourceMode};
use dlo_domain::wire::FieldValue;
use dlo_server::store;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::broker::Vhost;
use crate::support::office::{Office, bodies, condition, letters, watch};
use crate::support::raw::{ODD_ID, RawProperties, RawPublisher, field, publish_with_message_id};
use crate::support::until;

/// The only arrival of the letter with this body.
async fn arrival_of(pool: &PgPool, body: &[u8]) -> Arrival {
    let id: Uuid = sqlx::query_scalar("select letter_id from arrivals where body = $1")
        .bind(body)
        .fetch_one(pool)
        .await
        .expect("one letter of that body");
    let mut conn = pool.acquire().await.expect("a connection");
    let arrival = store::letter_detail::arrival(&mut conn, LetterId(id), 1).await;
    arrival.expect("read").expect("there")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_undecodable_message_is_kept_whole_and_blocks_nothing(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    let plain = BasicProperties::default;
    vhost.publish("dead", plain(), b"before").await;
    publish_with_message_id(&uri, "dead", ODD_ID, b"\x00poison\xff").await;
    vhost.publish("dead", plain(), b"behind").await;
    let source = watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("all three are letters", || async { letters(&pool).await == 3 }).await;
    until("the source says so", || async {
        let (condition, remark) = condition(&pool, source).await;
        condition == SourceCondition::Running
            && remark
                .is_some_and(|text| text.contains("1 message that client libraries cannot decode"))
    })
    .await;
    office.stop().await;
    assert_eq!(vhost.depth("dead").await, 0);
    let kept = arrival_of(&pool, b"\x00poison\xff").await;
    let id = kept.properties.message_id.expect("a message id");
    assert_eq!(id.as_bytes(), ODD_ID);
    assert_eq!(kept.properties.delivery_mode, Some(2));
    let said = kept.notes.join(" ");
    assert!(said.contains("the message id is not UTF-8"), "{said}");
    let plain = arrival_of(&pool, b"behind").await;
    assert!(!plain.notes.join(" ").contains("Undecodable"));
    vhost.delete().await;
}

/// The broker took its headers, and adds a death history with which they are longer than a frame.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn headers_that_outgrew_a_frame_are_kept_whole(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    let text = |text: &str| AMQPValue::LongString(text.into());
    let dying = [("x-dead-letter-exchange", text("dlx")), ("x-message-ttl", AMQPValue::LongInt(0))];
    vhost.queue("work", &dying).await;
    let mut headers = FieldTable::default();
    headers.insert("h".into(), text(&"x".repeat(130_900)));
    let grown = BasicProperties::default().with_headers(headers);
    vhost.publish("work", grown, b"poison").await;
    until("it died", || async { vhost.messages("dead").await == 1 }).await;
    let plain = BasicProperties::default;
    vhost.publish("work", plain(), b"neighbour").await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("both are letters", || async { letters(&pool).await == 2 }).await;
    office.stop().await;
    assert_eq!(bodies(&pool).await, [b"neighbour".to_vec(), b"poison".to_vec()]);
    let kept = arrival_of(&pool, b"poison").await;
    assert_eq!(kept.headers.text("h").map(str::len), Some(130_900));
    assert_eq!(kept.deaths.len(), 1, "its death history is read");
    let said = kept.notes.join(" ");
    assert!(said.contains("a frame holds"), "{said}");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_mirror_is_not_blocked_either(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    let source = watch(&pool, &vhost.name, "dead", SourceMode::Mirror).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("the mirror runs", || async {
        condition(&pool, source).await.0 == SourceCondition::Running
    })
    .await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    let mut publisher = RawPublisher::connect(&uri).await;
    let odd = RawProperties::with_headers(&field(b"n\xff", b"V"));
    let plain = RawProperties::new(0, b"");
    for (key, properties, body) in [
        (&b"k"[..], &plain, b"1"),
        (b"k", &odd, b"2"),
        (b"k\xff", &plain, b"3"),
        (b"k", &plain, b"4"),
    ] {
        publisher.publish("dlx", key, properties, body).await;
    }
    publisher.close().await;
    until("all are letters", || async { letters(&pool).await == 4 }).await;
    office.stop().await;
    assert_eq!(vhost.depth("dead").await, 4, "nothing was taken");
    let kept = arrival_of(&pool, b"2").await;
    assert_eq!(kept.headers.0[0].name.as_bytes(), b"n\xff");
    let said = arrival_of(&pool, b"3").await.notes.join(" ");
    assert!(said.contains("the routing key is not UTF-8"), "{said}");
    assert!(said.contains("a/8="), "its octets in Base64: {said}");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn both_values_of_a_repeated_header_are_kept(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    let twice = [field(b"a", b"t\x01"), field(b"b", b"V"), field(b"a", b"t\x00")].concat();
    let mut publisher = RawPublisher::connect(&uri).await;
    let properties = RawProperties::with_headers(&twice);
    publisher.publish("", b"dead", &properties, b"twice").await;
    publisher.close().await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("it is a letter", || async { letters(&pool).await == 1 }).await;
    office.stop().await;
    let kept = arrival_of(&pool, b"twice").await;
    let values: Vec<_> = kept.headers.0.iter().map(|one| one.value.clone()).collect();
    let (first, second) = (FieldValue::Boolean(true), FieldValue::Boolean(false));
    if vhost.version().await.starts_with('4') {
        // RabbitMQ 4 itself leaves out what comes later: nobody ever sees it.
        assert_eq!(values, [first, FieldValue::Void]);
        vhost.delete().await;
        return;
    }
    assert_eq!(values, [first, FieldValue::Void, second]);
    let said = kept.notes.join(" ");
    assert!(said.contains("the header `a` is there more than once"), "{said}");
    vhost.delete().await;
}
