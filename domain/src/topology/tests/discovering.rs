//! Which queues are found to be dead-letter queues, and what is said where they may be hidden.

use chrono::DateTime;
use serde_json::{Value, json};

use super::{Draft, dying, dying_to, sound};
use crate::source::{NewSource, SourceMode};
use crate::topology::{BrokerTopology, Discover, Discovery, FoundBy, Gap, Map, VhostTopology};

fn found(draft: &Draft, watched: &[&str]) -> Discovery {
    let vhost = draft.read();
    let mut discovery = Discovery::default();
    discovery.look(&Map::of(&vhost), ("main", "/"), |queue| watched.contains(&queue));
    discovery
}

fn names(discovery: &Discovery) -> Vec<&str> {
    let items = discovery.items.iter();
    items.map(|one| one.source.queue.as_str()).collect()
}

fn waiting(ready: i64) -> Value {
    json!({"messages_ready": ready, "consumers": 0})
}

#[test]
fn where_dead_letters_come_to_rest_is_told_before_what_is_only_called_so() {
    let mut draft = sound()
        .queue_with("orders_error", waiting(9_000))
        .queue_with("much", waiting(70))
        .queue_with("alike", waiting(3))
        .queue("late", dying_to("", "alike"))
        .queue("quiet", json!({}));
    for name in ["a", "b", "c", "d"] {
        draft = draft.queue(name, dying_to("", "much"));
    }
    let discovery = found(&draft, &[]);
    let told: Vec<_> = discovery
        .items
        .iter()
        .map(|one| (one.source.queue.as_str(), one.kind, one.ready, &*one.why))
        .collect();
    let rest = FoundBy::DeadLetters;
    let wanted = [
        ("much", rest, Some(70), "Dead letters of `a`, `b` and 2 others come to rest here."),
        ("alike", rest, Some(3), "Dead letters of `late` come to rest here."),
        ("dead", rest, Some(3), "Dead letters of `work` come to rest here."),
        (
            "orders_error",
            FoundBy::Named,
            Some(9_000),
            "Its name says `error`: programs put failed messages into such queues themselves.",
        ),
    ];
    assert_eq!(told, wanted);
    assert_eq!(discovery.items[0].fed_by, ["a", "b", "c", "d"]);
    assert_eq!(discovery.items[3].fed_by, [""; 0]);
    assert_eq!(discovery.estimated_total, 4);
    assert_eq!(names(&found(&draft, &["much", "orders_error"])), ["alike", "dead"]);
}

#[test]
fn what_is_no_dead_letter_queue_to_be_watched_is_left_out() {
    let draft = sound()
        .queue("retried", dying_to("", "retried.dead"))
        .queue_with(
            "retried.dead",
            json!({"consumers": 0, "arguments": {
                "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "retried",
                "x-message-ttl": 1000,
            }}),
        )
        // Somebody works on it, and what dies there goes around.
        .queue("jobs", dying_to("", "jobs.failed"))
        .queue("jobs.failed", dying_to("", "jobs"))
        .queue_with("log.errors", json!({"type": "stream"}))
        .queue_with("mine.dlq", json!({"exclusive": true}))
        .queue("dlo.mirror.dead", json!({}))
        .bind("dlx", "dlo.mirror.dead", "")
        .queue("dlo.fleet.errors", json!({}))
        .queue("orders.deadlines", json!({}));
    assert_eq!(names(&found(&draft, &[])), ["dead"]);
    assert_eq!(names(&found(&draft, &["dead"])), [""; 0]);
}

#[test]
fn what_speaks_against_taking_its_letters_is_said() {
    let draft = Draft::new()
        .queue("work", dying_to("", "dead"))
        .queue("dead", dying("elsewhere"))
        .queue_with("x.failed", json!({"consumers": 2}));
    let discovery = found(&draft, &[]);
    assert_eq!(
        discovery.items[0].why,
        "Dead letters of `work` come to rest here. It dead-letters itself: messages may only wait \
         here before they go on. It has 1 consumer already."
    );
    assert!(
        discovery.items[1].why.ends_with(" It has 2 consumers already."),
        "{}",
        discovery.items[1].why
    );
    assert_eq!(discovery.items[1].consumers, Some(2));
}

