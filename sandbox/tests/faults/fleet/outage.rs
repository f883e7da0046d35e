//! The broker goes away under the fleet.

use super::{Desk, POLL, SEEN_WITHIN, only_rabbitmq};
use dlo_sandbox::fleet::{Fleet, FleetOptions};
use dlo_sandbox::{Endpoints, Sandbox};
use std::collections::BTreeMap;
use std::time::Instant;

/// Takes letters until so many have come, from at least half of the sources.
async fn letters(desk: &Desk, fleet: &Fleet, wanted: usize) {
    let deadline = Instant::now() + SEEN_WITHIN;
    let mut per_source: BTreeMap<&str, usize> = BTreeMap::new();
    while per_source.values().sum::<usize>() < wanted || per_source.len() < 5 {
        assert!(Instant::now() < deadline, "too few letters: {per_source:?}");
        for source in fleet.sources() {
            while desk.take(source).await.is_some() {
                *per_source.entry(&source.queue).or_default() += 1;
            }
        }
        tokio::time::sleep(POLL).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_fleet_goes_on_after_the_broker_was_killed_and_came_back() {
    let sandbox = Sandbox::start_own(only_rabbitmq()).await.expect("the sandbox starts");
    let amqp = sandbox.endpoints().amqp.clone();
    let options =
        FleetOptions { rate_per_second: 30.0, burst: 0, ..FleetOptions::new(sandbox.endpoints()) };
    let fleet = Fleet::start(options).await.expect("the fleet starts");
    let desk = Desk::open(&amqp, fleet.sources()).await;
    letters(&desk, &fleet, 20).await;

    let rabbitmq = sandbox.rabbitmq().expect("the options ask for it");
    rabbitmq.kill().await.expect("kill the broker");
    rabbitmq.start_again().await.expect("start it again");
    let desk = Desk::open(&amqp, fleet.sources()).await;
    // Enough that they cannot all have waited in the queues since before the kill.
    letters(&desk, &fleet, 100).await;

    fleet.stop().await.expect("the fleet stops");
    sandbox.stop().await.expect("the sandbox stops");
}

#[tokio::test]
async fn a_fleet_without_a_broker_says_so_and_starts_nothing() {
    // Port 1 of the loopback: nobody listens there.
    let nobody = Endpoints {
        amqp: "amqp://guest:guest@127.0.0.1:1/%2f".to_owned(),
        management: "http://guest:secret@127.0.0.1:1".to_owned(),
        ..Endpoints::default()
    };
    let refused = Fleet::start(FleetOptions::new(&nobody)).await;
    let error = refused.expect_err("there is no broker").to_string();
    assert!(error.contains("nothing was started"), "{error}");
    assert!(!error.contains("secret"), "{error}");
    let unreadable = FleetOptions { amqp: "not a url".to_owned(), ..FleetOptions::new(&nobody) };
    let unreadable = Fleet::start(unreadable).await;
    let error = unreadable.expect_err("this is no URL").to_string();
    assert!(error.contains("amqp://user:password@host"), "{error}");
}
