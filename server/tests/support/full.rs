//! What a desk answers that has some of everything.

use serde_json::{Value, json};

use super::front::ID;

const AT: &str = "2026-11-21T03:00:00Z";

pub(super) fn summary() -> Value {
    json!({
        "id": ID, "state": "held", "severity": "normal", "source": "orders", "source_id": ID,
        "queue": "work", "exchange": "jobs", "routing_key": "key", "origin_claimed": true,
        "reason": "rejected", "error_class": "app.Broken", "error_message": "it broke",
        "message_type": "Paid", "message_id": "m-7", "size_bytes": 25, "arrivals": 2,
        "first_arrived_at": AT, "last_arrived_at": AT, "group_id": ID,
    })
}

fn death() -> Value {
    json!({
        "queue": "work", "reason": "expired", "exchange": "jobs", "routing_keys": ["key"],
        "count": 2, "time": AT, "original_expiration": "500",
    })
}

pub(super) fn arrival(ordinal: i32) -> Value {
    let text = |name: &str| json!({"name": name, "type": "long_string", "value": "text"});
    let odd = format!("x-odd{}", super::odd_names::unseen());
    json!({
        "ordinal": ordinal, "arrived_at": AT, "exchange": "dlx", "routing_key": "key",
        "properties": {"content_type": "text/plain", "message_id": "m-7", "type": "Paid",
            "user_id": "guest", "app_id": "app", "cluster_id": "c", "reply_to": "r",
            "correlation_id": "c", "expiration": "500", "content_encoding": "none"},
        "headers": [text("x-plain"), text(&odd),
            {"name": "table", "type": "table", "value": [text("within")]},
            {"name": "array", "type": "array", "value": [
                {"type": "long_string", "value": "of many"}]}],
        "deaths": [death()], "size_bytes": 25, "body_sha256": "ab", "replay_id": null,
        "notes": ["it was cut"],
    })
}

pub(super) fn letter() -> Value {
    let mut letter = summary();
    let more = json!({
        "vhost": "/", "deaths": [death()], "stack_trace": "at a.b(C.java:7)\nat d.e(F.java:8)",
        "told_by": "a framework", "arrivals_detail": [arrival(1), arrival(2)],
        "execution_id": "job 7", "worker": "worker-7",
        "replays": [{"replay_id": ID, "attempt": 1, "queue": "work", "outcome": "confirmed",
            "detail": "it is there", "planned_at": AT, "at": AT}],
        "retries": {
            "exhausted": {"at": AT, "policy_id": ID, "policy": "timeouts"},
            "next": {"policy_id": ID, "policy": "timeouts", "number": 2, "due_at": AT,
                "is_paused": true},
            "tries": [{"policy_id": ID, "policy": "timeouts", "number": 1, "due_at": AT,
                "taken_at": AT, "replay_id": ID, "outcome": "died_again", "detail": "again"}],
        },
        "audit": [
            {"at": AT, "actor": "anna", "action": "letter.discard", "detail": "no use"},
            {"at": AT, "actor": "anna", "action": "letter.edit", "detail": "of `work`"},
        ],
    });
    for (name, value) in more.as_object().expect("an object") {
        letter[name] = value.clone();
    }
    letter
}

pub(super) fn group_summary() -> Value {
    let by_hour = vec![1; 24];
    json!({
        "id": ID, "title": "broke at <num> of work", "state": "open", "state_since": AT,
        "owner": "team", "ticket_url": "https://tickets/1", "tags": ["tag"], "severity": "high",
        "letters": 3, "waiting": 2, "arrivals": 4, "created_at": AT, "last_arrived_at": AT,
        "by_hour": by_hour,
    })
}

pub(super) fn group() -> Value {
    let mut group = group_summary();
    let signature = |id: &str| {
        json!({"id": id, "template": "broke at <num>", "scope": "app.Broken", "letters": 2,
            "sample_letter_id": ID, "arranged": true})
    };
    let more = json!({
        "why": {"version": 1, "layer": "error", "scope": "app.Broken",
            "frame": {"language": "java", "place": "a.b"},
            "template": [
                {"text": "broke at ", "variable": null, "examples": []},
                {"text": "<word>", "variable": "word", "examples": ["here", "there"]}],
            "signatures": 2},
        "mute": null, "signatures": [signature("a"), signature("b")],
        "timeline": [
            {"at": AT, "actor": "anna", "action": "note", "detail": "look at `work`"},
            {"at": AT, "actor": "anna", "action": "muted", "detail": "for an hour"}],
        "claimed_origins": claimed(),
    });
    for (name, value) in more.as_object().expect("an object") {
        group[name] = value.clone();
    }
    group
}

