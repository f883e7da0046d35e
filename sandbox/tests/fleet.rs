//! The fleet against a real broker: it fills every dead-letter queue quickly and for all
//! reasons, and its workers treat a replayed message as the documentation says.

use dlo_sandbox::fleet::{Fleet, FleetOptions, FleetSource};
use dlo_sandbox::{Sandbox, SandboxOptions};
use lapin::{
    BasicProperties, Channel, Connection, ConnectionProperties,
    message::Delivery,
    options::{BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions},
    types::{AMQPValue, FieldTable},
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const FILLED_WITHIN: Duration = Duration::from_secs(25);
const POLL: Duration = Duration::from_millis(50);

async fn broker() -> Sandbox {
    let options = SandboxOptions {
        postgres: false,
        ..SandboxOptions::default()
    };
    Sandbox::start(options).await.expect("the sandbox starts")
}

async fn open(amqp: &str) -> (Connection, Channel) {
    let connection = Connection::connect(amqp, ConnectionProperties::default())
        .await
        .expect("connect");
    let channel = connection.create_channel().await.expect("open a channel");
    channel
        .confirm_select(ConfirmSelectOptions::default())
        .await
        .expect("confirms");
    (connection, channel)
}

async fn take(channel: &Channel, queue: &str) -> Option<Delivery> {
    let got = channel
        .basic_get(queue.into(), BasicGetOptions { no_ack: true })
        .await
        .expect("get");
    got.map(|message| message.delivery)
}

fn header_text(delivery: &Delivery, name: &str) -> Option<String> {
    let headers = delivery.properties.headers().as_ref()?;
    let value = headers.inner().get(name)?.as_long_string()?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The death entries as (queue, reason, count), newest first.
fn deaths(delivery: &Delivery) -> Vec<(String, String, i64)> {
    let headers = delivery.properties.headers().as_ref();
    let entries = headers.and_then(|headers| headers.inner().get("x-death")?.as_array().cloned());
    let text = |table: &FieldTable, key: &str| {
        let value = table.inner().get(key).and_then(AMQPValue::as_long_string);
        value
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .unwrap_or_default()
    };
    entries
        .iter()
        .flat_map(|entries| entries.as_slice())
        .filter_map(AMQPValue::as_field_table)
        .map(|table| {
            let count = table
                .inner()
                .get("count")
                .and_then(AMQPValue::as_long_long_int)
                .unwrap_or_default();
            (text(table, "queue"), text(table, "reason"), count)
        })
        .collect()
}

/// What tells one failure from another, as a person would: where, why, which kind of message
/// and which kind of error.
type FailureKey = (String, String, String, String);

#[derive(Default)]
struct Letters {
    total: usize,
    per_source: BTreeMap<String, usize>,
    reasons: BTreeMap<String, usize>,
    failures: BTreeMap<FailureKey, usize>,
    most_deaths: usize,
}

impl Letters {
    fn note(&mut self, source: &FleetSource, delivery: &Delivery) {
        let deaths = deaths(delivery);
        let (origin, reason) = deaths.first().map_or_else(
            || ("a framework".to_owned(), "parked".to_owned()),
            |(queue, reason, _)| (queue.clone(), reason.clone()),
        );
        let error_headers = [
            "x-exception-class",
            "x-error-type",
            "x-error-name",
            "x-exception-message",
            "x-error",
            "MT-Fault-ExceptionType",
            "NServiceBus.ExceptionInfo.ExceptionType",
        ];
        let error = error_headers
            .iter()
            .find_map(|name| header_text(delivery, name))
            .unwrap_or_default();
        let class: String = error
            .chars()
            .take_while(|character| !character.is_whitespace())
            .collect();
        let kind = delivery
            .properties
            .kind()
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        self.total += 1;
        self.most_deaths = self.most_deaths.max(deaths.len());
        *self.per_source.entry(source.queue.clone()).or_default() += 1;
        *self.reasons.entry(reason.clone()).or_default() += 1;
        *self
            .failures
            .entry((origin, reason, kind, class))
            .or_default() += 1;
    }

    fn missing(&self, sources: &[FleetSource]) -> Vec<String> {
        let mut missing = Vec::new();
        if self.total < 200 {
            missing.push(format!("{} of 200 letters", self.total));
        }
        if self.failures.len() < 18 {
            missing.push(format!("{} of 18 failures", self.failures.len()));
        }
        if self.most_deaths < 3 {
            missing.push("a letter that went through a retry loop".to_owned());
        }
        let reasons = ["rejected", "expired", "maxlen", "delivery_limit", "parked"];
        missing.extend(
            reasons
                .iter()
                .filter(|reason| !self.reasons.contains_key(**reason))
                .map(ToString::to_string),
        );
        let empty = sources
            .iter()
            .filter(|source| !self.per_source.contains_key(&source.queue));
        missing.extend(empty.map(|source| source.queue.clone()));
        missing
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_source_is_filled_for_all_reasons_within_twenty_five_seconds() {
    let sandbox = broker().await;
    let amqp = sandbox.endpoints().amqp.clone();
    let (connection, channel) = open(&amqp).await;
    let begun = Instant::now();
    let fleet = Fleet::start(FleetOptions::new(amqp.clone()))
        .await
        .expect("the fleet starts");
    assert_eq!(fleet.sources(), dlo_sandbox::fleet::sources());
    let mut letters = Letters::default();
    loop {
        for source in fleet.sources() {
            while let Some(delivery) = take(&channel, &source.queue).await {
                letters.note(source, &delivery);
            }
        }
        let missing = letters.missing(fleet.sources());
        if missing.is_empty() {
            break;
        }
        assert!(
            begun.elapsed() < FILLED_WITHIN,
            "missing: {missing:?}; seen: {:#?}",
            letters.failures
        );
        tokio::time::sleep(POLL).await;
    }
    println!(
        "{} letters, {:?}, {:#?}, in {:?}",
        letters.total,
        letters.reasons,
        letters.failures,
        begun.elapsed()
    );

    fleet.stop().await.expect("the fleet stops");
    // A second start on the same broker finds its queues as it left them.
    let again = Fleet::start(FleetOptions {
        seed: 2,
        burst: 0,
        ..FleetOptions::new(amqp)
    })
    .await;
    again
        .expect("the fleet starts again")
        .stop()
        .await
        .expect("and stops again");
    connection.close(200, "bye".into()).await.expect("close");
    sandbox.stop().await.expect("the sandbox stops");
}

/// Publishes an order to its queue; as a replay does when it belongs to a letter.
async fn send_order(channel: &Channel, message_id: &str, letter: Option<&str>, body: &str) {
    let mut headers = FieldTable::default();
    if let Some(letter) = letter {
        headers.insert(
            "x-dlo-letter".into(),
            AMQPValue::LongString(letter.as_bytes().to_vec().into()),
        );
    }
    let properties = BasicProperties::default()
        .with_headers(headers)
        .with_message_id(message_id.into());
    let options = BasicPublishOptions {
        mandatory: true,
        ..BasicPublishOptions::default()
    };
    let confirm = channel
        .basic_publish(
            "".into(),
            "orders.process".into(),
            options,
            body.as_bytes(),
            properties,
        )
        .await
        .expect("publish");
    assert_eq!(
        confirm.await.expect("confirm"),
        lapin::Confirmation::Ack(None)
    );
}

/// Takes dead orders until the one with this message id has come: the queue is worked in order,
/// so all that were sent before it had their turn. Returns them by message id.
async fn dead_orders_up_to(channel: &Channel, last: &str) -> BTreeMap<String, Delivery> {
    let deadline = Instant::now() + FILLED_WITHIN;
    let mut died = BTreeMap::new();
    while !died.contains_key(last) {
        assert!(
            Instant::now() < deadline,
            "{last} did not die; died: {:?}",
            died.keys()
        );
        match take(channel, "orders.dlq").await {
            Some(delivery) => {
                let id = delivery
                    .properties
                    .message_id()
                    .as_ref()
                    .map(ToString::to_string);
                died.insert(id.unwrap_or_default(), delivery);
            }
            None => tokio::time::sleep(POLL).await,
        }
    }
    died
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_of_a_transient_failure_succeeds_and_of_a_permanent_one_dies_until_it_is_fixed() {
    const OUTAGE: &str =
        r#"{"order_id":"A-1","total":5.0,"warehouse":"AMS-2","customer":{"email":"a@b.example"}}"#;
    const NEGATIVE: &str =
        r#"{"order_id":"A-2","total":-5.0,"warehouse":"AMS-1","customer":{"email":"a@b.example"}}"#;
    const MENDED: &str =
        r#"{"order_id":"A-2","total":5.0,"warehouse":"AMS-1","customer":{"email":"a@b.example"}}"#;
    let sandbox = broker().await;
    let amqp = sandbox.endpoints().amqp.clone();
    let (connection, channel) = open(&amqp).await;
    let quiet = FleetOptions {
        rate_per_second: 0.0,
        burst: 0,
        ..FleetOptions::new(amqp)
    };
    let fleet = Fleet::start(quiet).await.expect("the fleet starts");

    send_order(&channel, "outage", Some("letter-1"), OUTAGE).await;
    send_order(&channel, "mended", Some("letter-2"), MENDED).await;
    send_order(&channel, "negative", Some("letter-3"), NEGATIVE).await;
    let died = dead_orders_up_to(&channel, "negative").await;
    assert!(
        !died.contains_key("outage") && !died.contains_key("mended"),
        "{:?}",
        died.keys()
    );
    let negative = &died["negative"];
    assert_eq!(
        header_text(negative, "x-dlo-letter").as_deref(),
        Some("letter-3")
    );
    assert_eq!(deaths(negative)[0].1, "rejected");
    let error = header_text(negative, "x-exception-message").unwrap_or_default();
    assert!(error.contains("A-2"), "{error}");

    fleet.set_fixed(true);
    send_order(&channel, "negative", Some("letter-3"), NEGATIVE).await;
    // An outage is nobody's bug: without a replay it still fails, which shows the end.
    send_order(&channel, "last", None, OUTAGE).await;
    let died = dead_orders_up_to(&channel, "last").await;
    assert!(
        !died.contains_key("negative"),
        "the fixed worker still rejects the order"
    );

    fleet.stop().await.expect("the fleet stops");
    connection.close(200, "bye".into()).await.expect("close");
    sandbox.stop().await.expect("the sandbox stops");
}
