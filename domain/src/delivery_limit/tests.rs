use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{AcceptedLoss, DeliveryLimit, Evidence, Hold, NewAcceptedLoss};
use crate::topology::{Answers, read};

fn limit(version: Option<&str>, queue: Value, policies: Option<Vec<Value>>) -> DeliveryLimit {
    let answers = Answers {
        version: version.map(str::to_owned),
        queues: vec![queue],
        operator_policies: policies.is_some().then(Vec::new),
        policies,
        ..Answers::default()
    };
    let vhost = read(&answers);
    DeliveryLimit::of(&vhost, &vhost.queues[0])
}

fn quorum(more: &Value) -> Value {
    let mut queue = json!({"name": "dead", "type": "quorum"});
    for (key, value) in more.as_object().expect("an object") {
        queue[key] = value.clone();
    }
    queue
}

fn accepted(letters: u16, delivery_limit: Option<i64>) -> AcceptedLoss {
    AcceptedLoss { letters, delivery_limit, by: "ada".to_owned(), at: DateTime::<Utc>::UNIX_EPOCH }
}

#[test]
fn the_brokers_own_word_goes_before_everything() {
    for (told, known) in [
        (json!(20), DeliveryLimit::Limited(20)),
        (json!(0), DeliveryLimit::Limited(0)),
        (json!(-1), DeliveryLimit::Unlimited),
        (json!("unlimited"), DeliveryLimit::Unlimited),
    ] {
        let queue = quorum(&json!({"delivery_limit": told}));
        assert_eq!(limit(Some("4.3.6"), queue, None), known, "{told}");
    }
}

#[test]
fn without_its_word_the_limit_is_reckoned_by_the_rules_of_its_version() {
    let policy = |limit: i64| {
        vec![
            json!({"name": "p", "pattern": "", "apply-to": "queues", "definition": {"delivery-limit": limit}}),
        ]
    };
    let argument = |limit: i64| quorum(&json!({"arguments": {"x-delivery-limit": limit}}));
    let plain = || quorum(&json!({}));
    let none = || Some(Vec::new());
    for (version, queue, policies, known) in [
        (Some("4.0.9"), plain(), none(), DeliveryLimit::Limited(20)),
        (Some("3.10.8"), plain(), none(), DeliveryLimit::Unlimited),
        (Some("3.10.8"), argument(2), none(), DeliveryLimit::Limited(2)),
        (Some("3.10.8"), plain(), Some(policy(7)), DeliveryLimit::Limited(7)),
        // Before 4.0 a negative limit is below every count: a message is dropped when it first comes back.
        (Some("3.10.8"), argument(-1), none(), DeliveryLimit::Limited(0)),
        (Some("4.2.0"), argument(-1), none(), DeliveryLimit::Unlimited),
        // What is not told is not known.
        (Some("3.10.8"), plain(), None, DeliveryLimit::Unknown),
        (None, plain(), none(), DeliveryLimit::Unknown),
        (None, json!({"name": "dead", "type": "classic"}), None, DeliveryLimit::Unlimited),
        (Some("4.3.6"), json!({"name": "dead", "type": "jms"}), none(), DeliveryLimit::Unknown),
    ] {
        let told = format!("{version:?} {queue} {policies:?}");
        assert_eq!(limit(version, queue, policies), known, "{told}");
    }
}

#[test]
fn nothing_is_taken_from_a_queue_with_a_limit_until_somebody_accepts_a_loss() {
    let hold = |limit, accepted: Option<&AcceptedLoss>| Hold::of(limit, accepted, Evidence::Counts);
    let (none, five) = (None, accepted(5, Some(20)));
    assert_eq!(hold(DeliveryLimit::Limited(20), none), Hold::Nothing);
    assert_eq!(hold(DeliveryLimit::Limited(20), Some(&five)), Hold::AtMost(5));
    assert_eq!(hold(DeliveryLimit::Limited(30), Some(&five)), Hold::AtMost(5));
    assert_eq!(hold(DeliveryLimit::Limited(19), Some(&five)), Hold::AtMost(5));
    assert_eq!(hold(DeliveryLimit::Unknown, Some(&five)), Hold::AtMost(5));
    assert_eq!(hold(DeliveryLimit::Unlimited, none), Hold::Freely);
}

#[test]
fn where_the_limit_is_not_known_letters_are_taken_one_by_one_until_one_has_a_count() {
    let hold = |evidence| Hold::of(DeliveryLimit::Unknown, None, evidence);
    let first = Evidence::default();
    assert_eq!(hold(first), Hold::One);
    assert_eq!(hold(first.and(false, false)), Hold::One, "a first delivery tells nothing");
    assert_eq!(hold(first.and(true, false)), Hold::Freely);
    assert_eq!(hold(first.and(true, true)), Hold::Nothing);
    assert_eq!(hold(first.and(true, true).and(true, false)), Hold::Nothing, "that was of before");
}

#[test]
fn a_count_that_a_publisher_wrote_stops_nothing() {
    let hold = |evidence| Hold::of(DeliveryLimit::Unknown, None, evidence);
    let copied = Evidence::default().and(false, true);
    assert_eq!(hold(copied), Hold::One);
    assert_eq!(hold(copied.and(true, true)), Hold::One, "nobody knows whose count that is");
    assert_eq!(hold(copied.and(true, false)), Hold::Freely);
    assert_eq!(hold(copied.and(true, false).and(true, true)), Hold::Freely);
}

#[test]
fn what_is_kept_over_a_restart_is_read_again() {
    for evidence in [Evidence::Counts, Evidence::Copied, Evidence::Nothing] {
        assert_eq!(Evidence::of_kept(evidence.kept()), evidence);
    }
    assert_eq!(Evidence::CountsNothing.kept(), None, "it may be another queue by then");
}

#[test]
fn a_loss_names_a_number_that_an_office_can_hold_to() {
    let of = |letters| NewAcceptedLoss { letters, delivery_limit: Some(20) };
    assert!(of(1).check().is_ok() && of(2_000).check().is_ok());
    assert!(of(0).check().is_err() && of(2_001).check().is_err());
}
