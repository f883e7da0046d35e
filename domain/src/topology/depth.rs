//! Whose depths are kept over time. A broker may have thousands of queues; of interest are those
//! whose growth tells why letters die.

use std::collections::BTreeSet;

use super::map::Map;
use super::model::Queue;

/// Queues of one broker whose depths are kept.
pub const MOST_DEPTHS: usize = 500;

/// How full a queue was seen to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueDepth<'a> {
    /// Its name.
    pub queue: &'a str,
    /// The messages in it, waiting or in somebody's hands.
    pub depth: i64,
    /// Those of them that wait.
    pub waiting: i64,
}

impl QueueDepth<'_> {
    /// `None` if the broker does not tell how many wait. What is in hand is not told where figures are off, and
    /// counts among those that wait then.
    fn of(queue: &Queue) -> Option<QueueDepth<'_>> {
        let taken = queue.figures.unacknowledged.unwrap_or(0).max(0);
        let waiting = queue.figures.ready?.max(0);
        Some(QueueDepth { queue: &queue.name, depth: waiting.saturating_add(taken), waiting })
    }
}

/// The queues whose depths are kept, each with its depth: those in `named` first (workers name them,
/// letters died in them, or are taken from them), then those that dead-letter. At most `most`, and the same ones
/// from read to read as far as they are there.
#[must_use]
pub fn depths<'a>(map: &Map<'a>, named: &BTreeSet<String>, most: usize) -> Vec<QueueDepth<'a>> {
    let queues = || map.vhost.queues.iter();
    let first = queues().filter(|queue| named.contains(&queue.name));
    let others =
        queues().filter(|queue| !named.contains(&queue.name) && map.route(&queue.name).is_some());
    first.chain(others).filter_map(QueueDepth::of).take(most).collect()
}
