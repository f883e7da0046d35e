//! The queues with which Celery delays tasks on RabbitMQ: 28 levels, each waits twice as long as the one below
//! and dead-letters to it (`kombu/transport/native_delayed_delivery.py`). They look like dead-letter queues that
//! lose their letters, and are none: nothing failed in them.

use super::model::Queue;

/// How the names of its queues and exchanges end, before the level.
const STEM: &str = "celery_delayed_";
/// The highest level.
const TOP: u32 = 27;

/// Whether a queue is one of these: by its name, how long it waits, and where it dead-letters.
pub(super) fn is_delay(queue: &Queue) -> bool {
    let Some((_, level)) = queue.name.rsplit_once(STEM) else {
        return false;
    };
    let Some(level) = level.parse().ok().filter(|level: &u32| *level <= TOP) else {
        return false;
    };
    let number = |key| queue.arguments.get(key).and_then(serde_json::Value::as_i64);
    let next = queue.arguments.get("x-dead-letter-exchange");
    let goes_on = next.and_then(serde_json::Value::as_str).is_some_and(|next| next.contains(STEM));
    goes_on && number("x-message-ttl") == Some(1_000 << level)
}
