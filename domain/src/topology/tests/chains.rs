//! Chains that only a change would make.

use serde_json::{Value, json};

use super::Draft;
use super::dead_lettering::to;
use crate::topology::{Map, Role, plan, read_now};

/// A queue whose dead letters go to another by a policy, so that they can be sent elsewhere.
fn dying_by_policy(draft: Draft, name: &str, target: &str, more: &Value) -> Draft {
    let mut definition = json!({"dead-letter-exchange": "", "dead-letter-routing-key": target});
    for (key, value) in more.as_object().expect("members") {
        definition[key] = value.clone();
    }
    draft.policy(name, &format!("^{name}$"), 1, definition)
}

/// `work` and `later` die into each other by policies; and `end`.
fn retrying(consumers: [u32; 2], of_work: &Value, of_later: &Value) -> Draft {
    let draft = Draft::new()
        .queue_with("work", json!({"consumers": consumers[0]}))
        .queue_with("later", json!({"consumers": consumers[1]}))
        .queue("end", json!({}));
    let draft = dying_by_policy(draft, "work", "later", of_work);
    dying_by_policy(draft, "later", "work", of_later)
}

fn role(draft: &Draft, queue: &str) -> Role {
    Map::of(&read_now(&draft.0)).role(queue)
}

fn refusals(draft: &Draft, queue: &str, target: &str) -> Vec<String> {
    plan((&read_now(&draft.0), "/"), queue, &to(target)).refusals
}

#[test]
fn a_retry_queue_that_would_give_nothing_back_is_a_chain() {
    let ttl = json!({"message-ttl": 1_000});
    let with_ttl = retrying([1, 0], &json!({}), &ttl);
    let without = retrying([1, 0], &json!({}), &json!({}));
    for draft in [with_ttl, without] {
        assert_eq!(role(&draft, "later"), Role::Retry);
        let said = refusals(&draft, "later", "end");
        assert_eq!(
            said,
            ["`later` is a dead-letter queue itself: what dies there would go on to `end`, and \
                 nobody would find it where they look"]
        );
        // It stays what it is, set here rather than there.
        let said = refusals(&draft, "later", "work").join("; ");
        assert!(!said.contains("is a dead-letter queue itself"), "{said}");
    }
    // Both are worked on: the one's dead letters would go on from the other all the same.
    let worked = retrying([1, 1], &json!({}), &json!({}));
    assert_eq!(role(&worked, "later"), Role::Work);
    assert_eq!(refusals(&worked, "later", "end").len(), 1);
}

#[test]
fn a_work_queue_can_do_without_its_retry_queue() {
    let ttl = json!({"message-ttl": 1_000});
    for (consumers, of_work, of_later) in [
        ([1, 0], &json!({}), &ttl),
        // Each message has its own time.
        ([1, 0], &json!({}), &json!({})),
        ([1, 0], &ttl, &ttl),
        // Its consumers are away.
        ([0, 0], &json!({}), &ttl),
    ] {
        let draft = retrying(consumers, of_work, of_later);
        let said = refusals(&draft, "work", "end");
        assert_eq!(said, [""; 0], "{consumers:?} {of_work} {of_later}");
    }
    let plain = Draft::new().queue("work", json!({})).queue("end", json!({}));
    assert_eq!(refusals(&plain, "work", "end"), [""; 0]);
}

/// It would be a dead-letter queue that dead-letters: the other side of the same.
#[test]
fn a_queue_that_dead_letters_becomes_no_dead_letter_queue() {
    let draft = Draft::new()
        .queue("work", json!({}))
        .queue_with("later", json!({"consumers": 0}))
        .queue("end", json!({}));
    let draft = dying_by_policy(draft, "later", "end", &json!({"message-ttl": 1_000}));
    let said = refusals(&draft, "work", "later");
    assert!(said[0].contains("`later` has a dead-letter exchange itself"), "{said:?}");
}

/// What comes there is dropped, since it is no heartbeat.
#[test]
fn our_own_queues_have_no_part_in_dead_lettering() {
    let ours = "dlo.fleet.heartbeats";
    let draft =
        Draft::new().queue("work", json!({})).queue("dead", json!({})).queue(ours, json!({}));
    for (queue, target) in [("work", ours), (ours, "dead")] {
        let said = refusals(&draft, queue, target).join("; ");
        assert!(said.contains("of Dead Letter Office itself"), "{said}");
    }
}
