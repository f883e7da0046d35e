//! Whose depths are kept over time. A broker may have thousands of queues; of interest are those
//! whose growth tells why letters die.

use std::collections::BTreeSet;

use super::map::Map;
use super::model::Queue;

/// Queues of one broker whose depths are kept.
pub const MOST_DEPTHS: usize = 500;

impl Queue {
    /// The messages in it, waiting or in somebody's hands; nothing when the broker does not tell.
    #[must_use]
    pub fn depth(&self) -> Option<i64> {
        let (ready, taken) = (self.figures.ready, self.figures.unacknowledged);
        ready.or(taken).map(|_| {
            let ready = ready.unwrap_or(0).max(0);
            ready.saturating_add(taken.unwrap_or(0).max(0))
        })
    }
}

/// The queues whose depths are kept, each with its depth: those in `named` first (workers name them,
/// or letters died in them), then those that dead-letter. At most `most`, and the same ones from read
/// to read as far as they are there.
#[must_use]
pub fn depths<'a>(map: &Map<'a>, named: &BTreeSet<String>, most: usize) -> Vec<(&'a str, i64)> {
    let known = |queue: &'a Queue| Some((queue.name.as_str(), queue.depth()?));
    let queues = || map.vhost.queues.iter();
    let first = queues().filter(|queue| named.contains(&queue.name));
    let others =
        queues().filter(|queue| !named.contains(&queue.name) && map.route(&queue.name).is_some());
    first.chain(others).filter_map(known).take(most).collect()
}
