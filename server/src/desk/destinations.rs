//! Asks brokers whether the destinations of a dry run are there, and who would get its letters.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dlo_domain::replay::Destination;
use dlo_domain::routing::Choice;

use super::PgDesk;
use crate::broker::{self, BrokerError, Link, Management, ManagementError};

/// Destinations that brokers are asked for, at most.
const MOST_ASKED: usize = 200;

/// What brokers have not said by then stays unknown.
const ASK_FOR: Duration = Duration::from_secs(3);

/// Exchanges that are followed from one to the next, at most.
const MOST_EXCHANGES: usize = 50;

/// Asks the brokers whether the destinations are there, and who is bound to exchanges.
pub(super) async fn ask(desk: &PgDesk, destinations: &mut [Destination]) {
    let mut links = BTreeMap::new();
    let asking = async {
        for destination in destinations.iter_mut().take(MOST_ASKED) {
            let place = (destination.broker.clone(), destination.vhost.clone());
            if !links.contains_key(&place) {
                let link = broker::connect(&desk.brokers, &place.0, &place.1, "dry run").await;
                links.insert(place.clone(), link);
            }
            destination.exists = exists(&links[&place], destination).await;
            destination.receivers = receivers(desk, destination).await;
        }
    };
    // A broker that is away is no reason to refuse the dry run.
    if tokio::time::timeout(ASK_FOR, asking).await.is_err() {
        tracing::debug!("a dry run did not hear of all its destinations in time");
    }
    for link in links.into_values().flatten() {
        link.close().await;
    }
}

async fn exists(link: &Result<Link, BrokerError>, destination: &Destination) -> Option<bool> {
    let link = link.as_ref().ok()?;
    let asked = match (&destination.queue, &destination.exchange) {
        (Some(queue), _) => broker::has_queue(link, queue).await,
        (None, Some(exchange)) => broker::has_exchange(link, exchange).await,
        (None, None) => return None,
    };
    asked
        .inspect_err(|why| tracing::debug!(%why, "it is not known whether a destination exists"))
        .ok()
}

/// The queues that would get a letter; nothing where it is one queue, or where nobody knows.
async fn receivers(desk: &PgDesk, destination: &Destination) -> Option<Vec<String>> {
    let (exchange, key) = (
        destination.exchange.as_deref()?,
        destination.routing_key.as_deref()?,
    );
    let management = desk.brokers.management(&destination.broker).ok()?;
    follow(&management, &destination.vhost, exchange, key)
        .await
        .inspect_err(|why| tracing::debug!(%why, exchange, "it is not known who is bound"))
        .ok()
}

/// Follows bindings from exchange to exchange.
async fn follow(
    management: &Management,
    vhost: &str,
    exchange: &str,
    key: &str,
) -> Result<Vec<String>, ManagementError> {
    let mut queues = BTreeSet::new();
    let mut seen = BTreeSet::from([exchange.to_owned()]);
    let mut open = vec![exchange.to_owned()];
    while let Some(exchange) = open.pop() {
        let choice = Choice::of_type(&management.exchange_type(vhost, &exchange).await?);
        for binding in management.bound_to(vhost, &exchange).await? {
            if !choice.takes(&binding.routing_key, key) {
                continue;
            }
            if binding.is_queue() {
                queues.insert(binding.destination);
            } else if seen.len() < MOST_EXCHANGES && seen.insert(binding.destination.clone()) {
                open.push(binding.destination);
            }
        }
    }
    Ok(queues.into_iter().collect())
}
