//! For how long queues have had no consumer. It is added up from read to read, so that neither a clock
//! that was set nor a broker that was away for an hour makes a queue idle that was not seen to be.

use std::collections::BTreeMap;

use super::model::Vhost;

impl Vhost {
    /// Adds `seconds`, the time since the read `before`, to queues that had no consumer then and have
    /// none now. `most` is what a pause between two reads counts at most.
    pub fn carry_idle(&mut self, before: Option<&Self>, seconds: i64, most: u32) {
        let passed = u32::try_from(seconds.max(0)).unwrap_or(u32::MAX).min(most);
        let known: BTreeMap<&str, u32> = before
            .iter()
            .flat_map(|vhost| &vhost.queues)
            .filter_map(|queue| Some((queue.name.as_str(), queue.idle_seconds?)))
            .collect();
        for queue in &mut self.queues {
            let until_then = known.get(queue.name.as_str());
            queue.idle_seconds = match queue.figures.consumers {
                Some(0) => Some(until_then.map_or(0, |until| until.saturating_add(passed))),
                // Nobody knows: what is known stays, and nothing is added.
                None => until_then.copied(),
                Some(_) => None,
            };
        }
    }
}
