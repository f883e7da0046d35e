//! Connections that end while messages are published through them: whoever waits for an answer is told so, instead of
//! waiting for one that cannot come.

use std::time::Duration;

use dlo_domain::replay::Address;
use dlo_domain::wire::{FieldTable, Properties};
use dlo_server::broker::{Outgoing, Published, Publisher};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::harness::proxy::Proxy;
use crate::harness::{setting, sized};
use crate::support::broker::Vhost;

/// How long a publish would wait for its answer.
const PATIENCE: Duration = Duration::from_mins(1);

/// Batches that are on their way at once.
const BATCHES: usize = 32;

fn batch() -> Vec<Outgoing> {
    let address = Address { exchange: String::new(), routing_key: "work".to_owned() };
    let (properties, headers) = (Properties::default(), FieldTable::default());
    vec![Outgoing { address, properties, headers, body: b"x".to_vec() }; 5]
}

/// Publishes until something is not confirmed. Returns when that was known.
async fn publish(publisher: Publisher) -> Instant {
    loop {
        let answers = publisher.publish(batch(), PATIENCE).await;
        if answers.iter().any(|one| *one != Published::Confirmed) {
            return Instant::now();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_publish_waits_for_a_connection_that_has_ended() {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let proxy = Proxy::start(&vhost.brokers).await;
    let brokers = proxy.brokers(&vhost.brokers);
    let mut random = StdRng::seed_from_u64(31);
    let mut longest = Duration::ZERO;
    for _ in 0..setting("DLO_CUTS", sized(200, 2_000)) {
        let publisher = Publisher::open(&brokers, "main", &vhost.name).await.expect("connected");
        let mut publishing = JoinSet::new();
        for _ in 0..BATCHES {
            publishing.spawn(publish(publisher.clone()));
        }
        tokio::time::sleep(Duration::from_micros(random.random_range(0..20_000))).await;
        proxy.cut_now();
        let cut_at = Instant::now();
        while let Some(known_at) = publishing.join_next().await {
            longest = longest.max(known_at.expect("no panic") - cut_at);
        }
    }
    assert!(longest < PATIENCE / 2, "a publish waited {longest:?} after its connection had ended");
}
