//! Whether the destinations of a dry run are there, who would get its letters, and whether anybody is at work
//! there: what brokers and workers say.

use std::collections::{BTreeMap, BTreeSet};

use dlo_app::desk::DeskError;
use dlo_domain::replay::Destination;
use dlo_domain::routing::{Choice, Routing};
use dlo_domain::topology::Vhost;
use sqlx::PgConnection;

use super::PgDesk;
use crate::broker::{self, BrokerError, ExchangeNow, Link, Management, ManagementError};
use crate::store::StoreError;
use crate::store::topology::{self, Place, workers};
use crate::topology::read_now;

/// Destinations that brokers are asked for, at most.
const MOST_ASKED: usize = 200;

/// Exchanges that are followed from one to the next, at most.
const MOST_EXCHANGES: usize = 50;

/// Says how the workers of queues are, by their heartbeats.
///
/// # Errors
/// When Postgres does not do it.
pub(super) async fn tell_workers(
    conn: &mut PgConnection,
    destinations: &mut [Destination],
) -> Result<(), StoreError> {
    let asked = destinations.iter().take(MOST_ASKED);
    let queues: Vec<&str> = asked.filter_map(|one| one.queue.as_deref()).collect();
    let there = workers::of_queues(conn, &queues).await?;
    for destination in destinations.iter_mut().take(MOST_ASKED) {
        let queue = destination.queue.as_deref();
        destination.workers = queue.and_then(|queue| there.get(queue).copied());
    }
    Ok(())
}

/// Says what queues do with letters that they have no room for, as the topology was read last; of exchanges,
/// the queues that get their letters.
///
/// # Errors
/// Returns an error if a query fails, or a newer version wrote what this one cannot read.
pub(super) async fn tell_overflows(
    desk: &PgDesk,
    destinations: &mut [Destination],
) -> Result<(), DeskError> {
    let asked = destinations.len().min(MOST_ASKED);
    let mut places: BTreeMap<(String, String), Vec<&mut Destination>> = BTreeMap::new();
    for one in &mut destinations[..asked] {
        places.entry((one.broker.clone(), one.vhost.clone())).or_default().push(one);
    }
    for ((broker, vhost), of_place) in places {
        let place = Place { broker: &broker, vhost: &vhost };
        let vhost = told(desk, place, &of_place).await?;
        for destination in of_place {
            tell_overflows_of(vhost.as_ref(), destination);
        }
    }
    Ok(())
}

/// What is known of a vhost: what was read last, or now where that does not tell of these destinations.
async fn told(
    desk: &PgDesk,
    place: Place<'_>,
    destinations: &[&mut Destination],
) -> Result<Option<Vhost>, DeskError> {
    let mut conn = desk.connection().await?;
    let kept = topology::one(&mut conn, place).await?.map(|kept| kept.vhost);
    drop(conn);
    let tells = |vhost: &Vhost| {
        destinations.iter().all(|one| vhost.tells_what_is_kept(one.queue.as_deref()))
    };
    if kept.as_ref().is_some_and(tells) {
        return Ok(kept);
    }
    let now = tokio::time::timeout(desk.patience.broker, read_now(&desk.brokers, place)).await;
    Ok(now.ok().flatten().or(kept))
}

fn tell_overflows_of(vhost: Option<&Vhost>, destination: &mut Destination) {
    let queue = destination.queue.as_deref();
    let known = vhost.filter(|vhost| vhost.tells_what_is_kept(queue));
    destination.keeping_unknown = known.is_none() && destination.exists == Some(true);
    if let Some(vhost) = vhost {
        let receivers = destination.receivers.iter().flatten();
        let queues = destination.queue.iter().chain(receivers);
        let overflows = queues.filter_map(|queue| vhost.overflow(queue, destination.letters));
        destination.overflows = overflows.map(|overflow| overflow.says).collect();
    }
}

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
            tell_presence(&links[&place], destination).await;
            look(desk, destination).await;
        }
    };
    // A broker that is away is no reason to refuse the dry run.
    if tokio::time::timeout(desk.patience.broker, asking).await.is_err() {
        tracing::debug!("a dry run did not hear of all its destinations in time");
    }
    for link in links.into_values().flatten() {
        link.close().await;
    }
}

/// Says whether a destination is there, and how many consumers a queue has.
async fn tell_presence(link: &Result<Link, BrokerError>, destination: &mut Destination) {
    let Ok(link) = link else {
        return;
    };
    let unknown =
        |why: &BrokerError| tracing::debug!(%why, "it is not known whether a destination exists");
    if let Some(queue) = &destination.queue {
        let asked = broker::queue_content(link, queue).await;
        if let Ok(content) = asked.inspect_err(unknown) {
            destination.exists = Some(content.is_some());
            destination.consumers = content.map(|content| i64::from(content.consumers));
        }
    } else if let Some(exchange) = &destination.exchange {
        let asked = broker::has_exchange(link, exchange).await;
        destination.exists = asked.inspect_err(unknown).ok();
    }
}

/// Says who would get a letter that goes to an exchange, as far as that is known.
async fn look(desk: &PgDesk, destination: &mut Destination) {
    let (Some(exchange), Some(key)) = (&destination.exchange, &destination.routing_key) else {
        return;
    };
    let Ok(management) = desk.brokers.management(&destination.broker) else {
        return;
    };
    let vhost = &destination.vhost;
    let unknown =
        |why: &ManagementError| tracing::debug!(%why, exchange, "it is not known who is bound");
    let found = management.exchange(vhost, exchange).await;
    let Ok(found) = found.inspect_err(unknown) else {
        return;
    };
    destination.internal = Some(found.internal);
    let followed = follow(&management, vhost, (exchange, found), key).await;
    destination.receivers = followed.inspect_err(unknown).ok();
}

/// Follows bindings and alternate exchanges from exchange to exchange.
async fn follow(
    management: &Management,
    vhost: &str,
    (first, found): (&str, ExchangeNow),
    key: &str,
) -> Result<Vec<String>, ManagementError> {
    let mut queues = BTreeSet::new();
    let mut seen = BTreeSet::from([first.to_owned()]);
    let mut open = vec![(first.to_owned(), Some(found))];
    while let Some((name, found)) = open.pop() {
        let exchange = match found {
            Some(found) => found,
            None => match management.exchange(vhost, &name).await {
                Ok(found) => found,
                // An alternate exchange may be named that is not there: what goes to it is lost.
                Err(ManagementError::Missing) => continue,
                Err(why) => return Err(why),
            },
        };
        let mut next = Vec::new();
        let mut routing = Routing::new(Choice::of_type(&exchange.kind), Some(key));
        for binding in management.bound_to(vhost, &name).await? {
            if !routing.takes(&binding.routing_key) {
                continue;
            }
            if binding.is_queue() {
                queues.insert(binding.destination);
            } else {
                next.push(binding.destination);
            }
        }
        if routing.may_be_left() {
            next.extend(management.alternate_of(vhost, &exchange).await?);
        }
        for name in next {
            if seen.len() < MOST_EXCHANGES && seen.insert(name.clone()) {
                open.push((name, None));
            }
        }
    }
    Ok(queues.into_iter().collect())
}
