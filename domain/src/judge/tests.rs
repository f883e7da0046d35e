use crate::decoding::MessageTypes;
use serde_json::json;

use super::*;
use crate::alert::{Measure, Signal};
use crate::death::Reason;
use crate::extract::Extract;
use crate::failure::HeaderMap;
use crate::grouping::Outcome;
use crate::ids::LetterId;
use crate::reading;
use crate::state::LetterState;
use crate::wire::FieldValue;

/// A letter that died with this error.
fn delivered(class: &str, message: &str, body: &str) -> Delivered {
    let mut delivered = Delivered { body: body.as_bytes().to_vec(), ..Delivered::default() };
    for (name, text) in [("x-error-class", class), ("x-error", message)] {
        let value = FieldValue::LongString(text.into());
        delivered.headers.set(name, value);
    }
    delivered
}

/// What a judge says of a delivery from the source `main`, at its first arrival or a later one.
fn judge(judge: &Judge, delivered: &Delivered, arrivals: i32) -> Judgement {
    let mut reading = reading::read(delivered, &HeaderMap::default(), &MessageTypes::default());
    reading.origin.reason = Reason::Rejected;
    reading.failure.error_class = Some("ShopError".to_owned());
    let message = reading.failure.error_message.as_deref();
    let (relations, contents) = (reading.relations.clone(), reading.contents.clone());
    let extract = Extract::of(delivered, relations, contents, message);
    let facts = Facts {
        id: LetterId(uuid::Uuid::nil()),
        state: LetterState::Held,
        severity: UNNAMED,
        source: "main",
        queue: Some("orders.work"),
        exchange: None,
        routing_key: None,
        reason: reading.origin.reason,
        error_class: reading.failure.error_class.as_deref(),
        error_message: message,
        message_type: None,
        message_id: None,
        size_bytes: 10,
        arrivals,
        replays: arrivals - 1,
        exhausted: false,
        first_arrived_at: DateTime::UNIX_EPOCH,
        last_arrived_at: DateTime::UNIX_EPOCH,
        groups: &[],
        executions: &[],
        workers: &[],
        deaths: &reading.deaths,
        extract: Some(&extract),
    };
    let case = Case { facts, reading: &reading, delivered };
    judge.judge(&case, &mut Masker::new())
}

fn rule(place: u128, filter: &str, verdict: Verdict) -> Rule {
    Rule {
        id: RuleId(uuid::Uuid::from_u128(place)),
        position: i32::try_from(place).expect("small"),
        rule: NewRule {
            name: format!("rule {place}"),
            filter: filter.to_owned(),
            verdict,
            enabled: true,
        },
        changed_by: "ann".to_owned(),
        changed_at: DateTime::UNIX_EPOCH,
    }
}

fn severity(place: u128, filter: &str, severity: Severity) -> Rule {
    rule(place, filter, Verdict::Severity(severity))
}

fn outcome(place: u128, filter: &str, outcome: Outcome) -> Rule {
    rule(place, filter, Verdict::Grouping(outcome))
}

fn of(rules: &[Rule]) -> Judge {
    Judge::new(7, rules, Vec::new())
}

