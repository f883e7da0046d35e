//! What becomes of messages that are published again.

use super::{ONE_AT_A_TIME, POLL, SEEN_WITHIN, broker, deaths, header_text, open, take};
use dlo_sandbox::fleet::{Fleet, FleetOptions};
use lapin::{
    BasicProperties, Channel,
    message::Delivery,
    options::{BasicPublishOptions, QueueDeclareOptions, QueuePurgeOptions},
    types::{AMQPValue, FieldTable},
};
use std::collections::BTreeMap;
use std::time::Instant;

/// Publishes an order to its queue; as a replay does when it belongs to a letter.
async fn send_order(channel: &Channel, message_id: &str, letter: Option<&str>, body: &str) {
    let mut headers = FieldTable::default();
    if let Some(letter) = letter {
        headers.insert(
            "x-dlo-letter".into(),
            AMQPValue::LongString(letter.as_bytes().to_vec().into()),
        );
    }
    let properties =
        BasicProperties::default().with_headers(headers).with_message_id(message_id.into());
    let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
    let confirm = channel
        .basic_publish("".into(), "orders.process".into(), options, body.as_bytes(), properties)
        .await
        .expect("publish");
    assert_eq!(confirm.await.expect("confirm"), lapin::Confirmation::Ack(None));
}

/// Says something to the switch of the fleet.
async fn turn_switch(channel: &Channel, word: &str) {
    let confirm = channel
        .basic_publish(
            "".into(),
            "fleet.switch".into(),
            BasicPublishOptions::default(),
            word.as_bytes(),
            BasicProperties::default(),
        )
        .await
        .expect("publish");
    confirm.await.expect("confirm");
}

/// Takes dead orders until the one with this message id has come: the queue is worked in order,
/// so all that were sent before it had their turn. Returns them by message id.
async fn dead_orders_up_to(channel: &Channel, last: &str) -> BTreeMap<String, Delivery> {
    let deadline = Instant::now() + SEEN_WITHIN;
    let mut died = BTreeMap::new();
    while !died.contains_key(last) {
        assert!(Instant::now() < deadline, "{last} did not die; died: {:?}", died.keys());
        match take(channel, "orders.dlq").await {
            Some(delivery) => {
                let id = delivery.properties.message_id().as_ref().map(ToString::to_string);
                died.insert(id.unwrap_or_default(), delivery);
            }
            None => tokio::time::sleep(POLL).await,
        }
    }
    died
}

/// Worker 7 is at work only while the fleet is fixed: waits until so many consume its queue.
async fn wait_for_worker_seven(channel: &Channel, consumers: u32) {
    let deadline = Instant::now() + SEEN_WITHIN;
    loop {
        let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
        let queue = channel
            .queue_declare("worker.7.executions".into(), options, FieldTable::default())
            .await
            .expect("the queue is there");
        if queue.consumer_count() == consumers {
            return;
        }
        assert!(Instant::now() < deadline, "{} consumers", queue.consumer_count());
        tokio::time::sleep(POLL).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_of_a_transient_failure_succeeds_and_of_a_permanent_one_dies_until_it_is_fixed() {
    const OUTAGE: &str =
        r#"{"order_id":"A-1","total":5.0,"warehouse":"AMS-2","customer":{"email":"a@b.example"}}"#;
    const NEGATIVE: &str =
        r#"{"order_id":"A-2","total":-5.0,"warehouse":"AMS-1","customer":{"email":"a@b.example"}}"#;
    const MENDED: &str =
        r#"{"order_id":"A-2","total":5.0,"warehouse":"AMS-1","customer":{"email":"a@b.example"}}"#;
    let _turn = ONE_AT_A_TIME.lock().await;
    let sandbox = broker().await;
    let amqp = sandbox.endpoints().amqp.clone();
    let (connection, channel) = open(&amqp).await;
    let quiet =
        FleetOptions { rate_per_second: 0.0, burst: 0, ..FleetOptions::new(sandbox.endpoints()) };
    let fleet = Fleet::start(quiet).await.expect("the fleet starts");
    // A given broker may still hold letters of an earlier run.
    let purged = channel.queue_purge("orders.dlq".into(), QueuePurgeOptions::default()).await;
    purged.expect("the queue is there");

    send_order(&channel, "outage", Some("letter-1"), OUTAGE).await;
    send_order(&channel, "mended", Some("letter-2"), MENDED).await;
    send_order(&channel, "negative", Some("letter-3"), NEGATIVE).await;
    let died = dead_orders_up_to(&channel, "negative").await;
    assert!(!died.contains_key("outage") && !died.contains_key("mended"), "{:?}", died.keys());
    let negative = &died["negative"];
    assert_eq!(header_text(negative, "x-dlo-letter").as_deref(), Some("letter-3"));
    assert_eq!(deaths(negative)[0].1, "rejected");
    let error = header_text(negative, "x-exception-message").unwrap_or_default();
    assert!(error.contains("A-2"), "{error}");

    fleet.set_fixed(true);
    wait_for_worker_seven(&channel, 1).await;
    send_order(&channel, "negative", Some("letter-3"), NEGATIVE).await;
    // An outage is nobody's bug: without a replay it still fails, which shows the end.
    send_order(&channel, "last", None, OUTAGE).await;
    let died = dead_orders_up_to(&channel, "last").await;
    assert!(!died.contains_key("negative"), "the fixed worker still rejects the order");

    turn_switch(&channel, "nonsense").await;
    turn_switch(&channel, "broken").await;
    wait_for_worker_seven(&channel, 0).await;
    turn_switch(&channel, "fixed").await;
    wait_for_worker_seven(&channel, 1).await;
    fleet.stop().await.expect("the fleet stops");
    connection.close(200, "bye".into()).await.expect("close");
    sandbox.stop().await.expect("the sandbox stops");
}
