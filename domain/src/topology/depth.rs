//! Whose depths are kept over time. A broker may have thousands of queues; of interest are those
//! whose growth tells why letters die.

use std::collections::BTreeSet;

use super::map::Map;
use super::model::Queue;

/// Queues of one broker whose depths are kept.
pub const MOST_DEPTHS: usize = 500;

impl Queue {
    /// The messages in it, waiting or in somebody's hands; `None` if the broker does not tell how many wait.
    /// What is in hand is not told where figures are off, and counts among those that wait then.
    #[must_use]
    pub fn depth(&self) -> Option<i64> {
        let taken = self.figures.unacknowledged.unwrap_or(0).max(0);
        let ready = self.figures.ready?.max(0);
        Some(ready.saturating_add(taken))
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
