//! What each kind of term says of one letter.

use chrono::TimeDelta;
use dlo_domain::arrival::Delivered;
use dlo_domain::death::{Death, Reason};
use dlo_domain::decoding::{Contents, MessageTypes};
use dlo_domain::extract::Extract;
use dlo_domain::filter::{Facts, LetterFilter};
use dlo_domain::ids::{GroupId, LetterId};
use dlo_domain::relations::Relations;
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;
use dlo_domain::wire::{FieldTable, FieldValue};
use uuid::Uuid;

use super::any::now;

/// Asks one letter, which is described here and nowhere else.
fn answers(asked: &[(&str, bool)]) {
    let mut headers = FieldTable::default();
    headers.set("tenant", FieldValue::LongString("acme".into()));
    headers.set("tries", FieldValue::LongInt(3));
    let body = br#"{"Customer": {"id": 42, "vip": true}, "lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2.5}]}"#;
    let message = "Connection REFUSED by 10.0.0.7 (ECONNREFUSED)";
    let delivered = Delivered { body: body.to_vec(), headers, ..Delivered::default() };
    let contents = Contents::of(&delivered, &MessageTypes::default());
    let relations = Relations {
        correlation_id: Some("saga-17".to_owned()),
        trace: Some("0af7651916cd43dd8448eb211c80319c".to_owned()),
        business_key: None,
    };
    let extract = Extract::of(&delivered, relations, contents, Some(message));
    let death = |queue: &str, reason, count| Death {
        queue: queue.to_owned(),
        reason,
        exchange: "orders".to_owned(),
        routing_keys: vec!["order.eu".to_owned(), "order.cc".to_owned()],
        count,
        time: None,
        original_expiration: None,
    };
    let deaths = [
        death("orders.work", Reason::Rejected, Some(2)),
        death("orders.retry", Reason::Expired, None),
    ];
    let groups = [GroupId(Uuid::from_u128(8)), GroupId(Uuid::from_u128(9))];
    let facts = Facts {
        id: LetterId(Uuid::from_u128(7)),
        state: LetterState::Held,
        severity: Severity::High,
        source: "orders.dead",
        queue: Some("orders.work"),
        exchange: Some(""),
        routing_key: Some("order.eu"),
        reason: Reason::Rejected,
        error_class: None,
        error_message: Some(message),
        message_type: Some("OrderPlaced"),
        message_id: None,
        size_bytes: 2_048,
        arrivals: 2,
        replays: 1,
        exhausted: true,
        first_arrived_at: now() - TimeDelta::days(2),
        last_arrived_at: now() - TimeDelta::hours(1),
        groups: &groups,
        executions: &["job-42".to_owned(), "job-43".to_owned()],
        workers: &["worker-7".to_owned()],
        deaths: &deaths,
        extract: Some(&extract),
    };
    for (text, wanted) in asked {
        let filter = LetterFilter::parse(text).expect(text);
        assert_eq!(filter.matches(&facts, now()), *wanted, "{text}");
    }
}

#[test]
fn words_names_and_texts_are_compared_as_the_manual_says() {
    answers(&[
        ("", true),
        ("state:(unknown,held)", true),
        ("exhausted:true", true),
        ("exhausted:false", false),
        ("exhausted:(true,false)", true),
        ("severity:>=high", true),
        ("severity:>high", false),
        ("severity:low..high", true),
        ("queue:orders.*", true),
        ("queue:ORDERS.*", false),
        ("exchange:\"\"", true),
        ("execution:job-42", true),
        ("execution:(job-1,job-43)", true),
        ("execution:job-4", false),
        ("-execution:job-42", false),
        ("worker:worker-*", true),
        ("worker:WORKER-7", false),
        ("has:worker", true),
        ("error:\"connection refused\"", true),
        ("error:connection*econn", true),
        ("error:econn*connection", false),
        ("refused", true),
        ("\"vip\\\": true\"", true),
        ("nowhere", false),
    ]);
}

#[test]
fn what_a_letter_does_not_have_is_false_and_its_negation_true() {
    answers(&[
        ("error_class:E", false),
        ("-error_class:E", true),
        ("has:error_class", false),
        ("-has:error_class", true),
        ("has:queue", true),
        ("body.missing:>1", false),
        ("-body.missing:>1", true),
    ]);
}

#[test]
fn numbers_sizes_and_times_are_compared_by_value() {
    answers(&[
        ("size:2kb", true),
        ("size:<2kb", false),
        ("size:1kb..2kb", true),
        ("arrivals:>1 replays:1", true),
        ("arrivals:1.5..2.5", true),
        ("age:1h", true),
        ("age:>1h", false),
        ("age:>=1h", true),
        ("age:<1h", false),
        ("age:30m..1h", true),
        ("first_age:>1d", true),
        ("since:1h", true),
        ("until:1h", false),
        ("until:59m", true),
        ("last_arrived:2026-11-21", true),
        ("last_arrived:>2026-11-20", true),
        ("last_arrived:>2026-11-21", false),
        ("last_arrived:<=2026-11-21", true),
        ("first_arrived:2026-11-18..2026-11-19", true),
        ("first_arrived:2026-11-19T12:00:00Z", true),
        ("first_arrived:>2026-11-19T12:00:00Z", false),
    ]);
}

#[test]
fn any_death_and_any_element_will_do() {
    answers(&[
        ("death.queue:orders.retry death.reason:rejected", true),
        ("death.key:*.cc", true),
        ("death.count:2", true),
        ("death.count:<2", false),
        ("deaths:2", true),
        ("header.tenant:ac*", true),
        ("header.Tenant:acme", false),
        ("header.tries:>=3", true),
        ("header.tries:3.0", true),
        ("header.tries:3*", false),
        ("group:00000000-0000-0000-0000-000000000008", true),
        ("group:00000000-0000-0000-0000-000000000009", true),
        ("group:00000000-0000-0000-0000-000000000007", false),
        ("has:group", true),
        ("body.Customer.id:42", true),
        ("body.customer.id:42", false),
        ("body.Customer.vip:true", true),
        ("body.lines.sku:b", true),
        ("body.lines.n:>2", true),
        ("body.lines.n:3..4", false),
        ("has:body.Customer", true),
        ("body.Customer:42", false),
    ]);
}
