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
use crate::support::office::{Office, condition, letters, watch};
use crate::support::raw::{RawProperties, RawPublisher, field, flags, publish_with_message_id};
use crate::support::{sized, until};

/// A message id that is not UTF-8.
const ODD_ID: &[u8] = &[b'm', 0xff, 0xfe];

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

async fn bodies(pool: &PgPool) -> Vec<Vec<u8>> {
    let read = sqlx::query_scalar("select body from arrivals order by body");
    read.fetch_all(pool).await.expect("read")
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
    until("all three are letters", 20, || async {
        letters(&pool).await == 3
    })
    .await;
    until("the source says so", 10, || async {
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
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("both are letters", 20, || async {
        letters(&pool).await == 2
    })
    .await;
    office.stop().await;
    assert_eq!(
        bodies(&pool).await,
        [b"neighbour".to_vec(), b"poison".to_vec()]
    );
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
    until("the mirror runs", 10, || async {
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
    until("all are letters", 20, || async {
        letters(&pool).await == 4
    })
    .await;
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
async fn undecodable_messages_among_others_are_each_kept_once(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    let mut publisher = RawPublisher::connect(&uri).await;
    let odd = RawProperties::with_text(flags::MESSAGE_ID, ODD_ID);
    let plain = RawProperties::with_text(flags::MESSAGE_ID, b"m");
    let many = sized(531_usize, 5_310);
    for number in 0..many {
        let properties = if number % 17 == 3 { &odd } else { &plain };
        let body = format!("{number:06}");
        publisher
            .publish("", b"dead", properties, body.as_bytes())
            .await;
    }
    publisher.close().await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    // Two offices, as if one had been started to help.
    let offices = [
        Office::start(&pool, &vhost.brokers).await,
        Office::start(&pool, &vhost.brokers).await,
    ];
    let wanted = i64::try_from(many).expect("few");
    until("all are letters", 60, || async {
        letters(&pool).await >= wanted
    })
    .await;
    for office in offices {
        office.stop().await;
    }
    assert_eq!(vhost.depth("dead").await, 0);
    let expected: Vec<Vec<u8>> = (0..many).map(|n| format!("{n:06}").into_bytes()).collect();
    assert!(bodies(&pool).await == expected, "each once, and no other");
    let noted: i64 = sqlx::query_scalar(
        "select count(*) from arrivals where array_to_string(notes, ' ') like '%Undecodable%'",
    )
    .fetch_one(&pool)
    .await
    .expect("counted");
    assert_eq!(usize::try_from(noted), Ok((many + 13) / 17));
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn both_values_of_a_repeated_header_are_kept(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    let twice = [
        field(b"a", b"t\x01"),
        field(b"b", b"V"),
        field(b"a", b"t\x00"),
    ]
    .concat();
    let mut publisher = RawPublisher::connect(&uri).await;
    let properties = RawProperties::with_headers(&twice);
    publisher.publish("", b"dead", &properties, b"twice").await;
    publisher.close().await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("it is a letter", 20, || async { letters(&pool).await == 1 }).await;
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
    assert!(
        said.contains("the header `a` is there more than once"),
        "{said}"
    );
    vhost.delete().await;
}
