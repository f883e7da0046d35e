//! Messages in every format, mutated: each is stored byte for byte, and its pages answer.

mod message;
mod octets;

use std::collections::HashMap;
use std::time::Duration;

use dlo_app::desk::SchemaDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::schema::NewSchema;
use dlo_domain::wire::{FieldTable, Properties};
use dlo_server::access::Role;
use reqwest::Method;
use sqlx::PgPool;
use sqlx::types::Json;
use uuid::Uuid;

use self::message::{MutatedMessage, Mutations};
use crate::harness::goal::GoalRow;
use crate::harness::{setting, sized};
use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::front::Counter;
use crate::support::office::{Office, letters};
use crate::support::raw::RawPublisher;
use crate::support::until_within;

const KINDS: &str = include_str!("../../../../domain/tests/protobuf/kinds.proto");
const PLACED: &str = include_str!("../../../../domain/tests/avro/placed.avsc");
const MONEY: &str = include_str!("../../../../domain/tests/avro/money.avsc");
const SHOP: &str = include_str!("../../../../domain/tests/protobuf/shop.proto");

/// A letter that a message became.
struct StoredMessage {
    letter: Uuid,
    properties: Properties,
    headers: FieldTable,
    body: Vec<u8>,
}

async fn stored(pool: &PgPool) -> HashMap<String, StoredMessage> {
    let rows: Vec<(Uuid, Json<Properties>, String, Vec<u8>)> =
        sqlx::query_as("select letter_id, properties, headers::text, body from arrivals")
            .fetch_all(pool)
            .await
            .expect("read");
    let rows = rows.into_iter().map(|(letter, properties, headers, body)| {
        let properties = properties.0;
        let id = properties.message_id.as_ref().and_then(|id| id.as_str()).expect("an id");
        let headers = serde_json::from_str(&headers).expect("headers");
        (id.to_owned(), StoredMessage { letter, properties, headers, body })
    });
    rows.collect()
}

/// Headers as the broker hands them out: RabbitMQ 4 keeps the first of each name, in the order of their names.
fn handed_out(headers: &FieldTable, version: &str) -> FieldTable {
    let mut headers = headers.clone();
    if !version.starts_with("3.") {
        headers.0.sort_by(|one, other| one.name.as_bytes().cmp(other.name.as_bytes()));
        headers.0.dedup_by(|next, first| next.name == first.name);
    }
    headers
}

/// Whether a message was stored as the broker of this version handed it out.
fn is_same(sent: &MutatedMessage, kept: &StoredMessage, version: &str) -> bool {
    let properties = &kept.properties;
    kept.body == sent.body
        && kept.headers == handed_out(&sent.headers, version)
        && properties.content_type == sent.content_type
        && properties.content_encoding == sent.content_encoding
}

async fn answers(counter: &Counter, id: &str, path: &str) {
    let answer = counter.as_role(Role::Viewer, Method::GET, path).send().await;
    let answer = answer.expect("an answer");
    let status = answer.status();
    let text = answer.text().await.unwrap_or_default();
    assert!(status.is_success(), "{id}: {path}: {status} {text:.300}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn mutated_messages_are_stored_as_they_came_and_their_pages_answer(pool: PgPool) {
    let count = setting("DLO_TEST_MUTATED", sized(400, 10_000));
    let vhost = Vhost::create().await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let files = [("kinds.proto", KINDS), ("shop.proto", SHOP)];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    let schema = NewSchema { name: "shop".to_owned(), files, descriptor_set: None };
    bench.desk.add_schema(&Actor("anna".to_owned()), schema).await.expect("a schema");
    let files = [("placed.avsc", PLACED), ("money.avsc", MONEY)];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    let schema = NewSchema { name: "events".to_owned(), files, descriptor_set: None };
    bench.desk.add_schema(&Actor("anna".to_owned()), schema).await.expect("a schema");

    vhost.queue("dead", &[]).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    let mut publisher = RawPublisher::connect(&uri).await;
    let mut mutations = Mutations::new(setting("DLO_TEST_SEED", 1));
    let sent: Vec<MutatedMessage> = (0..count).map(|number| mutations.message(number)).collect();
    for message in &sent {
        publisher.publish("", b"dead", &message.octets(), &message.body).await;
    }
    publisher.close().await;

    let office = Office::start(&pool, &vhost.brokers).await;
    let all = i64::try_from(count).expect("few");
    until_within("all are letters", Duration::from_mins(5), || async {
        letters(&pool).await >= all
    })
    .await;
    office.stop().await;
    assert_eq!(vhost.depth("dead").await, 0);

    let kept = stored(&pool).await;
    let version = vhost.version().await;
    let as_sent =
        |one: &&MutatedMessage| kept.get(&one.id).is_some_and(|kept| is_same(one, kept, &version));
    let same = sent.iter().filter(as_sent).count();
    GoalRow {
        goal: "R8",
        case: "mutated messages in every format, stored byte for byte".to_owned(),
        tried: format!("{count} messages"),
        broker: version.clone(),
        lost: Some(count - same),
        doubled: Some(kept.len().saturating_sub(count)),
        recovered: None,
        is_met: same == count && kept.len() == count,
    }
    .report();
    for message in &sent {
        let kept = kept.get(&message.id).expect("stored");
        assert!(
            is_same(message, kept, &version),
            "{message:?} became {:?} {:?}",
            kept.properties,
            kept.headers
        );
    }
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    for message in &sent {
        let letter = kept[&message.id].letter;
        answers(&counter, &message.id, &format!("/letters/{letter}")).await;
        answers(&counter, &message.id, &format!("/api/v1/letters/{letter}/decoded")).await;
    }
    for list in
        ["/", "/letters", "/groups", "/api/v1/letters?limit=500", "/letters?q=body.order_id:o-42"]
    {
        answers(&counter, "all", list).await;
    }
    counter.close().await;
    vhost.delete().await;
}
