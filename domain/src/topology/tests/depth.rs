//! Whose depths are kept.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Draft, sound};
use crate::topology::{Map, depths};

fn kept(draft: &Draft, named: &[&str], most: usize) -> Vec<(String, i64)> {
    let vhost = draft.read();
    let named: BTreeSet<String> = named.iter().map(|&name| name.to_owned()).collect();
    let kept = depths(&Map::of(&vhost), &named, most);
    let owned = kept.into_iter();
    owned.map(|one| (one.queue.to_owned(), one.depth)).collect()
}

fn of(name: &str, depth: i64) -> (String, i64) {
    (name.to_owned(), depth)
}

#[test]
fn queues_that_are_named_come_first_and_the_rest_must_dead_letter() {
    let draft = sound().queue("quiet", json!({})).queue("zebra", json!({}));
    assert_eq!(kept(&draft, &[], 9), [of("work", 3)]);
    let named = ["zebra", "dead", "gone"];
    let all = [of("dead", 3), of("zebra", 3), of("work", 3)];
    assert_eq!(kept(&draft, &named, 9), all);
    assert_eq!(kept(&draft, &named, 2), all[..2]);
    assert_eq!(kept(&draft, &named, 0), []);
}

#[test]
fn depths_are_what_waits_and_what_is_in_hand_and_never_made_up() {
    let figures = |ready, taken| {
        let figures = json!({"messages_ready": ready, "messages_unacknowledged": taken});
        let draft = Draft::new().queue_with("one", figures);
        kept(&draft, &["one"], 9)
    };
    assert_eq!(figures(json!(4), json!(3)), [of("one", 7)]);
    assert_eq!(figures(json!(4), json!(null)), [of("one", 4)]);
    assert_eq!(figures(json!(null), json!("many")), []);
    assert_eq!(figures(json!(i64::MAX), json!(5)), [of("one", i64::MAX)]);
    assert_eq!(figures(json!(-4), json!(2)), []);
    assert_eq!(figures(json!(null), json!(2)), [], "how many wait is not known");
}
