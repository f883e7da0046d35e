//! Queues whose arguments take dead letters where they are wanted: only the rest is set.

use serde_json::{Value, json};

use super::dead_lettering::to;
use super::{Draft, dying, dying_to};
use crate::topology::{DeadLetteringPlan, MigrationStep, plan, plan_removal, read_now};

/// A quorum queue `work` that was declared to die over the fanout `dlx` into `dead`.
fn declared() -> Draft {
    Draft::new()
        .quorum("work", dying("dlx"))
        .queue_with("dead", json!({"consumers": 0}))
        .exchange("dlx", "fanout", json!({}))
        .bind("dlx", "dead", "")
}

fn planned(draft: &Draft, wanted: Value) -> DeadLetteringPlan {
    let wanted = serde_json::from_value(wanted).expect("readable");
    plan((&read_now(&draft.0), "/"), "work", &wanted)
}

fn set(draft: &Draft, wanted: Value) -> Vec<(String, Value)> {
    let plan = planned(draft, wanted);
    assert_eq!(plan.refusals, [""; 0]);
    assert_eq!(plan.migration, [] as [MigrationStep; 0]);
    let changes = plan.changes.into_iter();
    changes.map(|change| (change.name, json!(change.definition))).collect()
}

#[test]
fn what_arguments_do_already_is_left_to_them() {
    let wanted = json!({"dead_letter_queue": "dead", "max_deliveries": 5, "retention_seconds": 60});
    let expected = [
        ("dlo-work".to_owned(), json!({"delivery-limit": 5})),
        ("dlo-dead".to_owned(), json!({"message-ttl": 60_000})),
    ];
    assert_eq!(set(&declared(), wanted.clone()), expected);
    let plan = planned(&declared(), wanted);
    assert_eq!(
        plan.stays,
        ["Dead letters of `work` go to `dead` already: it was declared with \
             x-dead-letter-exchange `dlx`, and arguments win over policies. That stays."]
    );
    let line = &plan.changes[0].lines[0];
    assert_eq!(
        (&*line.key, &line.before, &line.after),
        ("dead-letter-exchange", &Some(json!("dlx")), &Some(json!("dlx")))
    );
    let nothing = json!({"dead_letter_queue": "dead"});
    assert_eq!(set(&declared(), nothing.clone()), []);
    // What was set here before it was declared like this only stands in the way.
    let way = json!({"dead-letter-exchange": "", "dead-letter-routing-key": "dead"});
    let before = declared().policy("dlo-work", r"^work\z", 1, way);
    assert_eq!(set(&before, nothing), [("dlo-work".to_owned(), Value::Null)]);
}

#[test]
fn a_classic_queue_gets_a_retention_beside_its_arguments() {
    let classic = || {
        let mut draft = declared();
        draft.0.queues[0]["type"] = json!("classic");
        draft
    };
    let wanted = json!({"dead_letter_queue": "dead", "retention_seconds": 60});
    let expected = [("dlo-dead".to_owned(), json!({"message-ttl": 60_000}))];
    assert_eq!(set(&classic(), wanted), expected);
    // A queue that is declared anew for its limit goes without the arguments, too.
    let counting = json!({"dead_letter_queue": "dead", "max_deliveries": 5});
    let plan = planned(&classic(), counting);
    assert_eq!(plan.refusals.len(), 1, "{:?}", plan.refusals);
    assert!(plan.refusals[0].contains("only a quorum queue counts"));
    let declares = &plan.migration[1].says;
    assert!(
        declares.ends_with("but without x-dead-letter-exchange, with x-queue-type quorum."),
        "{declares}"
    );
}

#[test]
fn arguments_that_take_letters_elsewhere_or_lose_some_stay_in_the_way() {
    let further = || declared().queue("further", json!({}));
    let partly = Draft::new()
        .quorum("work", dying("dlx"))
        .exchange("in", "direct", json!({}))
        .bind("in", "work", "paid")
        .bind("in", "work", "sent")
        .queue("further", json!({}))
        .exchange("dlx", "direct", json!({}))
        .bind("dlx", "further", "paid");
    let by_chance = |kind: &str| {
        Draft::new()
            .quorum("work", dying("dlx"))
            .exchange("in", "fanout", json!({}))
            .bind("in", "work", "")
            .queue("further", json!({}))
            .exchange("dlx", kind, json!({}))
            .bind("dlx", "further", "paid")
    };
    for (draft, what) in [
        (by_chance("direct"), "letters may have any key"),
        (by_chance("topic"), "letters may have any key"),
        (by_chance("headers"), "nobody knows what it takes"),
        (further(), "another queue"),
        (further().bind("dlx", "further", ""), "two queues"),
        (partly, "a key is lost"),
        (
            Draft::new().quorum("work", dying("gone")).queue("further", json!({})),
            "no such exchange",
        ),
    ] {
        let plan = planned(&draft, json!({"dead_letter_queue": "further"}));
        let said = plan.refusals.join("; ");
        assert!(said.contains("arguments win over policies"), "{what}: {said}");
        assert!(!plan.migration.is_empty(), "{what}");
        assert_eq!(plan.stays, [""; 0], "{what}");
    }
    // The key is of a policy of ours: without it, no letter arrives.
    let way = json!({"dead-letter-exchange": "", "dead-letter-routing-key": "dead"});
    let by_key = Draft::new()
        .quorum("work", dying("dlx"))
        .queue("dead", json!({}))
        .exchange("dlx", "direct", json!({}))
        .bind("dlx", "dead", "dead")
        .policy("dlo-work", r"^work\z", 1, way);
    let said = planned(&by_key, json!({"dead_letter_queue": "dead"})).refusals;
    assert!(said[0].contains("arguments win over policies"), "{said:?}");
}

#[test]
fn what_was_set_beside_arguments_is_taken_back_and_nothing_else() {
    let taken = |draft: &Draft| {
        let removal = plan_removal(&read_now(&draft.0), "work");
        let changes = removal.changes.into_iter();
        let names: Vec<String> = changes
            .map(|change| {
                assert!(change.definition.is_none());
                for line in change.lines.iter().filter(|line| line.key.contains("dead")) {
                    assert_eq!(line.before, line.after, "as it was declared");
                }
                change.name
            })
            .collect();
        (names, removal.stays.len(), removal.refusals.len())
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let limit = json!({"delivery-limit": 5});
    let minute = json!({"message-ttl": 60_000});
    let limited = || declared().policy("dlo-work", r"^work\z", 1, limit.clone());
    let kept = |draft: Draft| draft.policy("dlo-dead", r"^dead\z", 1, minute.clone());
    assert_eq!(taken(&limited()), (names(&["dlo-work"]), 0, 0));
    assert_eq!(taken(&kept(limited())), (names(&["dlo-work", "dlo-dead"]), 0, 0));
    assert_eq!(taken(&kept(declared())), (names(&["dlo-dead"]), 0, 0));
    let shared = || declared().queue("other", dying_to("", "dead"));
    assert_eq!(taken(&kept(shared())), (Vec::new(), 0, 1), "nothing was set for this one");
    let both = kept(shared().policy("dlo-work", r"^work\z", 1, limit.clone()));
    assert_eq!(taken(&both), (names(&["dlo-work"]), 1, 0));
    assert_eq!(taken(&declared()), (Vec::new(), 0, 1));
    // What was set can be set again.
    let wanted = to("dead");
    let again = plan((&read_now(&limited().0), "/"), "work", &wanted);
    assert_eq!(json!(again.changes[0].definition), limit);
}