#[test]
fn what_was_found_can_be_added_as_it_is() {
    let discovery = found(&sound(), &[]);
    let source = serde_json::to_value(&discovery.items[0].source).expect("JSON");
    assert_eq!(source, json!({"broker": "main", "vhost": "/", "queue": "dead", "mode": "take"}));
    let new: NewSource = serde_json::from_value(source).expect("a new source");
    assert_eq!(new.check(), Ok(()));
    assert_eq!(new.mode, SourceMode::Take);
}

#[test]
fn so_many_are_told_and_all_are_counted() {
    let mut draft = Draft::new();
    for number in 0..250 {
        draft = draft.queue_with(&format!("q{number:03}.dlq"), waiting(number));
    }
    let mut discovery = found(&draft, &[]);
    assert_eq!(discovery.items.len(), 200);
    assert_eq!(discovery.items[0].source.queue, "q249.dlq");
    assert_eq!(discovery.estimated_total, 250);
    let vhost = sound().read();
    discovery.look(&Map::of(&vhost), ("main", "other"), |_| false);
    assert_eq!(discovery.items[0].source.vhost, "other");
    assert_eq!((discovery.items.len(), discovery.estimated_total), (200, 251));
}

fn vhost(name: &str, trouble: Option<&str>, gaps: &[Gap]) -> VhostTopology {
    VhostTopology {
        broker: "main".to_owned(),
        vhost: name.to_owned(),
        read_at: DateTime::UNIX_EPOCH,
        version: None,
        trouble: trouble.map(str::to_owned),
        trouble_since: None,
        queues: 1,
        findings: 0,
        delays: Vec::new(),
        gaps: gaps.to_vec(),
        notes: Vec::new(),
    }
}

fn broker(name: &str, trouble: Option<&str>, vhosts: Vec<VhostTopology>) -> BrokerTopology {
    BrokerTopology {
        broker: name.to_owned(),
        asked_at: None,
        trouble: trouble.map(str::to_owned),
        trouble_since: None,
        vhosts,
    }
}

/// What is said not to be read: broker, vhost, and how the reason begins.
fn unread(asked: &Discover, brokers: &[BrokerTopology]) -> Vec<(String, String, String)> {
    let told = Discovery::begin(asked, brokers).unread.into_iter();
    told.map(|one| {
        let beginning = one.trouble.chars().take(14).collect();
        (one.broker, one.vhost.unwrap_or_default(), beginning)
    })
    .collect()
}

fn said(broker: &str, vhost: &str, beginning: &str) -> (String, String, String) {
    (broker.to_owned(), vhost.to_owned(), beginning.to_owned())
}

#[test]
fn nothing_found_is_told_from_nothing_read() {
    let all = Discover::default();
    assert_eq!(
        unread(&all, &[broker("main", None, Vec::new())]),
        [said("main", "", "its queues wer")]
    );
    let ill = vec![
        vhost("/", None, &[Gap::Figures, Gap::OperatorPolicies]),
        vhost("dark", None, &[Gap::Figures, Gap::Policies]),
        vhost("hidden", Some("not shown"), &[]),
        vhost("vast", None, &[Gap::Policies, Gap::Queues]),
    ];
    let brokers = [broker("main", Some("away"), ill)];
    assert_eq!(
        unread(&all, &brokers),
        [
            said("main", "", "away"),
            said("main", "dark", "The policies m"),
            said("main", "hidden", "not shown"),
            said("main", "vast", "The vhost has "),
        ]
    );
    let only = |vhost: &str| Discover { vhost: Some(vhost.to_owned()), ..Discover::default() };
    assert_eq!(unread(&only("/"), &brokers), [said("main", "", "away")]);
    let well = [
        broker("main", None, vec![vhost("/", None, &[])]),
        broker("other", None, vec![vhost("x", None, &[])]),
    ];
    assert_eq!(unread(&only("x"), &well), []);
    assert_eq!(
        unread(&only("y"), &well),
        [said("main", "y", "no vhost of th"), said("other", "y", "no vhost of th"),]
    );
}
