//! The queues with which Celery and NServiceBus delay messages on RabbitMQ: 28 levels, each waits twice as long as the
//! one below and dead-letters to it (`kombu/transport/native_delayed_delivery.py`; NServiceBus.RabbitMQ,
//! `DelayInfrastructure.cs`). They look like dead-letter queues that lose their letters, and are none: nothing failed
//! in them. All levels of a set are one delay.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::model::{Queue, Vhost};

/// How one framework calls its levels.
struct Family {
    /// What a delay of it is called.
    name: &'static str,
    /// What the name of a level's queue has before its number.
    stem: &'static str,
    /// What the name of the exchange has that a level dead-letters to.
    next: &'static str,
}

const FAMILIES: [Family; 3] = [
    Family { name: "celery", stem: "celery_delayed_", next: "celery_delayed_" },
    Family { name: "nsb", stem: "nsb.delay-level-", next: "nsb.delay-" },
    Family { name: "nsb.v2", stem: "nsb.v2.delay-level-", next: "nsb.v2.delay-" },
];
/// The highest level.
const TOP: u32 = 27;

/// Which level of which delay a queue is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DelayLevel {
    /// What the delay is called, as `nsb.v2` or `celery`.
    pub delay: String,
    /// The level, from 0: a message waits 2 to the power of it, in seconds.
    pub level: u32,
}

impl DelayLevel {
    /// The level that a queue is, by its name, how long it waits, and where it dead-letters. `None` for any other
    /// queue.
    pub(super) fn of(queue: &Queue) -> Option<Self> {
        FAMILIES.iter().find_map(|family| family.level(queue))
    }
}

impl Family {
    fn level(&self, queue: &Queue) -> Option<DelayLevel> {
        let (before, level) = queue.name.rsplit_once(self.stem)?;
        let level = level.parse().ok().filter(|level: &u32| *level <= TOP)?;
        let number = |key| queue.arguments.get(key).and_then(serde_json::Value::as_i64);
        let to = queue.arguments.get("x-dead-letter-exchange").and_then(serde_json::Value::as_str);
        let is_level = to.is_some_and(|to| to.contains(self.next))
            && number("x-message-ttl") == Some(1_000 << level);
        is_level.then(|| DelayLevel { delay: format!("{before}{}", self.name), level })
    }
}

/// All levels of a delay together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Delay {
    /// What it is called, as `nsb.v2` or `celery`.
    pub name: String,
    /// How many levels it has.
    pub levels: u32,
    /// The queue of its lowest level: what comes out of it goes to work.
    pub lowest: String,
    /// How many messages wait in it. `None` if the broker does not tell that of every level.
    pub waiting: Option<i64>,
    /// The queue of the lowest level in which a message waits.
    pub next_in: Option<String>,
    /// When the next message has come out at the latest. A broker does not tell how long a message has waited: it
    /// may come out at any time before.
    pub next_by: Option<DateTime<Utc>>,
}

impl Delay {
    /// The delays of a vhost that was read at this time, by name.
    #[must_use]
    pub fn all(vhost: &Vhost, read_at: DateTime<Utc>) -> Vec<Self> {
        let mut delays: BTreeMap<String, BTreeMap<u32, &Queue>> = BTreeMap::new();
        for queue in &vhost.queues {
            if let Some(DelayLevel { delay, level }) = DelayLevel::of(queue) {
                delays.entry(delay).or_default().insert(level, queue);
            }
        }
        let delays = delays.into_iter();
        delays.filter_map(|(name, levels)| Self::of(name, &levels, read_at)).collect()
    }

    fn of(name: String, levels: &BTreeMap<u32, &Queue>, read_at: DateTime<Utc>) -> Option<Self> {
        let (_, lowest) = levels.first_key_value()?;
        let next = levels.iter().find(|(_, queue)| queue.figures.ready.is_some_and(|one| one > 0));
        Some(Self {
            name,
            levels: u32::try_from(levels.len()).unwrap_or(u32::MAX),
            lowest: lowest.name.clone(),
            waiting: levels
                .values()
                .try_fold(0_i64, |sum, queue| Some(sum.saturating_add(queue.figures.ready?))),
            next_in: next.map(|(_, queue)| queue.name.clone()),
            // It waits here, and then perhaps in every level below.
            next_by: next.map(|(level, _)| read_at + TimeDelta::seconds((2 << level) - 1)),
        })
    }
}
