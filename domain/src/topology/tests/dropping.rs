//! Quorum queues with letters that drop what comes back too often.

use serde_json::{Value, json};

use super::{Draft, dying};
use crate::severity::Severity;
use crate::topology::{Finding, FindingKind as Kind, read_now};

/// `work` dies over the fanout `dlx` into the quorum queue `dead`.
fn letters_in(version: &str, arguments: Value) -> Draft {
    Draft::new()
        .version(version)
        .queue("work", dying("dlx"))
        .quorum("dead", arguments)
        .exchange("dlx", "fanout", json!({}))
        .bind("dlx", "dead", "")
}

/// The one finding of that kind, by the policies as they are.
fn only(draft: &Draft) -> Finding {
    let found = draft.lint_of(&read_now(&draft.0)).found.into_iter();
    let mut found = found.filter(|finding| finding.kind == Kind::LettersDropped);
    found.next().expect("it is found")
}

#[test]
fn a_dead_letter_queue_with_a_limit_is_critical_and_says_what_lifts_it() {
    for (version, arguments, words) in [
        ("4.3.6", json!({}), "by a policy that repeats"),
        ("4.3.6", json!({"x-delivery-limit": 5}), "declare another queue"),
        ("4.2.1", json!({}), "declare another queue"),
        ("3.10.8", json!({"x-delivery-limit": 2}), "declare another queue"),
        // Seen on 3.10.8: each message is dropped when it first comes back.
        ("3.10.8", json!({"x-delivery-limit": -1}), "declare another queue"),
    ] {
        let told = format!("{version} {arguments}");
        let finding = letters_in(version, arguments).only();
        assert_eq!(
            (finding.kind, finding.severity, &*finding.subject),
            (Kind::LettersDropped, Severity::Critical, "dead"),
            "{told}"
        );
        assert!(finding.fix.contains(words), "{told}: {}", finding.fix);
        assert!(finding.lost.contains("Nothing is taken from it"), "{}", finding.lost);
    }
}

#[test]
fn a_dead_letter_queue_without_a_limit_is_well() {
    for (version, arguments) in [
        ("4.3.6", json!({"x-delivery-limit": -1})),
        ("4.0.9", json!({"x-delivery-limit": -1})),
        ("3.10.8", json!({})),
    ] {
        let told = format!("{version} {arguments}");
        assert_eq!(letters_in(version, arguments).kinds(), [], "{told}");
    }
    let lifted =
        letters_in("4.3.6", json!({})).policy("lift", "^dead", 1, json!({"delivery-limit": -1}));
    let mut left = lifted.lint_of(&read_now(&lifted.0)).found;
    left.retain(|finding| finding.kind == Kind::LettersDropped);
    assert_eq!(left, [], "by policy");
}

#[test]
fn a_policy_that_sets_it_is_named_with_who_sets_it() {
    let limited = json!({"delivery-limit": 4});
    let by_policy = letters_in("3.10.8", json!({})).policy("count", "^dead", 1, limited.clone());
    assert!(only(&by_policy).fix.contains("out of the policy `count`"));
    let by_operator = letters_in("4.3.6", json!({})).operated("ops", "^dead", limited);
    assert!(only(&by_operator).fix.contains("operator policy `ops`"));
}

#[test]
fn a_watched_queue_counts_as_one_with_letters_whatever_it_is_called() {
    let mut draft = Draft::new().version("4.3.6").quorum("orders", json!({}));
    assert_eq!(draft.kinds(), [(Kind::DeliveriesEnd, "orders".to_owned())]);
    draft.3.insert("orders".to_owned());
    assert_eq!(draft.kinds(), [(Kind::LettersDropped, "orders".to_owned())]);
}
