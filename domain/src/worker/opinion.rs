//! What a broker says of a worker, beside its heartbeats: whether somebody consumes its queue, and
//! whether that is the worker, as far as names tell. It changes what is said of a worker, and never
//! whether it is stale.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Condition;

/// Consumers of a queue that are looked at.
pub const MOST_TAGS: usize = 100;

/// A queue of a worker's, as a broker tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkerQueue {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue.
    pub queue: String,
    /// When that was read.
    pub read_at: DateTime<Utc>,
    /// Its consumers; absent when the broker does not tell.
    pub consumers: Option<i64>,
    /// What the first of them call themselves; absent when the broker does not tell.
    pub tags: Option<Vec<String>>,
}

/// What a broker says of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Opinion {
    /// It is silent, and the broker has a consumer that is called like it: it may be cut off from us,
    /// or hang.
    SilentButConsumes,
    /// It is silent, and its queue has consumers of other names: it may be one of them.
    SilentOthersConsume,
    /// It is silent, and nobody consumes its queue.
    SilentAndGone,
    /// It beats, and nobody consumes its queue.
    BeatsButConsumesNothing,
    /// It has stopped, or drains, and the broker has a consumer that is called like it.
    LeavesButConsumes,
}

/// What is said of a worker of this name and condition. Nothing when that is as it should be, or not
/// known of every queue that is called like its own.
#[must_use]
pub fn opinion(name: &str, condition: Condition, queues: &[WorkerQueue]) -> Option<Opinion> {
    let all: i64 = queues
        .iter()
        .map(|queue| queue.consumers)
        .sum::<Option<i64>>()
        .filter(|_| !queues.is_empty())?;
    let mut tags = queues.iter().flat_map(|queue| queue.tags.iter().flatten());
    let is_there = tags.any(|tag| names(tag, name));
    match condition {
        Condition::Stale if is_there => Some(Opinion::SilentButConsumes),
        Condition::Stale if all > 0 => Some(Opinion::SilentOthersConsume),
        Condition::Stale => Some(Opinion::SilentAndGone),
        Condition::Fresh if all == 0 => Some(Opinion::BeatsButConsumesNothing),
        Condition::Draining | Condition::Stopped if is_there => Some(Opinion::LeavesButConsumes),
        Condition::Fresh | Condition::Draining | Condition::Stopped => None,
    }
}

/// Whether a tag holds the name by itself: `ctag-worker-1.0` names `worker-1`, `worker-12` does not.
fn names(tag: &str, name: &str) -> bool {
    let stands_alone = |(at, _): (usize, &str)| {
        let before = tag[..at].chars().next_back();
        let after = tag[at + name.len()..].chars().next();
        let goes_on = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
        !goes_on(before) && !goes_on(after)
    };
    !name.is_empty() && tag.match_indices(name).any(stands_alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(consumers: Option<i64>, tags: Option<&[&str]>) -> WorkerQueue {
        WorkerQueue {
            broker: "main".to_owned(),
            vhost: "/".to_owned(),
            queue: "q".to_owned(),
            read_at: DateTime::UNIX_EPOCH,
            consumers,
            tags: tags.map(|tags| tags.iter().map(|&tag| tag.to_owned()).collect()),
        }
    }

    #[test]
    fn a_tag_names_a_worker_only_by_itself() {
        for (tag, is) in [
            ("worker-1", true),
            ("ctag1.worker-1", true),
            ("worker-1:0", true),
            ("a worker-12 beside worker-1", true),
            ("worker-12", false),
            ("coworker-1", false),
            ("", false),
            ("\u{e9}worker-1\u{e9}", false),
            ("<worker-1>", true),
        ] {
            assert_eq!(names(tag, "worker-1"), is, "{tag}");
        }
        assert!(!names("anything", ""));
    }

    #[test]
    fn what_is_not_known_is_no_opinion() {
        let unknown = queue(None, None);
        let known = queue(Some(0), Some(&[]));
        for queues in [vec![], vec![unknown.clone()], vec![known, unknown]] {
            for condition in Condition::ALL {
                assert_eq!(opinion("w", condition, &queues), None, "{queues:?}");
            }
        }
    }

    #[test]
    fn heartbeats_and_the_broker_are_held_against_each_other() {
        let none = [queue(Some(0), Some(&[]))];
        let own = [queue(Some(0), Some(&[])), queue(Some(2), Some(&["x", "w"]))];
        let others = [queue(Some(1), Some(&["amq.ctag-x"]))];
        let untold = [queue(Some(1), None)];
        let (stale, fresh) = (Condition::Stale, Condition::Fresh);
        let (draining, stopped) = (Condition::Draining, Condition::Stopped);
        for (condition, queues, said) in [
            (stale, &own[..], Some(Opinion::SilentButConsumes)),
            (stale, &others, Some(Opinion::SilentOthersConsume)),
            (stale, &untold, Some(Opinion::SilentOthersConsume)),
            (stale, &none, Some(Opinion::SilentAndGone)),
            (fresh, &none, Some(Opinion::BeatsButConsumesNothing)),
            (fresh, &own, None),
            (fresh, &others, None),
            (stopped, &own, Some(Opinion::LeavesButConsumes)),
            (draining, &own, Some(Opinion::LeavesButConsumes)),
            (draining, &none, None),
            (stopped, &others, None),
        ] {
            assert_eq!(opinion("w", condition, queues), said, "{condition:?} {queues:?}");
        }
    }
}
