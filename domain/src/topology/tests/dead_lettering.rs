//! Dead-lettering set by policies: what would be set, and what is refused.

use serde_json::json;

use super::{Draft, dying};
use crate::topology::{DeadLetteringPlan, NewDeadLettering, Wish, plan, plan_removal};

pub(super) fn to(queue: &str) -> NewDeadLettering {
    NewDeadLettering { dead_letter_queue: queue.to_owned(), ..NewDeadLettering::default() }
}

/// `work` and `dead`, and nothing between them.
fn apart() -> Draft {
    Draft::new().quorum("work", json!({})).queue("dead", json!({}))
}

fn planned(draft: &Draft, wanted: &NewDeadLettering) -> DeadLetteringPlan {
    plan((&draft.read(), "/"), "work", wanted)
}

fn refused(draft: &Draft, wanted: &NewDeadLettering) -> String {
    let refusals = planned(draft, wanted).refusals;
    assert!(!refusals.is_empty(), "it must be refused");
    refusals.join("; ")
}

#[test]
fn a_queue_without_policies_gets_one_of_its_own() {
    let wanted = NewDeadLettering {
        max_deliveries: Wish::Set(5),
        retention_seconds: Wish::Set(3_600),
        ..to("dead")
    };
    let plan = planned(&apart(), &wanted);
    assert_eq!(plan.refusals, [""; 0]);
    let policy = plan.changes[0].policy().expect("set");
    assert_eq!((&*policy.name, &*policy.pattern, policy.priority), ("dlo-work", r"^work\z", 1));
    let definition = json!({
        "dead-letter-exchange": "", "dead-letter-routing-key": "dead", "delivery-limit": 5,
    });
    assert_eq!(json!(policy.definition), definition);
    let retention = plan.changes[1].policy().expect("set");
    assert_eq!(retention.name, "dlo-dead");
    assert_eq!(json!(retention.definition), json!({"message-ttl": 3_600_000}));
}

#[test]
fn the_policy_that_applies_is_repeated_and_outranked() {
    let limits = json!({"max-length": 1000, "dead-letter-exchange": "old"});
    let mut draft = apart().policy("limits", "^w", 7, limits.clone());
    draft.0.queues[0]["policy"] = json!("limits");
    draft.0.queues[0]["effective_policy_definition"] = limits;
    let change = planned(&draft, &to("dead")).changes.remove(0);
    assert_eq!((change.base.as_deref(), change.priority), (Some("limits"), 8));
    let lines: Vec<_> = change
        .lines
        .iter()
        .map(|line| (line.key.as_str(), line.before.clone(), line.after.clone()))
        .collect();
    let expected = [
        ("dead-letter-exchange", Some(json!("old")), Some(json!(""))),
        ("dead-letter-routing-key", None, Some(json!("dead"))),
        ("max-length", Some(json!(1000)), Some(json!(1000))),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn what_was_set_here_is_set_anew_upon_the_policy_below_it_and_can_be_taken_away() {
    let limits = json!({"max-length": 1000});
    let ours = json!({"max-length": 5, "dead-letter-exchange": "", "dead-letter-routing-key": "x"});
    let mut draft =
        apart().policy("limits", "^w", 7, limits).policy("dlo-work", r"^work\z", 8, ours.clone());
    draft.0.queues[0]["policy"] = json!("dlo-work");
    draft.0.queues[0]["effective_policy_definition"] = ours;
    let change = planned(&draft, &to("dead")).changes.remove(0);
    assert_eq!((change.base.as_deref(), change.priority), (Some("limits"), 8));
    let definition = change.definition.expect("set");
    assert_eq!(definition["max-length"], 1000, "as the policy below says now");
    let removal = plan_removal(&draft.read(), "work");
    assert_eq!(removal.refusals, [""; 0]);
    assert_eq!(removal.changes[0].base.as_deref(), Some("limits"));
    assert!(removal.changes[0].policy().is_none());
    let nothing = plan_removal(&draft.read(), "dead");
    assert!(nothing.refusals[0].contains("nothing was set here"));
}

#[test]
fn chains_are_refused_on_either_side() {
    assert!(refused(&apart(), &to("work")).contains("its own dead-letter queue"));
    assert!(refused(&apart(), &to("gone")).contains("no queue `gone`"));
    let onward = Draft::new().quorum("work", json!({})).queue("dead", dying("further"));
    assert!(refused(&onward, &to("dead")).contains("`dead` has a dead-letter exchange itself"));
    let fed = apart()
        .queue("first", json!({"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "work"}));
    assert!(refused(&fed, &to("dead")).contains("`work` is a dead-letter queue itself"));
}

#[test]
fn what_no_policy_can_change_is_said_with_the_way_there() {
    let declared = Draft::new().queue("work", dying("old")).queue("dead", json!({}));
    let plan = planned(&declared, &to("dead"));
    assert!(plan.refusals[0].contains("arguments win over policies"), "{:?}", plan.refusals);
    assert!(
        plan.migration.iter().any(|step| step.says.contains("but without x-dead-letter-exchange"))
    );
    let counting = NewDeadLettering { max_deliveries: Wish::Set(5), ..to("dead") };
    let classic = Draft::new().queue("work", json!({})).queue("dead", json!({}));
    assert!(refused(&classic, &counting).contains("only a quorum queue counts"));
    assert_eq!(planned(&classic, &to("dead")).refusals, [""; 0]);
    let limited =
        Draft::new().quorum("work", json!({"x-delivery-limit": 3})).queue("dead", json!({}));
    assert!(refused(&limited, &counting).contains("x-delivery-limit 3"));
}

#[test]
fn somebody_elses_policy_and_an_operators_are_left_alone() {
    let taken = apart().policy("dlo-work", ".*", 0, json!({}));
    assert!(refused(&taken, &to("dead")).contains("somebody else's"));
    let unreadable = apart().policy("ahead", "^(?!x)", 0, json!({"max-length": 1}));
    assert!(refused(&unreadable, &to("dead")).contains("can be read by the broker only"));
    let mut operated = apart();
    operated.0.queues[0]["operator_policy"] = json!("op");
    operated.0.operator_policies = Some(vec![json!({
        "name": "op", "pattern": ".*", "apply-to": "queues", "priority": 0,
        "definition": {"dead-letter-exchange": "theirs"},
    })]);
    assert!(refused(&operated, &to("dead")).contains("operator policy `op`"));
    let mut hidden = apart();
    hidden.0.policies = None;
    assert!(refused(&hidden, &to("dead")).contains("may not be read"));
}

#[test]
fn figures_are_bounded_and_a_plan_is_known_again() {
    let wild = NewDeadLettering {
        max_deliveries: Wish::Set(-1),
        retention_seconds: Wish::Set(0),
        ..to("dead")
    };
    let said = refused(&apart(), &wild);
    assert!(said.contains("max_deliveries") && said.contains("retention_seconds"), "{said}");
    let (one, same) = (planned(&apart(), &to("dead")), planned(&apart(), &to("dead")));
    assert_eq!(one.plan, same.plan);
    let other =
        planned(&apart(), &NewDeadLettering { at_least_once: Wish::Set(true), ..to("dead") });
    assert_ne!(one.plan, other.plan);
}
