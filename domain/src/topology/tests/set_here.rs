//! What was set here: taken back, and told from what others set.

use serde_json::json;

use super::{Draft, dying_to, sound};
use crate::audit::Actor;
use crate::severity::Severity;
use crate::topology::{FindingKind as Kind, Gap, plan_removal};

/// `work` dead-letters to `dead` for an hour, all of it set here; and what else the vhost holds.
fn set_here(more: Draft) -> Draft {
    let to_dead = json!({"dead-letter-exchange": "", "dead-letter-routing-key": "dead"});
    let hour = json!({"message-ttl": 3_600_000});
    let mut draft = more
        .queue_with("work", json!({"policy": "dlo-work", "effective_policy_definition": to_dead}))
        .queue_with("dead", json!({"policy": "dlo-dead", "effective_policy_definition": hour}))
        .policy("dlo-work", r"^work\z", 5, to_dead)
        .policy("dlo-dead", r"^dead\z", 5, hour);
    draft.0.policies.as_mut().expect("policies").reverse();
    draft
}

fn taken_away(draft: &Draft) -> (Vec<String>, String) {
    let removal = plan_removal(&draft.read(), "work");
    assert_eq!(removal.refusals, [""; 0]);
    let names = removal.changes.iter().map(|change| change.name.clone());
    (names.collect(), removal.stays.join(" "))
}

#[test]
fn a_retention_that_was_set_with_it_is_taken_back_too() {
    let both = ["dlo-work", "dlo-dead"].map(str::to_owned).to_vec();
    assert_eq!(taken_away(&set_here(Draft::new())), (both.clone(), String::new()));
    let mut gone = set_here(Draft::new());
    gone.0.queues.retain(|queue| queue["name"] != "dead");
    assert_eq!(taken_away(&gone), (both, String::new()), "its queue is gone");
}

#[test]
fn a_retention_that_others_use_or_set_stays_and_is_said_to() {
    let (names, stays) = taken_away(&set_here(Draft::new().queue("other", dying_to("", "dead"))));
    assert_eq!(names, ["dlo-work"]);
    assert!(stays.contains("`dead`, 1 hour, stays: `other` dead-letters there, too"), "{stays}");
    // What applies to the queue without ours leads there as well.
    let below = json!({"dead-letter-exchange": "", "dead-letter-routing-key": "dead"});
    let (names, stays) = taken_away(&set_here(Draft::new().policy("letters", "^work", 1, below)));
    assert_eq!(names, ["dlo-work"]);
    assert!(stays.contains("`work` dead-letters there, too"), "{stays}");
    for gap in [Gap::Queues, Gap::Wiring, Gap::Unreadable] {
        let mut partly = set_here(Draft::new());
        partly.0.gaps.push(gap);
        let (names, stays) = taken_away(&partly);
        assert_eq!(names, ["dlo-work"], "{gap:?}");
        assert!(stays.contains("others may need it"), "{stays}");
    }
}

#[test]
fn what_others_set_for_the_dead_letter_queue_is_left_alone() {
    let nothing = String::new();
    let mut named_alike = set_here(Draft::new());
    for policy in named_alike.0.policies.as_mut().expect("policies") {
        if policy["name"] == "dlo-dead" {
            policy["pattern"] = json!("^dead");
        }
    }
    let only = vec!["dlo-work".to_owned()];
    assert_eq!(taken_away(&named_alike), (only.clone(), nothing.clone()));
    let mut onward = set_here(Draft::new());
    for policy in onward.0.policies.as_mut().expect("policies") {
        if policy["name"] == "dlo-dead" {
            policy["definition"]["dead-letter-exchange"] = json!("further");
        }
    }
    assert_eq!(taken_away(&onward), (only, nothing), "more than a retention");
}

/// What somebody asked for is told, and is no fault.
#[test]
fn a_retention_that_was_set_here_is_said_to_be_wanted() {
    let set = |definition: serde_json::Value| {
        let mut draft = sound().policy("dlo-dead", r"^dead\z", 1, definition.clone());
        draft.0.queues[1]["policy"] = json!("dlo-dead");
        draft.0.queues[1]["effective_policy_definition"] = definition;
        draft
    };
    let week = json!({"message-ttl": 604_800_000});
    let found = set(week.clone()).only();
    assert_eq!((found.kind, found.severity), (Kind::LettersExpire, Severity::Low));
    assert_eq!(found.title, "`dead` forgets after 7 days, as was set here");
    assert!(found.lost.starts_with("This retention was set here. While intake"), "{}", found.lost);
    let mut known = set(week.clone());
    let noon = "2026-11-21T12:00:00Z".parse().expect("a time");
    known.2 = [("dead".to_owned(), (Actor("anna".to_owned()), noon))].into();
    let lost = known.only().lost;
    assert!(
        lost.starts_with("This retention was set here by anna on 2026-11-21 12:00 UTC. "),
        "{lost}"
    );
    // Ours only repeats what is set for it anyway, or somebody's policy is called like ours.
    let below = set(week.clone()).policy("all", ".*", 0, week.clone());
    assert_eq!(below.only().severity, Severity::High);
    let mut alike = set(week);
    for policy in alike.0.policies.as_mut().expect("policies") {
        policy["pattern"] = json!("^dead");
    }
    assert_eq!(alike.only().severity, Severity::High);
}
