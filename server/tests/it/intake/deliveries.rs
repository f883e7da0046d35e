//! A message that was delivered too often: what the broker says of it, and what it says of itself. How
//! often it was delivered stands in a header of each delivery, and RabbitMQ takes that away when the
//! message dies; so the letter says why it died, and its queue how often that is.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::death::Reason;
use dlo_domain::ids::LetterId;
use dlo_domain::source::SourceMode;
use dlo_domain::wire::FieldValue;
use lapin::BasicProperties;
use lapin::options::{BasicGetOptions, BasicRejectOptions};
use lapin::types::{AMQPValue, FieldTable};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::office::{Office, letters, watch};
use crate::support::until;

/// How often a message of `work` may fail.
const LIMIT: i32 = 2;

fn text(value: &str) -> AMQPValue {
    AMQPValue::LongString(value.into())
}

/// Takes the message and gives it back until it is gone. Tells the count that each delivery came with.
async fn fails_until_it_dies(vhost: &Vhost) -> Vec<Option<i64>> {
    let mut counts = Vec::new();
    for _ in 0..400 {
        let got = vhost.channel.basic_get("work".into(), BasicGetOptions::default()).await;
        if let Some(got) = got.expect("asked") {
            let headers = got.delivery.properties.headers().clone().unwrap_or_default();
            let count = headers.inner().get("x-delivery-count");
            counts.push(count.and_then(AMQPValue::as_long_long_int));
            let back = BasicRejectOptions { requeue: true };
            got.delivery.acker.reject(back).await.expect("rejected");
        } else if vhost.depth("dead").await == 1 {
            return counts;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("it did not die: {counts:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_message_that_was_delivered_too_often_keeps_what_its_claims_left_in_it(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    let arguments = [
        ("x-queue-type", text("quorum")),
        ("x-delivery-limit", AMQPValue::LongInt(LIMIT)),
        ("x-dead-letter-exchange", text("dlx")),
    ];
    vhost.queue("work", &arguments).await;
    let mut headers = FieldTable::default();
    headers.insert("claimed-by".into(), text("worker-7"));
    headers.insert("claim-count".into(), AMQPValue::LongInt(2));
    let properties = BasicProperties::default().with_headers(headers);
    vhost.publish("work", properties, b"{\"claim\": 7}").await;
    let counts = fails_until_it_dies(&vhost).await;
    // Whether the first has a count of 0 or none depends on the version.
    assert_eq!(counts[1..], [Some(1), Some(2)], "the last is of the limit");
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("a letter", || async { letters(&pool).await == 1 }).await;
    office.stop().await;
    let id: uuid::Uuid =
        sqlx::query_scalar("select id from letters").fetch_one(&pool).await.expect("a letter");
    let bench = Bench::offline(&pool).await;
    let letter = bench.desk.letter(LetterId(id)).await.expect("a letter");
    assert_eq!(letter.summary.reason, Reason::DeliveryLimit);
    let death = &letter.deaths[0];
    assert_eq!(death.reason, Reason::DeliveryLimit);
    assert_eq!((&*death.queue, death.count), ("work", Some(1)));
    let kept = &letter.arrivals[0].headers;
    let by = kept.get("claimed-by").and_then(|value| value.as_text());
    assert_eq!(by.and_then(|by| by.as_str()), Some("worker-7"));
    let claims = kept.get("claim-count").and_then(FieldValue::as_integer);
    assert_eq!(claims.map(|count| count.to_string()).as_deref(), Some("2"));
    // That of the dead-letter queue would be another count: a classic queue has none.
    assert_eq!(kept.get("x-delivery-count"), None);
    let body = bench.body(LetterId(id), None).await.expect("a body");
    assert_eq!(body, b"{\"claim\": 7}");
    vhost.delete().await;
}
