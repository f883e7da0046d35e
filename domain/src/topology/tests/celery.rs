//! Celery's queues of delays look like dead-letter queues that lose their letters.

use serde_json::{Value, json};

use super::Draft;
use crate::topology::{Discover, Discovery, Map, Role};

fn level(level: u32, next: &str) -> Value {
    json!({"type": "quorum", "consumers": 0, "arguments": {
        "x-queue-type": "quorum", "x-message-ttl": 1_000_i64 << level, "x-overflow": "reject-publish",
        "x-dead-letter-strategy": "at-least-once", "x-dead-letter-exchange": next,
    }})
}

/// Two levels that hand on to the queue of a worker that is away.
fn delaying() -> Draft {
    Draft::new()
        .version("4.3.6")
        .queue_with("celery_delayed_1", level(1, "celery_delayed_0"))
        .queue_with("celery_delayed_0", level(0, "celery_delayed_delivery"))
        .queue_with("celery", json!({"consumers": 0}))
        .exchange("celery_delayed_0", "topic", json!({}))
        .exchange("celery_delayed_delivery", "topic", json!({}))
        .bind("celery_delayed_0", "celery_delayed_0", "#.1.#")
        .bind("celery_delayed_delivery", "celery", "#.celery")
}

#[test]
fn queues_in_which_celery_delays_tasks_are_no_dead_letter_queues() {
    let draft = delaying();
    let vhost = draft.read();
    let map = Map::of(&vhost);
    let roles = ["celery_delayed_1", "celery_delayed_0", "celery"].map(|name| map.role(name));
    assert_eq!(roles, [Role::Retry, Role::Retry, Role::Work]);
    assert_eq!(draft.kinds(), [], "nothing of them is lost");
    let mut found = Discovery::begin(&Discover::default(), &[]);
    found.look(&map, ("main", "/"), |_| false);
    assert_eq!(found.items, [], "none is to be watched");
}

#[test]
fn a_queue_that_is_only_called_so_is_looked_at() {
    let mut other = level(3, "celery_delayed_0");
    other["arguments"]["x-message-ttl"] = json!(60_000);
    let draft = Draft::new().version("4.3.6").queue_with("celery_delayed_3", other);
    assert_ne!(draft.kinds(), [], "its exchange is missing");
}
