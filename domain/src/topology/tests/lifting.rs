//! Lifting the limit of a queue that letters are taken from.

use serde_json::{Value, json};

use super::Draft;
use crate::topology::{
    DeadLetteringPlan, NewDeadLettering, Wish, plan, plan_lift, plan_removal, read_now,
};

fn lifted(draft: &Draft) -> DeadLetteringPlan {
    plan_lift((&read_now(&draft.0), "/"), "dead")
}

fn definition(plan: &DeadLetteringPlan) -> Value {
    assert_eq!(plan.refusals, [""; 0]);
    let definition = plan.changes[0].definition.clone();
    Value::Object(definition.expect("a policy"))
}

fn quorum(version: &str, arguments: Value) -> Draft {
    Draft::new().version(version).quorum("dead", arguments)
}

#[test]
fn a_policy_of_ours_lifts_it_and_repeats_the_one_that_applies() {
    let bare = quorum("4.3.6", json!({}));
    assert_eq!(definition(&lifted(&bare)), json!({"delivery-limit": -1}));
    let below = json!({"max-length": 9, "delivery-limit": 3});
    let draft = quorum("4.3.6", json!({})).policy("bounds", "^dead", 7, below);
    let plan = lifted(&draft);
    let wanted = json!({"max-length": 9, "delivery-limit": -1});
    assert_eq!(definition(&plan), wanted);
    assert_eq!((plan.changes[0].priority, plan.changes[0].base.as_deref()), (8, Some("bounds")));
    let line = plan.changes[0].lines.iter().find(|line| line.key == "delivery-limit");
    let line = line.expect("it is told");
    assert_eq!((line.before.clone(), line.after.clone()), (Some(json!(3)), None));
}

#[test]
fn what_was_set_here_for_the_queue_stays() {
    let ours =
        json!({"message-ttl": 5, "dead-letter-exchange": "", "dead-letter-routing-key": "x"});
    let draft = quorum("4.3.6", json!({})).policy("dlo-dead", r"^dead\z", 1, ours);
    let wanted = json!({
        "message-ttl": 5, "dead-letter-exchange": "", "dead-letter-routing-key": "x",
        "delivery-limit": -1,
    });
    assert_eq!(definition(&lifted(&draft)), wanted);
}

#[test]
fn where_no_policy_lifts_it_the_way_is_told_and_nothing_is_set() {
    for (version, arguments, words, has_steps) in [
        ("4.3.6", json!({"x-delivery-limit": 5}), "declared with x-delivery-limit 5", true),
        ("4.2.9", json!({}), "older than 4.3", true),
        ("3.10.8", json!({"x-delivery-limit": 2}), "declared with x-delivery-limit 2", true),
        ("4.3.6", json!({"x-delivery-limit": -1}), "has no limit", false),
        ("3.10.8", json!({}), "has no limit", false),
    ] {
        let told = format!("{version} {arguments}");
        let plan = lifted(&quorum(version, arguments));
        assert!(plan.changes.is_empty(), "{told}");
        assert!(plan.refusals[0].contains(words), "{told}: {:?}", plan.refusals);
        assert_eq!(!plan.migration.is_empty(), has_steps, "{told}");
    }
    let count = json!({"delivery-limit": 4});
    let old = quorum("3.10.8", json!({})).policy("count", "^dead", 1, count.clone());
    assert!(lifted(&old).refusals[0].contains("take `delivery-limit` out of that"));
    let operators = quorum("4.3.6", json!({})).operated("ops", "^dead", count.clone());
    assert!(lifted(&operators).refusals[0].contains("have the broker's operator"));
    // Seen on 4.3.6: the argument applies where the policy says -1.
    let both = quorum("4.3.6", json!({"x-delivery-limit": 50})).policy("count", "^dead", 1, count);
    let plan = lifted(&both);
    assert!(
        plan.changes.is_empty() && plan.refusals[0].contains("x-delivery-limit 50"),
        "{plan:?}"
    );
}

#[test]
fn the_steps_declare_a_queue_without_a_limit_by_the_rules_of_the_version() {
    for (version, given, wanted) in [
        ("4.2.9", json!({}), r#""x-delivery-limit":-1"#),
        ("3.10.8", json!({"x-delivery-limit": 2}), r#"{"x-queue-type":"quorum"}"#),
    ] {
        let plan = lifted(&quorum(version, given));
        let commands = plan.migration[0].commands.join("\n");
        assert!(commands.contains("dead.next") && commands.contains(wanted), "{commands}");
    }
}

#[test]
fn an_operators_limit_applies_where_ours_says_none() {
    // Seen on 4.3.6: of -1 and 7, whoever says which, 7 applies.
    for (own, operators) in [(-1, 7), (7, -1)] {
        let draft = quorum("4.3.6", json!({}))
            .policy("own", "^dead", 1, json!({"delivery-limit": own}))
            .operated("ops", "^dead", json!({"delivery-limit": operators}));
        let vhost = read_now(&draft.0);
        assert_eq!(vhost.queues[0].by_policy["delivery-limit"], json!(7), "{own} {operators}");
    }
}

#[test]
fn taking_a_retention_back_leaves_the_limit_lifted() {
    let draft = quorum("4.3.6", json!({}))
        .queue("work", json!({}))
        .policy(
            "dlo-work",
            r"^work\z",
            1,
            json!({"dead-letter-exchange": "", "dead-letter-routing-key": "dead"}),
        )
        .policy("dlo-dead", r"^dead\z", 1, json!({"message-ttl": 60_000, "delivery-limit": -1}));
    let removal = plan_removal(&read_now(&draft.0), "work");
    let of_dead = removal.changes.iter().find(|change| change.queue == "dead").expect("changed");
    let left = of_dead.definition.clone().map(Value::Object);
    assert_eq!(left, Some(json!({"delivery-limit": -1})));
    let wanted = NewDeadLettering {
        dead_letter_queue: "dead".to_owned(),
        retention_seconds: Wish::Set(7_200),
        ..NewDeadLettering::default()
    };
    let again = plan((&read_now(&draft.0), "/"), "work", &wanted);
    let of_dead = again.changes.iter().find(|change| change.queue == "dead").expect("changed");
    let kept = of_dead.definition.clone().map(Value::Object);
    assert_eq!(kept, Some(json!({"message-ttl": 7_200_000, "delivery-limit": -1})));
}
