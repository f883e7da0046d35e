//! What an operator sets wins: it is refused to promise more, and the lines tell what applies.

use serde_json::{Value, json};

use super::Draft;
use crate::topology::{DeadLetteringPlan, SettingChange, plan, plan_removal, read_now};

fn apart() -> Draft {
    Draft::new().quorum("work", json!({})).queue("dead", json!({}))
}

fn planned(draft: &Draft, wanted: Value) -> DeadLetteringPlan {
    let wanted = serde_json::from_value(wanted).expect("readable");
    plan((&read_now(&draft.0), "/"), "work", &wanted)
}

fn line(key: &str, before: Value, after: Value) -> SettingChange {
    let some = |value: Value| (!value.is_null()).then_some(value);
    SettingChange { key: key.to_owned(), before: some(before), after: some(after) }
}

#[test]
fn limits_of_an_operator_that_are_stricter_are_refused_with_whose_they_are() {
    let strict = apart().operated("few", "^work$", json!({"delivery-limit": 2})).operated(
        "short",
        "^dead$",
        json!({"message-ttl": 60_000}),
    );
    let wanted = json!({
        "dead_letter_queue": "dead", "max_deliveries": 9, "retention_seconds": 86_400,
    });
    let plan = planned(&strict, wanted);
    assert_eq!(plan.refusals.len(), 2, "{:?}", plan.refusals);
    assert!(
        plan.refusals[0].starts_with(
            "the operator policy `few` lets a message come back to `work` 2 times at most, and wins"
        ),
        "{:?}",
        plan.refusals
    );
    assert!(
        plan.refusals[1].starts_with(
            "the operator policy `short` lets messages stay in `dead` for 1 minute at most"
        ),
        "{:?}",
        plan.refusals
    );
    let limit = line("delivery-limit", json!(2), json!(2));
    assert!(plan.changes[0].lines.contains(&limit), "{plan:#?}");
    // What stays within them is set.
    let within = json!({
        "dead_letter_queue": "dead", "max_deliveries": 1, "retention_seconds": 30,
    });
    let plan = planned(&strict, within);
    assert_eq!(plan.refusals, [""; 0]);
    let ttl = line("message-ttl", json!(60_000), json!(30_000));
    assert_eq!(plan.changes[1].lines, [ttl]);
}

#[test]
fn what_an_operator_decides_otherwise_is_refused() {
    let full = apart().operated("full", "^work$", json!({"overflow": "drop-head"}));
    let wanted = json!({"dead_letter_queue": "dead", "at_least_once": true});
    let said = planned(&full, wanted).refusals.join("; ");
    assert!(
        said.contains("the operator policy `full` sets overflow of `work` to \"drop-head\""),
        "{said}"
    );
    let mut hidden = apart();
    hidden.0.operator_policies = None;
    let said = planned(&hidden, json!({"dead_letter_queue": "dead"})).refusals;
    assert!(said[0].contains("operator policies may not be read"), "{said:?}");
}

#[test]
fn lines_tell_what_the_queue_was_declared_with_and_what_the_broker_does_by_itself() {
    let declared = Draft::new()
        .version("4.3.0")
        .quorum("work", json!({"x-message-ttl": 500}))
        .quorum("dead", json!({}));
    let wanted = json!({"dead_letter_queue": "dead", "max_deliveries": 5});
    let plan = planned(&declared, wanted);
    let expected = [
        line("dead-letter-exchange", Value::Null, json!("")),
        line("dead-letter-routing-key", Value::Null, json!("dead")),
        line("delivery-limit", json!(20), json!(5)),
        line("message-ttl", json!(500), json!(500)),
    ];
    assert_eq!(plan.changes[0].lines, expected);
    let set = declared.policy("dlo-work", r"^work\z", 1, json!({"delivery-limit": 5}));
    let removal = plan_removal(&read_now(&set.0), "work");
    let expected =
        [line("delivery-limit", json!(5), json!(20)), line("message-ttl", json!(500), json!(500))];
    assert_eq!(removal.changes[0].lines, expected);
}
