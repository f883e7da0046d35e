//! What a management API says is somebody else's input.

use serde_json::{Value, json};

use super::Draft;
use crate::topology::{Effective, Gap, Origin, QueueKind, Vhost};

fn effective(vhost: &Vhost, name: &str) -> Effective {
    let queue = vhost.queues.iter().find(|queue| queue.name == name);
    Effective::of(vhost, queue.expect("the queue"))
}

#[test]
fn names_that_nothing_can_hold_are_left_out_and_said_to_be() {
    let draft = Draft::new()
        .queue("fine", json!({}))
        .queue("nul\0", json!({}))
        .queue(&"x".repeat(256), json!({}))
        .queue("deep", json!({"x-odd": "a\0b"}))
        .queue("wide", json!({"x-odd": "y".repeat(9_000)}))
        .exchange("bad\0", "fanout", json!({}));
    let vhost = draft.read();
    let names: Vec<&str> = vhost.queues.iter().map(|queue| queue.name.as_str()).collect();
    assert_eq!(names, ["fine"]);
    assert!(vhost.exchanges.is_empty());
    assert_eq!(vhost.gaps, [Gap::Unreadable]);
}

#[test]
fn nonsense_is_read_without_harm() {
    let mut draft = Draft::new();
    for nonsense in [
        json!(null),
        json!([]),
        json!("queue"),
        json!({"name": 7}),
        json!({"name": "q", "arguments": 3, "consumers": "many", "messages_ready": -4,
            "message_stats": {"publish_details": {"rate": "x"}}, "type": 9}),
    ] {
        draft.0.queues.push(nonsense.clone());
        draft.0.exchanges.push(nonsense.clone());
        draft.0.bindings.push(nonsense.clone());
        draft.0.policies.get_or_insert_default().push(nonsense);
    }
    let vhost = draft.read();
    assert_eq!(vhost.queues.len(), 1);
    assert_eq!(vhost.queues[0].figures.ready, None);
    assert_eq!(vhost.gaps, [Gap::Figures, Gap::Unreadable]);
}

/// `{}` since 4.3.0 and 4.2.6, before that `[]`, and `""` where figures were just begun.
#[test]
fn a_policy_that_sets_nothing_is_read_in_each_shape_in_which_it_is_told() {
    let policy = json!({"delivery-limit": 3});
    for shape in [json!({}), json!([]), json!("")] {
        let queue = json!({"type": "quorum", "effective_policy_definition": shape});
        let vhost =
            Draft::new().queue_with("q", queue).policy("new", "^q$", 1, policy.clone()).read();
        assert!(vhost.queues[0].by_policy.is_empty(), "the broker's word counts: {shape}");
    }
    let mut draft = Draft::new().policy("new", "^q$", 1, policy);
    draft.0.queues.push(json!({"name": "q", "type": "quorum"}));
    assert_eq!(draft.read().queues[0].by_policy["delivery-limit"], json!(3), "it says nothing");
}

#[test]
fn figures_that_are_missing_are_not_known_and_none_is_made_of_others() {
    let mut draft = Draft::new();
    // As 4.3.0 to 4.3.3 tell it after an upgrade and a restart.
    draft.0.queues.push(json!({"name": "q", "type": "quorum", "messages_unacknowledged": 2}));
    let figures = draft.read().queues[0].figures;
    assert_eq!((figures.ready, figures.unacknowledged), (None, Some(2)));
    let told = json!({
        "type": "quorum", "messages": 9, "messages_ready": 3, "messages_unacknowledged": 1,
        "messages_dlx": 4, "messages_delayed": 1,
    });
    let figures = Draft::new().queue_with("q", told).read().queues[0].figures;
    assert_eq!((figures.ready, figures.dying, figures.delayed), (Some(3), Some(4), Some(1)));
}

#[test]
fn figures_are_read_where_the_broker_keeps_them() {
    let figures = json!({
        "messages_ready": 5, "messages_unacknowledged": 2, "consumers": 0,
        "message_stats": {"publish_details": {"rate": 1.5}, "deliver_get_details": {"rate": 2}},
    });
    let queue = Draft::new().queue_with("q", figures).read().queues.remove(0);
    assert_eq!((queue.figures.ready, queue.figures.consumers), (Some(5), Some(0)));
    assert_eq!(queue.figures.in_per_second, Some(1.5));
    assert_eq!(queue.figures.out_per_second, Some(2.0));
    let bare = json!({"consumers": null, "messages_ready": null, "messages": 9});
    let vhost = Draft::new().queue_with("q", bare).read();
    assert_eq!(vhost.queues[0].figures.ready, Some(9));
    assert_eq!(vhost.gaps, [Gap::Figures]);
}