fn claimed() -> Value {
    json!({"letters": 2, "included": false, "origins": [
        {"source_id": ID, "source": "orders", "queue": "work", "letters": 1},
        {"source_id": ID, "source": "orders", "exchange": "jobs", "routing_key": "key",
            "letters": 1}]})
}

pub(super) fn breakdown() -> Value {
    let value = |value: &str, stands_out: bool| {
        json!({"value": value, "letters": 40, "share": 0.9, "share_of_all": 0.1, "lift": 9.0,
            "stands_out": stands_out, "filter": "queue:work"})
    };
    json!({
        "letters": 50, "letters_in_set": 50, "compared_with": 400, "letters_in_all": 400,
        "sentence": "90 % have it", "facets": [{"name": "header x-tenant", "kind": "header",
            "values": [value("acme", true), value("other", false)], "other_values": 0,
            "other_letters": 0}],
    })
}

pub(super) fn replay(target: &Value, id: Option<&str>) -> Value {
    let destination = |queue: Option<&str>, exchange: Option<&str>| {
        json!({"broker": format!("b{queue:?}"), "vhost": format!("v{queue:?}"), "queue": queue,
            "exchange": exchange, "routing_key": "key", "letters": 1, "exists": true,
            "receivers": ["one", "two"], "overflows": ["`work` is nearly full"]})
    };
    json!({
        "id": id, "state": "awaiting_approval", "target": target, "created_by": "anna",
        "created_at": AT, "finished_at": null, "total": 2,
        "outcomes": {"pending": 1, "confirmed": 0, "unroutable": 0, "refused": 0, "unknown": 0,
            "died_again": 1, "processed": 0, "settled": 0},
        "stopped": {"at": AT, "by": "anna", "why": "too many came back to `work`"},
        "approval": {}, "transform": {"jq": ".a = 1"},
        "left_out": [{"reason": "it is gone from `work`", "letters": 1, "examples": [ID]}],
        "destinations": [destination(Some("work"), None), destination(None, Some("jobs"))],
        "claimed_origins": claimed(), "stripped": [{"name": "x-secret", "letters": 1}],
        "warnings": [{"kind": "workers_away", "message": "nobody works at work", "letters": 1,
            "will_fail": false, "target": "work", "fresh_worker": "worker-8"}],
        "plan": "plan",
    })
}

pub(super) fn item(outcome: &str) -> Value {
    json!({"letter_id": ID, "queue": "work", "outcome": outcome, "detail": "as `work` says",
        "at": AT})
}

pub(super) fn source() -> Value {
    json!({
        "id": ID, "name": "orders", "broker": "main", "vhost": "/", "queue": "dead",
        "mode": "take", "configured": false, "condition": "delivery_limit",
        "condition_since": AT, "condition_detail": "it drops letters of `dead`",
        "delivery_limit": 20,
        "accepted_loss": {"letters": 2, "delivery_limit": 20, "by": "anna", "at": AT},
        "held": 1, "letters": 2, "last_arrived_at": AT,
        "executions": {"path": "/id", "header": "x-id", "message_type": "Paid",
            "reschedule_on": ["expired"]},
        "origins": ["work", "jobs.*"],
    })
}

pub(super) fn overview(span: &str) -> Value {
    let mut group = group_summary();
    group["first_seen_at"] = json!(AT);
    group["is_new"] = json!(true);
    json!({
        "at": AT, "span": span, "held": 1, "unknown": 0, "held_by_severity": [["high", 1]],
        "deaths": [{"from": AT, "counts": [1, 2, 3, 4]}], "groups": [group],
        "groups_left": {"groups": 2, "muted": 1, "resolved": 0}, "waiting": breakdown(),
        "sources": [source()], "replays": [{"id": ID, "at": AT, "letters": 2}],
    })
}

pub(super) fn execution(id: &str) -> Value {
    json!({
        "id": id, "state": "running", "worker": "worker-7", "attempt": 1, "max_attempts": 3,
        "state_since": AT, "first_seen_at": AT, "error": "of `work`", "failed_by": "anna",
        "is_stuck": true,
    })
}

pub(super) fn dead_lettering() -> Value {
    json!({
        "plan": "1f", "stays": ["`work` stays"], "refusals": ["not of `work`"], "applied": false,
        "changes": [{"queue": "work", "name": "dlo.work", "pattern": "^work$", "priority": 1,
            "base": "theirs", "definition": {},
            "lines": [{"key": "dead-letter-exchange", "before": "old", "after": "new"}]}],
        "migration": [{"says": "Declare `work`", "commands": ["rabbitmqadmin work"]}],
    })
}
