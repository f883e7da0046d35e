//! Who consumes the queues of workers.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Draft, sound};
use crate::topology::{SeenConsumers, seen_consumers};

fn seen(draft: &Draft, told: Option<&[Value]>) -> Vec<SeenConsumers> {
    let named: BTreeSet<String> = ["work", "gone"].map(str::to_owned).into();
    seen_consumers(&draft.read(), told, &named)
}

#[test]
fn consumers_are_told_of_queues_that_are_named_and_there() {
    let consumer = |queue: &str, tag: &str| json!({"queue": {"name": queue}, "consumer_tag": tag});
    let told = [
        consumer("work", "worker-1"),
        consumer("dead", "x"),
        consumer("gone", "x"),
        consumer("work", "b"),
    ];
    let found = seen(&sound(), Some(&told));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].queue.as_str(), found[0].consumers), ("work", Some(2)));
    assert_eq!(found[0].tags.as_deref().expect("told"), ["worker-1", "b"]);
    // An empty list may be one of which nothing is shown.
    let found = seen(&sound(), Some(&[]));
    assert_eq!((found[0].consumers, found[0].tags.as_deref()), (Some(1), Some(&[][..])));
}

#[test]
fn without_a_list_the_figures_count_and_without_those_nobody_knows() {
    let found = seen(&sound(), None);
    assert_eq!((found[0].consumers, &found[0].tags), (Some(1), &None));
    let untold = Draft::new().queue_with("work", json!({"consumers": null}));
    assert_eq!(seen(&untold, None)[0].consumers, None);
    assert_eq!(seen(&untold, Some(&[]))[0].consumers, None);
    let told = [json!({"queue": {"name": "work"}, "consumer_tag": "a"})];
    assert_eq!(seen(&untold, Some(&told))[0].consumers, Some(1));
}

#[test]
fn what_is_no_list_of_consumers_is_left_out_and_names_are_bounded() {
    let mut told = vec![
        json!(null),
        json!({"queue": "work"}),
        json!({"queue": {"name": 7}}),
        json!({"queue": {"name": "work"}}),
        json!({"queue": {"name": "work"}, "consumer_tag": ["x"]}),
        json!({"queue": {"name": "work"}, "consumer_tag": format!("\u{0}\u{1b}{}", "x".repeat(999))}),
    ];
    told.extend((0..500).map(|_| json!({"queue": {"name": "work"}, "consumer_tag": "t"})));
    let found = seen(&sound(), Some(&told)).remove(0);
    assert_eq!(found.consumers, Some(503));
    let tags = found.tags.expect("told");
    assert_eq!(tags.len(), crate::worker::MOST_TAGS);
    assert!(tags.iter().all(|tag| tag.len() <= 255 && !tag.chars().any(char::is_control)));
}
