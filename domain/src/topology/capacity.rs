//! Queues that drop what they confirm: a queue with a limit confirms a message before it looks for room.

use super::Gap;
use super::map::Map;
use super::model::{Queue, QueueKind, Vhost};
use super::route;
use super::setting::{Effective, Setting};

/// What a queue does with messages that it confirmed and has no room for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overflow {
    /// Whether it has no room at all: unless a consumer is free at once, a message is dropped. A queue that
    /// dead-letters what it drops is not among these.
    pub keeps_nothing: bool,
    /// What it does, in words.
    pub says: String,
}

impl Vhost {
    /// What a queue would do with `messages` more; `None` if it has room for them, refuses what is too much,
    /// or is not known.
    #[must_use]
    pub fn overflow(&self, queue: &str, messages: i64) -> Option<Overflow> {
        let queue = self.queues.iter().find(|other| other.name == queue)?;
        queue.overflow(&Effective::of(self, queue), messages)
    }

    /// Why it is not known that a message is kept which was published there and confirmed, by each queue that
    /// gets it: one of them keeps nothing, or was not read. `None` if all of them keep it.
    #[must_use]
    pub fn may_drop(&self, exchange: &str, routing_key: &str) -> Option<String> {
        let mut nothing = self.keeping_nothing();
        let queue = exchange.is_empty().then_some(routing_key);
        if !self.tells_what_is_kept(queue) {
            return Some(match queue {
                Some(name) => format!("The management API does not show the queue `{name}`."),
                None => Gap::Wiring.says().to_owned(),
            });
        }
        if let Some(queue) = queue {
            return nothing.find(|(name, _)| *name == queue).map(|(_, says)| says);
        }
        let mut nothing = nothing.peekable();
        nothing.peek()?;
        let receivers = route::receivers(&Map::of(self), exchange, routing_key);
        nothing
            .find(|(name, _)| receivers.as_ref().is_none_or(|all| all.contains(*name)))
            .map(|(_, says)| says)
    }

    /// Whether enough was read to know what is kept of messages that go to this queue, or to an exchange.
    #[must_use]
    pub fn tells_what_is_kept(&self, queue: Option<&str>) -> bool {
        match queue {
            Some(name) => self.queues.iter().any(|queue| queue.name == name),
            None => !self.lacks(Gap::Queues) && !self.lacks(Gap::Wiring),
        }
    }

    /// The queues that keep nothing, each with what it does.
    fn keeping_nothing(&self) -> impl Iterator<Item = (&str, String)> {
        self.queues.iter().filter_map(|queue| {
            let overflow = queue.overflow(&Effective::of(self, queue), 0)?;
            let Overflow { says, .. } = overflow.keeps_nothing.then_some(overflow)?;
            Some((queue.name.as_str(), says))
        })
    }
}

impl Queue {
    fn overflow(&self, effective: &Effective, messages: i64) -> Option<Overflow> {
        let refuses = |set: &Setting<String>| set.value.starts_with("reject-publish");
        if self.kind == QueueKind::Stream || effective.overflow.as_ref().is_some_and(refuses) {
            return None;
        }
        let name = &self.name;
        let is_dead_lettered = effective.dead_letter_exchange.is_some();
        let none = |set: &Option<Setting<i64>>| set.clone().filter(|set| set.value == 0);
        let (length, bytes) = (&effective.max_length, &effective.max_length_bytes);
        for (what, set) in [("max-length", none(length)), ("max-length-bytes", none(bytes))] {
            let Some(set) = set else { continue };
            let then = if is_dead_lettered {
                "dead-letters it at once"
            } else {
                "drops it, unless a consumer is free at once"
            };
            return Some(Overflow {
                keeps_nothing: !is_dead_lettered,
                says: format!(
                    "`{name}` keeps no messages ({what} 0 by {}): the broker confirms each and {then}",
                    set.origin.says()
                ),
            });
        }
        let set = length.as_ref()?;
        let waiting = self.figures.ready.unwrap_or_default();
        (waiting.saturating_add(messages) > set.value).then(|| Overflow {
            keeps_nothing: false,
            says: format!(
                "`{name}` holds {} messages at most (max-length by {}) and has {waiting}: the broker \
                 confirms what is above that and {} the oldest",
                set.value,
                set.origin.says(),
                if is_dead_lettered { "dead-letters" } else { "drops" }
            ),
        })
    }
}
