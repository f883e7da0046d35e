//! Where the letters of a plan go, counted; and which queue that is for a worker.

use std::collections::BTreeMap;

use dlo_domain::replay::{Address, Destination, Target, queue_of_worker};
use sqlx::PgConnection;

use crate::config::ReplayConfig;
use crate::store::StoreError;
use crate::store::replays::plan::Planned;
use crate::store::workers::beats;

/// The letters of a plan so far, by broker, vhost and address.
#[derive(Debug, Default)]
pub(super) struct DestinationTally(BTreeMap<(String, String, Address), i64>);

impl DestinationTally {
    /// Counts letters.
    pub(super) fn add(&mut self, planned: &[Planned]) {
        for Planned { letter, address } in planned {
            let place = (letter.broker.clone(), letter.vhost.clone(), address.clone());
            *self.0.entry(place).or_default() += 1;
        }
    }

    /// The places, the one with most letters first.
    pub(super) fn into_list(self) -> Vec<Destination> {
        let places = self.0.into_iter();
        let mut list: Vec<Destination> = places
            .map(|((broker, vhost, address), letters)| destination(broker, vhost, address, letters))
            .collect();
        list.sort_by_key(|destination| std::cmp::Reverse(destination.letters));
        list
    }
}

fn destination(broker: String, vhost: String, address: Address, letters: i64) -> Destination {
    let queue = address.only_queue().map(str::to_owned);
    let (exchange, routing_key) = match queue {
        Some(_) => (None, None),
        None => (Some(address.exchange), Some(address.routing_key)),
    };
    Destination {
        broker,
        vhost,
        queue,
        exchange,
        routing_key,
        letters,
        exists: None,
        internal: None,
        receivers: None,
        overflows: Vec::new(),
        keeping_unknown: false,
        consumers: None,
        workers: None,
    }
}

/// The queue that a plan's worker works on, as it is known now: it is frozen with the plan.
///
/// # Errors
/// When Postgres does not do it.
pub(super) async fn worker_queue(
    conn: &mut PgConnection,
    config: &ReplayConfig,
    target: &Target,
) -> Result<String, StoreError> {
    let Target::Worker { worker } = target else {
        return Ok(String::new());
    };
    // What was written down before queues of other names were refused is not followed either.
    let names = config.worker_queue_names();
    let stated = beats::queue_of(conn, worker).await?;
    let stated = stated.filter(|queue| names.allows(worker, queue));
    Ok(queue_of_worker(worker, stated.as_deref(), &config.worker_queue))
}
