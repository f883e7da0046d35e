//! What is drawn, and where it leads.

use chrono::DateTime;
use dlo_domain::severity::Severity;
use dlo_domain::topology::{Delay, FindingKind, QueueReport};
use serde_json::json;

use super::of;
use crate::pages::queues::rows::Numbers;

fn queue(name: &str, route: serde_json::Value) -> QueueReport {
    let queue = json!({
        "broker": "main", "vhost": "/", "name": name, "kind": "classic", "role": "work",
        "figures": {"ready": 3, "unacknowledged": 0, "consumers": 2, "in_per_second": 1.5,
            "out_per_second": null},
        "idle_seconds": null, "policy": null, "operator_policy": null, "effective": {},
        "dead_letters": route, "fed_by": [],
        "bound_to": [{"exchange": "orders", "exchange_type": "topic", "routing_key": "order.#"}],
        "source_id": null, "findings": [],
    });
    serde_json::from_value(queue).expect("a queue")
}

fn route(end: &str, to: &[&str], lost: &[&str]) -> serde_json::Value {
    json!({"exchange": "dlx", "key": null, "to": to, "end": end, "lost_keys": lost})
}

#[test]
fn queues_lead_to_their_pages_and_say_their_figures_findings_are_numbered_and_lines_say_their_key()
{
    let queues = [queue("work", route("arrives", &["a dead"], &[]))];
    let numbers: Numbers = [("work".to_owned(), (2, Severity::High, FindingKind::Chain))].into();
    let map = of(&queues, &[], &numbers, false).expect("drawn");
    let leads: Vec<(&str, &str)> = map.boxes.iter().map(|one| (&*one.name, &*one.href)).collect();
    assert!(leads.contains(&("work", "/queues/main/%2F/work")), "{leads:?}");
    assert!(leads.contains(&("a dead", "/queues/main/%2F/a%20dead")), "{leads:?}");
    assert!(
        map.marks.iter().any(|mark| (mark.0, mark.3) == (Severity::High, 2)),
        "{:?}",
        map.marks
    );
    assert!(map.words.iter().any(|word| word.3 == "order.#"));
    let work = map.boxes.iter().find(|one| one.name == "work");
    assert_eq!(work.expect("drawn").note, "3 · 2 · 1.5/s");
    let line = &map.routes[0];
    assert_eq!(
        (&*line.name, &*line.over, line.finding),
        ("work", "dlx", Some((2, Severity::High)))
    );
    assert_eq!(line.ends[0].words(), "a dead");
    assert_eq!((&*line.href, &*line.note), ("/queues/main/%2F/work", "3 · 2 · 1.5/s"));
}

#[test]
fn a_route_that_ends_at_its_exchange_says_so() {
    let words = |queue: QueueReport| {
        let map = of(&[queue], &[], &Numbers::new(), true).expect("drawn");
        let words = map.words.into_iter();
        words.filter(|word| word.0.contains(" c-")).map(|word| (word.0, word.3)).collect::<Vec<_>>()
    };
    let said = |class: &str, text: &str| vec![(format!("label {class}"), text.to_owned())];
    assert_eq!(
        words(queue("work", route("nowhere", &[], &[]))),
        said("c-critical", "no queue takes them")
    );
    assert_eq!(
        words(queue("work", route("nowhere", &[], &["order.paid"]))),
        said("c-critical", "no queue takes order.paid")
    );
    assert_eq!(
        words(queue("work", route("arrives", &["dead"], &["a", "b"]))),
        said("c-high", "no queue takes a +1")
    );
    assert_eq!(words(queue("work", route("arrives", &["dead"], &[]))), []);
}

#[test]
fn the_levels_of_a_delay_are_one_box_that_says_how_many_wait_and_until_when() {
    let level = |number: u32| {
        let name = format!("nsb.v2.delay-level-0{number}");
        let mut queue = queue(&name, route("arrives", &["billing"], &[]));
        queue.delay = serde_json::from_value(json!({"delay": "nsb.v2", "level": number})).ok();
        queue
    };
    let mut delay = Delay {
        name: "nsb.v2".to_owned(),
        levels: 3,
        lowest: "nsb.v2.delay-level-00".to_owned(),
        waiting: Some(2),
        next_in: Some("nsb.v2.delay-level-01".to_owned()),
        next_by: DateTime::from_timestamp(4_102_444_710, 0),
    };
    let queues = [level(0), level(1), level(2)];
    let draw = |delay: &Delay| {
        of(&queues, std::slice::from_ref(delay), &Numbers::new(), false).expect("drawn")
    };
    let map = draw(&delay);
    let boxes: Vec<_> = map.boxes.iter().map(|one| (&*one.name, &*one.note, &*one.href)).collect();
    let expected = [
        ("dlx", "", ""),
        ("billing", "", "/queues/main/%2F/billing"),
        ("delay nsb.v2", "2 waiting", "/queues/main/%2F/nsb.v2.delay-level-01"),
    ];
    assert_eq!(boxes, expected, "no exchange of a level either");
    assert!(map.words.iter().any(|word| word.3 == "next by 2099-12-31 23:59 UTC"));
    assert_eq!(map.routes[0].note, "2 waiting · next by 2099-12-31 23:59 UTC");
    delay.next_by = Some(DateTime::UNIX_EPOCH);
    assert_eq!(draw(&delay).routes[0].note, "2 waiting · the next is due");
}
