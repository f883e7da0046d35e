//! Queues that confirm what they drop.

use serde_json::{Value, json};

use super::Draft;
use crate::topology::read;

/// What a queue with these arguments would do with five messages more; it has three.
fn said(kind: &str, arguments: &Value) -> Option<(bool, String)> {
    let more = json!({"type": kind, "arguments": arguments});
    let vhost = read(&Draft::new().queue_with("work", more).0);
    let overflow = vhost.overflow("work", 5)?;
    assert_eq!(vhost.may_drop("", "work").is_some(), overflow.keeps_nothing);
    Some((overflow.keeps_nothing, overflow.says))
}

#[test]
fn a_queue_without_any_room_keeps_nothing() {
    for kind in ["classic", "quorum"] {
        for limit in ["max-length", "max-length-bytes"] {
            let (keeps_nothing, says) =
                said(kind, &json!({format!("x-{limit}"): 0})).expect("told");
            assert!(keeps_nothing, "{says}");
            let told = format!("`work` keeps no messages ({limit} 0 by its arguments)");
            assert!(says.starts_with(&told), "{says}");
        }
    }
}

#[test]
fn by_a_policy_too_and_by_what_it_dead_letters_nothing_is_lost() {
    let policy = json!({"effective_policy_definition": {"max-length": 0}, "policy": "tiny"});
    let vhost = read(&Draft::new().queue_with("work", policy).0);
    let overflow = vhost.overflow("work", 1).expect("told");
    assert!(overflow.keeps_nothing && overflow.says.contains("by the policy `tiny`"));
    let arguments = json!({"x-max-length": 0, "x-dead-letter-exchange": ""});
    let (keeps_nothing, says) = said("classic", &arguments).expect("told");
    assert!(!keeps_nothing && says.ends_with("dead-letters it at once"), "{says}");
}

#[test]
fn a_queue_drops_what_is_above_its_limit() {
    let (keeps_nothing, says) = said("classic", &json!({"x-max-length": 7})).expect("told");
    assert!(!keeps_nothing);
    assert!(says.contains("7 messages at most") && says.ends_with("drops the oldest"), "{says}");
    assert_eq!(said("classic", &json!({"x-max-length": 8})), None);
}

#[test]
fn a_queue_that_refuses_what_is_too_much_drops_nothing() {
    let arguments = json!({"x-max-length": 0, "x-overflow": "reject-publish"});
    assert_eq!(said("classic", &arguments), None);
    assert_eq!(said("stream", &json!({"x-max-length-bytes": 0})), None);
    assert_eq!(said("classic", &json!({})), None);
}

#[test]
fn what_a_queue_behind_an_exchange_drops_is_not_known_to_be_kept() {
    let draft = Draft::new().queue("none", json!({"x-max-length": 0})).queue("work", json!({}));
    let draft = draft.exchange("events", "topic", json!({})).exchange("other", "direct", json!({}));
    let draft = draft.bind("events", "none", "a.#").bind("events", "work", "#");
    let vhost = draft.bind("other", "work", "k").read();
    let says = vhost.may_drop("events", "a.b").expect("one of them keeps nothing");
    assert!(says.starts_with("`none` keeps no messages"), "{says}");
    assert_eq!(vhost.may_drop("events", "b"), None);
    assert_eq!(vhost.may_drop("other", "k"), None);
    assert_eq!(vhost.may_drop("", "work"), None);
    let unseen = vhost.may_drop("", "newer").expect("nobody tells");
    assert!(unseen.contains("does not show the queue `newer`"), "{unseen}");
}
