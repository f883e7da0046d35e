//! What the workers say of themselves, and that one of them falls silent.

use super::{ONE_AT_A_TIME, POLL, SEEN_WITHIN, broker, open, take};
use dlo_sandbox::fleet::{Fleet, FleetOptions};
use lapin::{
    Channel,
    options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions},
    types::FieldTable,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const LISTENER: &str = "test.heartbeats";

/// Binds a queue of our own to the exchange, which the fleet may not have declared yet.
async fn listen(channel: &Channel) {
    let durable = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
    let (exchange, topic) = ("dlo.fleet".into(), lapin::ExchangeKind::Topic);
    channel
        .exchange_declare(exchange, topic, durable, FieldTable::default())
        .await
        .expect("the exchange");
    let exclusive = QueueDeclareOptions { exclusive: true, ..QueueDeclareOptions::default() };
    channel
        .queue_declare(LISTENER.into(), exclusive, FieldTable::default())
        .await
        .expect("a queue");
    let (queue, exchange, key) = (LISTENER.into(), "dlo.fleet".into(), "worker.#".into());
    channel
        .queue_bind(queue, exchange, key, QueueBindOptions::default(), FieldTable::default())
        .await
        .expect("bound");
}

/// Counts the heartbeats by worker until `enough`.
async fn hear(
    channel: &Channel,
    enough: impl Fn(&BTreeMap<String, usize>) -> bool,
) -> BTreeMap<String, usize> {
    let deadline = Instant::now() + SEEN_WITHIN;
    let mut beats: BTreeMap<String, usize> = BTreeMap::new();
    while !enough(&beats) {
        assert!(Instant::now() < deadline, "heard only {beats:?}");
        let Some(delivery) = take(channel, LISTENER).await else {
            tokio::time::sleep(POLL).await;
            continue;
        };
        let beat: serde_json::Value = serde_json::from_slice(&delivery.data).expect("JSON");
        assert!(beat["interval_seconds"].as_f64().is_some_and(|s| s > 0.0));
        let worker = beat["worker"].as_str().expect("a name");
        *beats.entry(worker.to_owned()).or_default() += 1;
    }
    beats
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_say_that_they_live_and_one_falls_silent_until_it_is_fixed() {
    const SILENT: &str = "attune-worker-7";
    let _turn = ONE_AT_A_TIME.lock().await;
    let sandbox = broker().await;
    let (connection, channel) = open(&sandbox.endpoints().amqp).await;
    listen(&channel).await;
    let options = FleetOptions {
        rate_per_second: 0.0,
        burst: 0,
        heartbeat: Duration::from_millis(500),
        ..FleetOptions::new(sandbox.endpoints())
    };
    let fleet = Fleet::start(options).await.expect("the fleet starts");
    hear(&channel, |beats| beats.contains_key(SILENT) && beats.contains_key("order-service")).await;
    // While another worker beats five times, this one does not beat once.
    let fell_silent = async {
        while hear(&channel, |beats| beats.get("order-service") >= Some(&5))
            .await
            .contains_key(SILENT)
        {}
    };
    tokio::time::timeout(SEEN_WITHIN, fell_silent).await.expect("it falls silent");
    fleet.set_fixed(true);
    hear(&channel, |beats| beats.contains_key(SILENT)).await;
    fleet.stop().await.expect("the fleet stops");
    connection.close(200, "bye".into()).await.expect("close");
    sandbox.stop().await.expect("the sandbox stops");
}
