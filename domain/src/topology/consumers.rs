//! Who consumes the queues that workers name, as a broker tells it: tags are whatever their clients call
//! themselves.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::model::{MOST_NAME_BYTES, Vhost};
use crate::reading::cut;
use crate::worker::MOST_TAGS;

/// A queue that a worker names, and who consumes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenConsumers {
    /// The queue.
    pub queue: String,
    /// How many there are; absent when the broker does not tell.
    pub consumers: Option<i64>,
    /// What the first of them call themselves; absent when the broker does not tell.
    pub tags: Option<Vec<String>>,
}

/// The queues of `named` that are there, with their consumers: as many as the broker counts, some
/// seconds ago, or as many as are in `told`, its list of them, if those are more.
#[must_use]
pub fn seen_consumers(
    vhost: &Vhost,
    told: Option<&[Value]>,
    named: &BTreeSet<String>,
) -> Vec<SeenConsumers> {
    let by_queue = told.map(by_queue);
    let queues = vhost.queues.iter();
    queues
        .filter(|queue| named.contains(&queue.name))
        .map(|queue| {
            let tags = by_queue.as_ref().map(|all| all.get(queue.name.as_str()));
            let listed = tags.flatten().map_or(0, Vec::len);
            let listed = i64::try_from(listed).unwrap_or(i64::MAX);
            SeenConsumers {
                queue: queue.name.clone(),
                // A user without the tag `monitoring` is shown its own consumers alone: a list may
                // prove that there are some, and never that there is none.
                consumers: match queue.figures.consumers {
                    Some(counted) => Some(counted.max(listed)),
                    None => (listed > 0).then_some(listed),
                },
                tags: tags.map(|tags| {
                    let tags = tags.into_iter().flatten();
                    tags.take(MOST_TAGS).map(|tag| shown(tag)).collect()
                }),
            }
        })
        .collect()
}

fn by_queue(told: &[Value]) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for consumer in told {
        let queue = consumer.pointer("/queue/name").and_then(Value::as_str);
        if let Some(queue) = queue {
            let tag = consumer.get("consumer_tag").and_then(Value::as_str);
            all.entry(queue).or_default().push(tag.unwrap_or_default());
        }
    }
    all
}

/// A tag as it can be kept and shown.
fn shown(tag: &str) -> String {
    let plain: String =
        tag.chars().map(|sign| if sign.is_control() { '\u{fffd}' } else { sign }).collect();
    cut(&plain, MOST_NAME_BYTES)
}
