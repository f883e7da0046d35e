//! Where the letters of a plan go, counted by queue, and whether the queues are there.

use std::collections::BTreeMap;
use std::time::Duration;

use dlo_domain::replay::Destination;

use super::PgDesk;
use crate::broker::{self, BrokerError, Link};
use crate::store::replays::plan::Planned;

/// The letters of a plan so far, by broker, vhost and queue.
#[derive(Debug, Default)]
pub(super) struct DestinationTally(BTreeMap<(String, String, String), i64>);

impl DestinationTally {
    /// Counts letters.
    pub(super) fn add(&mut self, planned: &[Planned]) {
        for Planned { letter, queue } in planned {
            let place = (letter.broker.clone(), letter.vhost.clone(), queue.clone());
            *self.0.entry(place).or_default() += 1;
        }
    }

    /// The queues, the one with most letters first.
    pub(super) fn into_list(self) -> Vec<Destination> {
        let places = self.0.into_iter();
        let mut list: Vec<Destination> = places
            .map(|((broker, vhost, queue), letters)| Destination {
                broker,
                vhost,
                queue,
                letters,
                exists: None,
            })
            .collect();
        list.sort_by_key(|destination| std::cmp::Reverse(destination.letters));
        list
    }
}

/// Queues that brokers are asked for, at most.
const MOST_ASKED: usize = 200;

/// What brokers have not said by then stays unknown.
const ASK_FOR: Duration = Duration::from_secs(3);

/// Asks the brokers whether the queues are there.
pub(super) async fn ask(desk: &PgDesk, destinations: &mut [Destination]) {
    let mut links = BTreeMap::new();
    let asking = async {
        for destination in destinations.iter_mut().take(MOST_ASKED) {
            let place = (destination.broker.clone(), destination.vhost.clone());
            if !links.contains_key(&place) {
                let link = broker::connect(&desk.brokers, &place.0, &place.1, "dry run").await;
                links.insert(place.clone(), link);
            }
            destination.exists = exists(&links[&place], &destination.queue).await;
        }
    };
    // A broker that is away is no reason to refuse the dry run.
    if tokio::time::timeout(ASK_FOR, asking).await.is_err() {
        tracing::debug!("a dry run did not hear of all its queues in time");
    }
    for link in links.into_values().flatten() {
        link.close().await;
    }
}

async fn exists(link: &Result<Link, BrokerError>, queue: &str) -> Option<bool> {
    let link = link.as_ref().ok()?;
    let asked = broker::has_queue(link, queue).await;
    asked
        .inspect_err(|why| tracing::debug!(%why, queue, "it is not known whether a queue exists"))
        .ok()
}
