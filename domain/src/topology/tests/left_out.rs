//! What is left out of a wish stays as it is, and `null` takes away what was set here.

use serde_json::{Value, json};

use super::Draft;
use crate::topology::{DeadLetteringPlan, PolicyChange, plan, read_now};

/// `work`, with what was set here for it and for `dead`, before the broker's figures tell of it.
fn set_before(for_work: &Value, for_dead: Option<Value>) -> Draft {
    let mut definition = json!({"dead-letter-exchange": "", "dead-letter-routing-key": "dead"});
    for (key, value) in for_work.as_object().expect("members") {
        definition[key] = value.clone();
    }
    let draft = Draft::new()
        .quorum("work", json!({}))
        .queue("dead", json!({}))
        .policy("limits", "^w", 7, json!({"delivery-limit": 9, "max-length": 4}))
        .policy("dlo-work", r"^work\z", 8, definition);
    match for_dead {
        Some(set) => draft.policy("dlo-dead", r"^dead\z", 1, set),
        None => draft,
    }
}

fn planned(draft: &Draft, wanted: Value) -> DeadLetteringPlan {
    let wanted = serde_json::from_value(wanted).expect("readable");
    let plan = plan((&read_now(&draft.0), "/"), "work", &wanted);
    assert_eq!(plan.refusals, [""; 0]);
    plan
}

fn line(change: &PolicyChange, key: &str) -> (Value, Value) {
    let found = change.lines.iter().find(|line| line.key == key);
    found.map_or((Value::Null, Value::Null), |line| (json!(line.before), json!(line.after)))
}

#[test]
fn a_limit_and_a_strategy_that_are_left_out_stay() {
    let sure = json!({
        "delivery-limit": 5, "dead-letter-strategy": "at-least-once", "overflow": "reject-publish",
    });
    let draft = set_before(&sure, None);
    let plan = planned(&draft, json!({"dead_letter_queue": "dead"}));
    let change = &plan.changes[0];
    assert_eq!(line(change, "delivery-limit"), (json!(5), json!(5)));
    let strategy = json!("at-least-once");
    assert_eq!(line(change, "dead-letter-strategy"), (strategy.clone(), strategy));
    let overflow = json!("reject-publish");
    assert_eq!(line(change, "overflow"), (overflow.clone(), overflow));
    assert_eq!(line(change, "max-length"), (Value::Null, json!(4)), "as the policy below says now");
    assert_eq!(plan.changes.len(), 1, "nothing is wanted of `dead`");
}

#[test]
fn what_is_null_or_false_is_as_it_was_without_ours() {
    let sure = json!({
        "delivery-limit": 5, "dead-letter-strategy": "at-least-once", "overflow": "reject-publish",
    });
    let draft = set_before(&sure, Some(json!({"message-ttl": 3_600_000})));
    for at_least_once in [json!(false), Value::Null] {
        let wanted = json!({
            "dead_letter_queue": "dead", "max_deliveries": null, "retention_seconds": null,
            "at_least_once": at_least_once,
        });
        let plan = planned(&draft, wanted);
        let work = &plan.changes[0];
        assert_eq!(line(work, "delivery-limit"), (json!(5), json!(9)));
        let strategy = json!("at-least-once");
        assert_eq!(line(work, "dead-letter-strategy"), (strategy, Value::Null));
        assert_eq!(line(work, "overflow").1, Value::Null);
        let dead = &plan.changes[1];
        assert_eq!(line(dead, "message-ttl"), (json!(3_600_000), Value::Null));
        assert_eq!(
            (dead.name.as_str(), &dead.definition),
            ("dlo-dead", &None),
            "a policy that sets nothing is taken away"
        );
    }
    // There is nothing to take away.
    let nothing = set_before(&json!({}), None);
    let wanted = json!({"dead_letter_queue": "dead", "retention_seconds": null});
    assert_eq!(planned(&nothing, wanted).changes.len(), 1);
}

/// A broker tells which policy applies some seconds late.
#[test]
fn a_chain_is_refused_that_the_brokers_figures_do_not_tell_yet() {
    let draft = set_before(&json!({}), None).queue("further", json!({}));
    let vhost = read_now(&draft.0);
    let to = |queue: &str, target: &str| {
        let wanted = json!({"dead_letter_queue": target});
        let wanted = serde_json::from_value(wanted).expect("readable");
        plan((&vhost, "/"), queue, &wanted).refusals.join("; ")
    };
    assert!(to("dead", "further").contains("`dead` is a dead-letter queue itself"));
    assert!(to("further", "work").contains("`work` has a dead-letter exchange itself"));
    // What the broker told last is gone already.
    let mut gone = set_before(&json!({}), None).queue("further", json!({}));
    gone.0.queues[0]["policy"] = json!("dlo-work");
    gone.0.queues[0]["effective_policy_definition"] =
        json!({"dead-letter-exchange": "", "dead-letter-routing-key": "dead"});
    let policies = gone.0.policies.as_mut().expect("policies");
    policies.retain(|policy| policy["name"] != "dlo-work");
    let wanted = serde_json::from_value(json!({"dead_letter_queue": "further"})).expect("readable");
    let plan = plan((&read_now(&gone.0), "/"), "dead", &wanted);
    assert_eq!(plan.refusals, [""; 0]);
}
