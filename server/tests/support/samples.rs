//! What the desk that only notes answers with.

use dlo_domain::changing::{EditSheet, SentBody, Shape, TransformPreview};
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::letter::Letter;
use dlo_domain::page::Page;
use dlo_domain::replay::Replay;
use dlo_domain::rule::{NewRule, Rule, RuleBook};
use dlo_domain::source::Source;
use serde_json::{Value, json};
use uuid::Uuid;

use super::front::ID;

/// Text that a browser would run if it took it for a document.
pub(super) const MARKUP: &str = "<script>alert(1)</script>";

pub(super) fn page<T>() -> Page<T> {
    Vec::new().into()
}

pub(super) fn sample<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a sample")
}

pub(super) fn sample_replay(id: Option<&str>) -> Replay {
    sample(json!({
        "id": id, "state": "running", "target": {"mode": "origin_queue"}, "created_by": "x",
        "created_at": "2026-11-21T03:00:00Z", "finished_at": null, "total": 1,
        "outcomes": {"pending": 1, "confirmed": 0, "unroutable": 0, "refused": 0, "unknown": 0,
            "died_again": 0, "processed": 0, "settled": 0},
        "left_out": [],
    }))
}

pub(super) fn sample_source(queue: &str) -> Source {
    sample(json!({
        "id": ID, "name": queue, "broker": "main", "vhost": "/", "queue": queue, "mode": "take",
        "configured": false, "condition": "queue_missing",
        "condition_since": "2026-11-21T03:00:00Z", "condition_detail": "there is no such queue",
        "held": 0, "letters": 0, "last_arrived_at": null,
    }))
}

pub(super) fn sample_letter(id: LetterId) -> Letter {
    sample(json!({
        "id": id, "state": "held", "severity": "normal", "source": "orders", "source_id": ID,
        "queue": "orders.work", "exchange": "", "routing_key": "orders.work",
        "reason": "rejected", "size_bytes": 25, "arrivals": 1,
        "first_arrived_at": "2026-11-21T03:00:00Z", "last_arrived_at": "2026-11-21T03:00:00Z",
        "vhost": "/", "deaths": [], "arrivals_detail": [], "replays": [], "audit": [],
    }))
}

pub(super) fn sample_rule(id: &str, rule: &NewRule) -> Rule {
    let mut value = serde_json::to_value(rule).expect("JSON");
    value["id"] = json!(id);
    value["position"] = json!(1);
    value["changed_by"] = json!("x");
    value["changed_at"] = json!("2026-11-21T03:00:00Z");
    sample(value)
}

/// One severity rule, whose id is `ID`, and no other.
pub(super) fn sample_book() -> RuleBook {
    let rule = sample(json!({
        "name": "the queue was full", "filter": "reason:maxlen", "verdict": {"severity": "critical"},
    }));
    RuleBook {
        revision: 7,
        severity: vec![sample_rule(ID, &rule)],
        grouping: Vec::new(),
        judging_again: None,
    }
}

pub(super) fn sample_preview() -> TransformPreview {
    sample(json!({
        "total": 2, "tried": 2, "changed": 1, "unchanged": 0, "failed": 1, "unfit": 1,
        "letters": [
            {"letter_id": ID, "error": MARKUP},
            {"letter_id": ID, "diff": {"cut": true, "lines": [{"mark": "added", "text": MARKUP}]},
             "schema": sample_schema()},
        ],
    }))
}

fn sample_schema() -> Value {
    json!({"schema": MARKUP, "more": true, "faults": [{"place": MARKUP, "why": MARKUP}]})
}

pub(super) fn sample_sent(letter: LetterId, replay: ReplayId) -> SentBody {
    let diff = json!({"cut": false, "lines": [{"mark": "removed", "text": MARKUP}]});
    sample(json!({
        "letter_id": letter, "replay_id": replay, "from_arrival": 1, "size_bytes": 3,
        "body_sha256": "ab".repeat(32), "content_type": MARKUP, "diff": diff,
        "back": {"arrival": 2, "arrived_at": "2026-11-21T03:00:00Z", "diff": diff,
                 "is_same": false},
    }))
}

pub(super) fn sample_sheet(letter: LetterId, shape: Shape, draft: Option<Uuid>) -> EditSheet {
    sample(json!({
        "letter_id": letter, "arrival": 1, "shape": shape, "shapes": Shape::ALL,
        "text": MARKUP, "content_type": MARKUP, "content_encoding": "gzip",
        "queue": MARKUP, "cannot": null, "needs_approval": false,
        "schema": sample_schema(),
        "draft": draft.map(|id| json!({
            "id": id, "size_bytes": 3, "differs": true,
            "diff": {"cut": false, "lines": [{"mark": "same", "text": MARKUP}]},
        })),
    }))
}
