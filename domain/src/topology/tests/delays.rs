//! Queues of delays, told from workers' queues whose workers are away.

use serde_json::{Value, json};

use super::dead_lettering::to;
use super::{Draft, dying_to};
use crate::topology::{FindingKind as Kind, Map, Role, plan};

fn waiting_for(target: &str) -> Value {
    json!({"consumers": 0, "arguments": {
        "x-message-ttl": 60_000, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": target,
    }})
}

/// `orders.delay` → `orders` → `orders.dead`.
fn delayed(consumers: u32) -> Draft {
    let orders = json!({"consumers": consumers, "arguments": dying_to("", "orders.dead")});
    Draft::new()
        .queue_with("orders.delay", waiting_for("orders"))
        .queue_with("orders", orders)
        .queue_with("orders.dead", json!({"consumers": 0}))
}

/// Two workers that are away: their queues die into one that is named so.
fn away(name: &str, dead: Value) -> Draft {
    Draft::new()
        .queue_with("worker.1", waiting_for(name))
        .queue_with("worker.2", waiting_for(name))
        .queue_with(name, dead)
}

fn role(draft: &Draft, queue: &str) -> Role {
    Map::of(&draft.read()).role(queue)
}

/// The queues that have had no consumer for an hour, of those without one.
fn unworked(draft: &Draft) -> Vec<String> {
    let mut vhost = draft.read();
    for queue in &mut vhost.queues {
        queue.idle_seconds = (queue.figures.consumers == Some(0)).then_some(3_600);
    }
    let found = draft.lint_of(&vhost).found.into_iter();
    let found = found.filter(|finding| finding.kind == Kind::NoConsumer);
    found.map(|finding| finding.subject).collect()
}

#[test]
fn a_queue_that_only_delays_feeds_no_dead_letter_queue() {
    for consumers in [0, 2] {
        let draft = delayed(consumers);
        let roles = ["orders.delay", "orders", "orders.dead"].map(|queue| role(&draft, queue));
        assert_eq!(roles, [Role::Work, Role::Work, Role::DeadLetters]);
        assert_eq!(draft.kinds(), [], "no chain");
    }
    assert_eq!(unworked(&delayed(2)), [""; 0], "delays have no consumers");
    assert_eq!(unworked(&delayed(0)), ["orders"]);
}

#[test]
fn dead_lettering_of_a_queue_that_gets_delayed_messages_can_be_set() {
    let bare = Draft::new()
        .queue_with("orders.delay", waiting_for("orders"))
        .queue("orders", json!({}))
        .queue("orders.dead", json!({}));
    for draft in [bare, delayed(2), delayed(0)] {
        let plan = plan((&draft.read(), "/"), "orders", &to("orders.dead"));
        assert_eq!(plan.refusals, [""; 0]);
        assert_eq!(plan.changes[0].name, "dlo-orders");
    }
}

#[test]
fn queues_of_workers_that_are_away_feed_a_dead_letter_queue() {
    let on = json!({"consumers": 1, "arguments": dying_to("", "further")});
    for dead in [json!({"consumers": 0}), json!({"consumers": 1}), on.clone()] {
        let draft = away("attune.dlx.queue", dead.clone());
        assert_eq!(role(&draft, "attune.dlx.queue"), Role::DeadLetters, "{dead}");
        assert_eq!(unworked(&draft), ["worker.1", "worker.2"], "{dead}");
    }
    let dead = away("attune.dlx.queue", on).queue("further", json!({}));
    assert_eq!(dead.kinds(), [(Kind::Chain, "attune.dlx.queue".to_owned())]);
    let plan = plan((&dead.read(), "/"), "attune.dlx.queue", &to("further"));
    assert!(plan.refusals[0].contains("is a dead-letter queue itself"), "{:?}", plan.refusals);
    // Nobody works on it, and what dies there goes nowhere: letters come to rest.
    let quiet = away("graveyard", json!({"consumers": 0}));
    assert_eq!(role(&quiet, "graveyard"), Role::DeadLetters);
}

/// No name tells of failures there, but somebody has said whose queues those are.
#[test]
fn a_queue_that_a_worker_names_is_none_of_delays() {
    let mut draft = away("graveyard", json!({"consumers": 1}));
    assert_eq!(role(&draft, "graveyard"), Role::Work);
    assert_eq!(unworked(&draft), [""; 0]);
    draft.1.named = ["worker.1", "worker.2"].map(str::to_owned).into();
    assert_eq!(unworked(&draft), ["worker.1", "worker.2"]);
    let vhost = draft.read();
    let map = Map::with_workers(&vhost, &draft.1.named);
    assert_eq!(map.role("graveyard"), Role::DeadLetters);
}

#[test]
fn what_is_worked_on_or_fed_or_has_no_time_limit_does_not_only_delay() {
    let with = |more: Value| {
        let mut delay = waiting_for("orders");
        for (member, value) in more.as_object().expect("members") {
            delay[member] = value.clone();
        }
        Draft::new()
            .queue_with("orders.delay", delay)
            .queue("orders", dying_to("", "orders.dead"))
            .queue_with("orders.dead", json!({"consumers": 0}))
    };
    assert_eq!(role(&with(json!({})), "orders"), Role::Work);
    for more in [
        json!({"consumers": 1}),
        json!({"consumers": null}),
        json!({"arguments": dying_to("", "orders")}),
    ] {
        assert_eq!(role(&with(more.clone()), "orders"), Role::DeadLetters, "{more}");
    }
    let fed = with(json!({})).queue("first", dying_to("", "orders.delay"));
    assert_eq!(role(&fed, "orders"), Role::DeadLetters);
}