#[test]
fn the_first_rule_that_holds_decides_and_disabled_ones_are_not_asked() {
    let letter = delivered("E", "boom", r#"{"tenant": "acme"}"#);
    let mut rules = vec![
        severity(1, "queue:payments.*", Severity::Critical),
        severity(2, "queue:orders.* source:main", Severity::Low),
        severity(3, "", Severity::High),
    ];
    assert_eq!(judge(&of(&rules), &letter, 1).severity, Severity::Low);
    rules[1].rule.enabled = false;
    assert_eq!(judge(&of(&rules), &letter, 1).severity, Severity::High);
    rules.swap(1, 2);
    rules[2].rule.enabled = true;
    assert_eq!(judge(&of(&rules), &letter, 1).severity, Severity::High);
    assert_eq!(judge(&Judge::default(), &letter, 1).severity, UNNAMED);
}

#[test]
fn rules_see_headers_bodies_texts_and_counts() {
    let letter = delivered("E", "Boom at 12", r#"{"tenant": "acme", "items": [{"n": 3}]}"#);
    for (filter, holds) in [
        ("body.tenant:acme", true),
        ("body.items.n:>2", true),
        ("header.x-error:Boom*", true),
        ("\"boom AT\"", true),
        ("arrivals:2 replays:1", true),
        ("arrivals:>2", false),
        ("body.tenant:other", false),
    ] {
        let judge_of = of(&[severity(1, filter, Severity::Critical)]);
        let said = judge(&judge_of, &letter, 2).severity;
        assert_eq!(said == Severity::Critical, holds, "{filter}");
    }
}

#[test]
fn what_cannot_be_used_is_left_out_and_said_and_the_others_are_asked() {
    let letter = delivered("E", "boom", "");
    let rules = [
        severity(1, "colour:red", Severity::Low),
        severity(2, "state:held", Severity::Low),
        outcome(3, "", Outcome::Key("{colour}".to_owned())),
        severity(4, "", Severity::Critical),
    ];
    let beyond = LeftOut {
        id: RuleId(uuid::Uuid::from_u128(9)),
        name: "of a newer version".to_owned(),
        why: "unknown verdict".to_owned(),
        since: DateTime::UNIX_EPOCH,
    };
    let of_all = Judge::new(7, &rules, vec![beyond]);
    assert_eq!(of_all.revision(), 7);
    let names: Vec<&str> = of_all.left_out().iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["of a newer version", "rule 1", "rule 2", "rule 3"]);
    assert_eq!(judge(&of_all, &letter, 1).severity, Severity::Critical);
}

#[test]
fn grouping_rules_make_letters_one_failure_or_keep_them_apart() {
    let (a, b) = (
        delivered("E", "robot AB-x lost its arm", ""),
        delivered("E", "robot QQ-y lost its arm", ""),
    );
    let ids = |judge_of: &Judge| [&a, &b].map(|letter| judge(judge_of, letter, 1).signature.id);
    let [plain_a, plain_b] = ids(&Judge::default());
    let mask = Outcome::Masks(vec!["robot [A-Z]{2}-[a-z]".to_owned()]);
    let [a_masked, b_masked] = ids(&of(&[outcome(1, "queue:orders.*", mask.clone())]));
    assert_eq!(a_masked, b_masked);
    assert_ne!(plain_a, a_masked);
    let [a_other, b_other] = ids(&of(&[outcome(1, "queue:payments.*", mask)]));
    assert_eq!([a_other, b_other], [plain_a, plain_b], "it does not hold");
    let key = Outcome::Key("robots of {queue}".to_owned());
    let [a_key, b_key] = ids(&of(&[outcome(1, "\"lost its arm\"", key)]));
    assert_eq!(a_key, b_key);
    assert_ne!(a_key, a_masked);
}

#[test]
fn hostile_patterns_end_in_time_or_are_refused() {
    let letter = delivered("E", &"a".repeat(4_000), "");
    // A backtracking engine would need longer than the universe has for this one.
    let slow = outcome(1, "", Outcome::Masks(vec!["(a+)+$".to_owned(), "(a|a)*b".to_owned()]));
    let said = judge(&of(&[slow]), &letter, 1);
    assert_eq!(said.severity, UNNAMED);
    for pattern in ["(a{1000}){1000}", "(", "a*", "\\p{Nonsense}", &"a".repeat(10_000)] {
        let rule = outcome(1, "", Outcome::Masks(vec![pattern.to_owned()]));
        assert!(
            Judge::default().with_first(&rule.rule).is_err(),
            "{}",
            &pattern[..pattern.len().min(20)]
        );
    }
    let many = Outcome::Masks(vec!["a".to_owned(); 100]);
    assert!(Judge::default().with_first(&outcome(1, "", many).rule).is_err());
    let deep = severity(1, &"(".repeat(100_000), Severity::Low);
    assert!(Judge::default().with_first(&deep.rule).is_err());
}

#[test]
fn it_is_known_what_rules_look_into() {
    let inside = |filter: &str| of(&[severity(1, filter, Severity::Low)]).looks_inside();
    assert!(!inside("queue:a reason:maxlen error:x death.queue:x"));
    assert!(inside("queue:a -body.x:1") && inside("header.x:1") && inside("text"));
    let sources = |filter: &str| {
        let key = Outcome::Key("k".to_owned());
        of(&[outcome(1, filter, key)]).names_sources()
    };
    assert!(sources("NOT (source:a OR queue:b)") && !sources("queue:source"));
}

#[test]
fn alert_rules_count_the_letters_that_their_filter_holds_for() {
    let counted = |filter: &str| Signal::DeadLetters {
        filter: filter.to_owned(),
        measure: Measure::Count,
        minutes: 5,
    };
    let oldest = |filter: &str| Signal::OldestLetter { filter: filter.to_owned() };
    let ids: Vec<_> = (1..=5).map(|place| AlertCounterId(uuid::Uuid::from_u128(place))).collect();
    let asked = [
        counted("severity:critical body.a:1"),
        oldest("severity:critical"),
        oldest("severity:low"),
        // All letters are counted anyway.
        counted(""),
        oldest(""),
    ];
    let mut judge_of = of(&[severity(1, "error:late", Severity::Critical)]);
    for (id, signal) in ids.iter().zip(asked) {
        judge_of.count(*id, &signal).expect("it can be used");
    }
    let matches = judge(&judge_of, &delivered("E", "too late", r#"{"a": 1}"#), 1).alert_matches;
    assert_eq!(matches, AlertMatches { arrivals: vec![ids[0]], waiting: vec![ids[1], ids[4]] });
    let matches = judge(&judge_of, &delivered("E", "else", r#"{"a": 1}"#), 1).alert_matches;
    assert_eq!(matches, AlertMatches { arrivals: Vec::new(), waiting: vec![ids[4]] });
    assert!(judge_of.measures_waiting() && !Judge::default().measures_waiting());
    assert!(!judge_of.looks_inside(), "what is counted as it arrives is read whole then");
    judge_of.count(ids[0], &oldest("body.a:1")).expect("it can be used");
    assert!(judge_of.looks_inside());
}

#[test]
fn a_rule_has_one_form_in_json() {
    let rule = outcome(1, "", Outcome::Masks(vec!["a".to_owned()]));
    let json = serde_json::to_value(&rule.rule.verdict).expect("json");
    assert_eq!(json, json!({"grouping": {"masks": ["a"]}}));
    let json = serde_json::to_value(Verdict::Severity(Severity::Low)).expect("json");
    assert_eq!(json, json!({"severity": "low"}));
}
