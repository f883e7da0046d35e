//! Many messages that client libraries cannot decode, among others, with two offices: each is kept once.

use dlo_domain::source::SourceMode;
use sqlx::PgPool;
use std::time::Duration;

use crate::harness::sized;
use crate::support::broker::Vhost;
use crate::support::office::{Office, bodies, letters, watch};
use crate::support::raw::{ODD_ID, RawProperties, RawPublisher, flags};
use crate::support::until_within;

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
        publisher.publish("", b"dead", properties, body.as_bytes()).await;
    }
    publisher.close().await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    // Two offices, as if one had been started to help.
    let offices =
        [Office::start(&pool, &vhost.brokers).await, Office::start(&pool, &vhost.brokers).await];
    let wanted = i64::try_from(many).expect("few");
    until_within("all are letters", Duration::from_mins(1), || async {
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