#[test]
fn an_argument_beats_a_policy_but_limits_are_the_least_of_both() {
    let by_policy = json!({
        "dead-letter-exchange": "theirs", "message-ttl": 5, "max-length": 9, "overflow": "drop-head",
    });
    let vhost = Draft::new()
        .queue_with(
            "q",
            json!({
                "type": "quorum", "policy": "p", "effective_policy_definition": by_policy,
                "arguments": {
                    "x-dead-letter-exchange": "own", "x-message-ttl": 7, "x-max-length": 3,
                    "x-overflow": "reject-publish",
                },
            }),
        )
        .policy("p", ".*", 0, by_policy.clone())
        .read();
    let found = effective(&vhost, "q");
    let dlx = found.dead_letter_exchange.expect("set");
    assert_eq!((dlx.value.as_str(), dlx.origin), ("own", Origin::Argument));
    let ttl = found.message_ttl.expect("set");
    assert_eq!((ttl.value, ttl.origin), (5, Origin::Policy("p".to_owned())));
    let most = found.max_length.expect("set");
    assert_eq!((most.value, most.origin), (3, Origin::Argument));
    // Of a quorum queue: rabbit_quorum_queue.erl, policy_has_precedence.
    assert_eq!(found.overflow.expect("set").value, "drop-head");
}

#[test]
fn what_the_broker_does_not_tell_is_reckoned_from_the_policies() {
    let untold = |version: &str| {
        let mut draft = Draft::new()
            .version(version)
            .policy("low", "^q", 1, json!({"dead-letter-exchange": "low"}))
            .policy("high", "^q", 2, json!({"dead-letter-exchange": "high", "max-length": 9}))
            .policy("quorum", "^q", 3, json!({"delivery-limit": 3}))
            .policy("ahead", "^(?!x)", 1, json!({"expires": 1}));
        draft.0.operator_policies = Some(vec![json!({
            "name": "op", "pattern": "q", "apply-to": "queues", "priority": 0,
            "definition": {"max-length": 4},
        })]);
        draft.0.queues.push(json!({"name": "q", "type": "classic", "arguments": {}}));
        draft.read()
    };
    let vhost = untold("3.10.8");
    let found = effective(&vhost, "q");
    let dlx = found.dead_letter_exchange.expect("set");
    assert_eq!(dlx.value, "high", "a classic queue knows no delivery limit");
    assert_eq!(dlx.origin, Origin::Policy("high".to_owned()));
    let most = found.max_length.expect("set");
    assert_eq!((most.value, most.origin), (4, Origin::OperatorPolicy("op".to_owned())));
}

#[test]
fn kinds_of_queues_are_told_from_type_or_arguments() {
    let of = |queue: Value| {
        let mut draft = Draft::new();
        draft.0.queues.push(queue);
        draft.read().queues[0].kind
    };
    assert_eq!(of(json!({"name": "q"})), QueueKind::Classic);
    assert_eq!(of(json!({"name": "q", "type": "quorum"})), QueueKind::Quorum);
    let argument = json!({"name": "q", "arguments": {"x-queue-type": "stream"}});
    assert_eq!(of(argument), QueueKind::Stream);
    assert_eq!(of(json!({"name": "q", "type": "x-theirs"})), QueueKind::Other);
}

#[test]
fn time_without_consumers_is_added_up_and_no_clock_can_jump_it() {
    let with =
        |consumers: Value| Draft::new().queue_with("q", json!({"consumers": consumers})).read();
    let idle = |vhost: &Vhost| vhost.queues[0].idle_seconds;
    let mut first = with(json!(0));
    first.carry_idle(None, 0, 60);
    assert_eq!(idle(&first), Some(0));
    let next = |before: &Vhost, consumers: Value, seconds| {
        let mut vhost = with(consumers);
        vhost.carry_idle(Some(before), seconds, 60);
        vhost
    };
    let second = next(&first, json!(0), 30);
    assert_eq!(idle(&second), Some(30));
    // An hour forward, an hour back, and an outage of a day.
    assert_eq!(idle(&next(&second, json!(0), 3_600)), Some(90));
    assert_eq!(idle(&next(&second, json!(0), -3_600)), Some(30));
    assert_eq!(idle(&next(&second, json!(0), 86_400)), Some(90));
    // Nobody knows: it stays. Somebody came: it begins anew.
    assert_eq!(idle(&next(&second, Value::Null, 30)), Some(30));
    assert_eq!(idle(&next(&second, json!(1), 30)), None);
}
