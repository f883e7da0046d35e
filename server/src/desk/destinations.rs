//! Where the letters of a plan go, counted by queue.

use std::collections::BTreeMap;

use dlo_domain::replay::Destination;

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
            })
            .collect();
        list.sort_by_key(|destination| std::cmp::Reverse(destination.letters));
        list
    }
}
