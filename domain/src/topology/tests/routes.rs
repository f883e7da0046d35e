//! Where dead letters go, and which queue is what.

use serde_json::json;

use super::{Draft, dying, dying_to, sound};
use crate::topology::{End, Map, Role, applies_to, pattern_of};

fn targets(draft: &Draft, queue: &str) -> Vec<String> {
    let vhost = draft.read();
    let map = Map::of(&vhost);
    let route = map.route(queue).expect("a route");
    route.to.iter().cloned().collect()
}

#[test]
fn letters_are_followed_from_exchange_to_exchange() {
    let mut draft = Draft::new()
        .queue("work", dying_to("dlx", "a.b"))
        .exchange("dlx", "topic", json!({}))
        .exchange("all", "fanout", json!({}))
        .exchange("by-header", "headers", json!({}))
        .queue("one", json!({}))
        .queue("two", json!({}))
        .queue("three", json!({}))
        .queue("never", json!({}))
        .bind("dlx", "one", "a.*")
        .bind("dlx", "never", "b.#")
        .bind("all", "two", "")
        .bind("by-header", "three", "");
    for (source, destination) in [("dlx", "all"), ("all", "by-header"), ("all", "dlx")] {
        draft.0.bindings.push(json!({
            "source": source, "destination": destination, "destination_type": "exchange",
            "routing_key": "#",
        }));
    }
    assert_eq!(targets(&draft, "work"), ["one", "three", "two"]);
}

#[test]
fn letters_keep_the_keys_that_they_came_with() {
    let draft = Draft::new()
        .exchange("in", "topic", json!({}))
        .queue("work", dying("dlx"))
        .bind("in", "work", "order.*")
        .exchange("dlx", "topic", json!({}))
        .queue("dead", json!({}))
        .bind("dlx", "dead", "order.#");
    assert_eq!(targets(&draft, "work"), ["dead"]);
    assert_eq!(draft.kinds(), [], "the keys may all be taken");
}

#[test]
fn queues_are_told_apart_by_what_they_are_for() {
    let draft = sound().queue("retried", dying_to("", "later")).queue_with(
        "later",
        json!({"consumers": 0, "arguments": {
            "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "retried",
            "x-message-ttl": 1000,
        }}),
    );
    let vhost = draft.read();
    let map = Map::of(&vhost);
    let roles = ["work", "dead", "retried", "later"].map(|queue| map.role(queue));
    assert_eq!(roles, [Role::Work, Role::DeadLetters, Role::Work, Role::Retry]);
    assert_eq!(map.feeders("dead").collect::<Vec<_>>(), ["work"]);
    assert_eq!(map.route("work").expect("a route").end, End::Arrives);
}

#[test]
fn a_pattern_matches_one_name_and_no_other() {
    let names = [
        "orders.work",
        "ordersxwork",
        "a.orders.work",
        "orders.work.b",
        "orders.work\n",
        "a(b",
        "a|b",
        "[x]",
        "^$",
        "\\d",
        "d",
        "a+",
        "aa",
        "ä.*",
        "#",
        "x-y_z {1}",
    ];
    for name in names {
        let pattern = pattern_of(name);
        let policy = crate::topology::Policy {
            pattern,
            apply_to: "queues".to_owned(),
            ..crate::topology::Policy::default()
        };
        for other in names {
            let queue = crate::topology::Queue {
                name: other.to_owned(),
                ..crate::topology::Queue::default()
            };
            assert_eq!(applies_to(&policy, &queue), Some(name == other), "{name} {other}");
        }
    }
}

#[test]
fn whose_dead_letters_come_to_a_queue_is_followed_over_others() {
    let draft = Draft::new()
        .queue("work", dying_to("", "wait"))
        .queue("wait", dying_to("", "dead"))
        .queue("round", dying_to("", "work"))
        .queue("other", dying_to("", "elsewhere"))
        .queue("elsewhere", json!({}))
        .queue("dead", json!({}));
    let vhost = draft.read();
    let map = Map::of(&vhost);
    let origins: Vec<String> = map.origins("dead").into_iter().collect();
    assert_eq!(origins, ["round", "wait", "work"]);
    assert!(map.origins("work").contains("round") && !map.origins("work").contains("work"));
}

#[test]
fn who_gets_what_is_published_is_told_only_where_all_of_it_is_known() {
    let draft = Draft::new()
        .exchange("in", "topic", json!({}))
        .exchange("all", "fanout", json!({}))
        .queue("work", json!({}))
        .queue("audit", json!({}))
        .bind("in", "work", "order.*")
        .bind("in", "audit", "#")
        .bind("all", "work", "");
    let vhost = draft.read();
    let map = Map::of(&vhost);
    let got = |exchange, key| map.receivers(exchange, key).map(|queues| queues.len());
    assert_eq!(got("in", "order.new"), Some(2));
    assert_eq!(got("in", "payment"), Some(1));
    assert_eq!(got("all", ""), Some(1));
    assert_eq!(got("nowhere", ""), Some(0));
    let mut many = Draft::new().exchange("all", "fanout", json!({}));
    for number in 0..201 {
        let name = format!("q{number}");
        many = many.queue(&name, json!({})).bind("all", &name, "");
    }
    let many = many.read();
    assert_eq!(Map::of(&many).receivers("all", ""), None);
}
