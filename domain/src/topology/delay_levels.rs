//! The queues with which Celery and NServiceBus delay messages on RabbitMQ: 28 levels, each waits twice as long as the
//! one below and dead-letters to it (`kombu/transport/native_delayed_delivery.py`; NServiceBus.RabbitMQ,
//! `DelayInfrastructure.cs`). They look like dead-letter queues that lose their letters, and are none: nothing failed
//! in them.

use super::model::Queue;

/// How the names of a level's queue end before its number, and where it dead-letters to.
const FAMILIES: [(&str, &str); 3] = [
    ("celery_delayed_", "celery_delayed_"),
    ("nsb.delay-level-", "nsb.delay-"),
    ("nsb.v2.delay-level-", "nsb.v2.delay-"),
];
/// The highest level.
const TOP: u32 = 27;

/// Whether a queue is one of these: by its name, how long it waits, and where it dead-letters.
pub(super) fn is_delay(queue: &Queue) -> bool {
    FAMILIES.into_iter().any(|(stem, next)| is_of(queue, stem, next))
}

fn is_of(queue: &Queue, stem: &str, next: &str) -> bool {
    let Some((_, level)) = queue.name.rsplit_once(stem) else {
        return false;
    };
    let Some(level) = level.parse().ok().filter(|level: &u32| *level <= TOP) else {
        return false;
    };
    let number = |key| queue.arguments.get(key).and_then(serde_json::Value::as_i64);
    let to = queue.arguments.get("x-dead-letter-exchange").and_then(serde_json::Value::as_str);
    to.is_some_and(|to| to.contains(next)) && number("x-message-ttl") == Some(1_000 << level)
}
