//! What is sent again of a message, and what is taken off.

use std::sync::LazyLock;

use super::*;
use uuid::Uuid;

static NO_CHANGES: LazyLock<HeaderChanges> = LazyLock::new(HeaderChanges::default);

fn terms() -> Terms<'static> {
    Terms { marks: marks(), keep_expiration: false, headers: &NO_CHANGES }
}

fn marks() -> (LetterId, ReplayId, i32) {
    (LetterId(Uuid::from_u128(1)), ReplayId(Uuid::from_u128(2)), 3)
}

fn text(s: &str) -> FieldValue {
    FieldValue::LongString(s.into())
}

#[test]
fn harm_is_stripped_and_the_rest_stays() {
    let mut headers = FieldTable::default();
    for name in [
        "x-death",
        "x-first-death-queue",
        "x-last-death-reason",
        "CC",
        "timestamp_in_ms",
        "x-opt-rabbitmq-sent-time",
        "x-opt-rabbitmq-received-time",
        "x-routed-by",
        "x-opt-mqtt-client-id",
        "tenant",
    ] {
        headers.set(name, text("v"));
    }
    let properties = Properties {
        expiration: Some("1000".into()),
        user_id: Some("guest".into()),
        reply_to: Some("amq.rabbitmq.reply-to".into()),
        message_id: Some("m1".into()),
        ..Properties::default()
    };
    let sent = republish(properties, headers, 10, terms()).expect("publishable");
    let names: Vec<_> = sent.headers.0.iter().filter_map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["tenant", LETTER, REPLAY, ATTEMPT]);
    assert_eq!(sent.properties.message_id, Some("m1".into()));
    assert_eq!(sent.properties.expiration, None);
    assert_eq!(sent.properties.user_id, None);
    assert_eq!(sent.properties.reply_to, None);
    assert_eq!(sent.stripped, ["CC", "expiration", "user-id", "reply-to"]);
}

#[test]
fn marks_of_another_letter_give_way_however_often_they_are_there() {
    let mut headers = FieldTable::default();
    for name in ["a", LETTER, REPLAY, LETTER, ATTEMPT, REPLAY] {
        headers.0.push(crate::wire::Field { name: name.into(), value: text("another") });
    }
    let sent = republish(Properties::default(), headers, 0, terms()).expect("publishable");
    let names: Vec<_> = sent.headers.0.iter().map(|field| &field.name).collect();
    assert_eq!(names, ["a", LETTER, REPLAY, ATTEMPT].map(WireText::from).each_ref());
    let (letter, replay, _) = marks();
    assert_eq!(sent.headers.text(LETTER), Some(&*letter.to_string()));
    assert_eq!(sent.headers.text(REPLAY), Some(&*replay.to_string()));
}

#[test]
fn a_transient_message_is_sent_as_a_persistent_one() {
    for (mode, made_persistent) in [(None, false), (Some(1), true), (Some(2), false)] {
        let properties = Properties { delivery_mode: mode, ..Properties::default() };
        let sent = republish(properties, FieldTable::default(), 0, terms());
        let sent = sent.expect("publishable");
        assert_eq!(sent.properties.delivery_mode, Some(2));
        assert_eq!(sent.made_persistent, made_persistent, "{mode:?}");
    }
}

#[test]
fn a_live_reply_address_is_kept() {
    let properties =
        Properties { reply_to: Some("amq.rabbitmq.reply-to.g1h2".into()), ..Properties::default() };
    let sent =
        republish(properties.clone(), FieldTable::default(), 0, terms()).expect("publishable");
    assert_eq!(sent.properties.reply_to, properties.reply_to);
}

#[test]
fn what_would_break_the_connection_is_refused_before() {
    let refuse = |headers: &FieldTable, body| {
        republish(Properties::default(), headers.clone(), body, terms()).expect_err("refused")
    };
    let mut large = FieldTable::default();
    large.set("a", FieldValue::ByteArray(vec![0; MOST_HEADER_BYTES]));
    assert!(matches!(refuse(&large, 0), CannotRepublish::HeadersTooLarge(_)));
    let mut short = FieldTable::default();
    short.set("a", FieldValue::Array(vec![FieldValue::ShortString("x".into())]));
    assert!(matches!(refuse(&short, 0), CannotRepublish::ShortStringHeader(_)));
    let body = MOST_BODY_BYTES + 1;
    assert_eq!(refuse(&FieldTable::default(), body), CannotRepublish::BodyTooLarge(body));
}

#[test]
fn a_time_to_live_that_the_broker_took_off_is_that_of_the_first_death() {
    let death = |expiration: Option<&str>| {
        let mut death = FieldTable::default();
        death.set("queue", FieldValue::LongString("q".into()));
        if let Some(expiration) = expiration {
            death.set("original-expiration", FieldValue::LongString(expiration.into()));
        }
        FieldValue::Table(death)
    };
    let mut headers = FieldTable::default();
    let deaths = vec![death(None), death(Some("300")), death(Some("60000"))];
    headers.set("x-death", FieldValue::Array(deaths));
    for (keep_expiration, wanted) in [(true, Some("60000".into())), (false, None)] {
        let terms = Terms { keep_expiration, ..terms() };
        let sent = republish(Properties::default(), headers.clone(), 0, terms);
        let sent = sent.expect("publishable");
        assert_eq!(sent.properties.expiration, wanted);
    }
}

#[test]
fn a_time_to_live_stays_where_that_is_asked_for() {
    let keeping = Terms { keep_expiration: true, ..terms() };
    let with = |expiration: &str| {
        let properties =
            Properties { expiration: Some(expiration.into()), ..Properties::default() };
        republish(properties.clone(), FieldTable::default(), 0, keeping)
    };
    let sent = with("60000").expect("publishable");
    assert_eq!(sent.properties.expiration, Some("60000".into()));
    assert_eq!(sent.stripped, [""; 0]);
    for nonsense in ["", "soon", "-1", "1.5", "99999999999"] {
        let refused = with(nonsense).expect_err("a closed channel");
        assert_eq!(refused, CannotRepublish::BadExpiration(nonsense.into()));
    }
}

#[test]
fn headers_that_are_too_large_can_be_left_out_and_marks_cannot() {
    let mut large = FieldTable::default();
    large.set("diagnostics", FieldValue::ByteArray(vec![0; MOST_HEADER_BYTES]));
    large.set("tries", FieldValue::LongInt(3));
    let asked = serde_json::json!({"leave_out": ["diag*", "x-dlo-*"], "set": {"tries": 0}});
    let headers = serde_json::from_value(asked).expect("changes");
    let terms = Terms { headers: &headers, ..terms() };
    let sent = republish(Properties::default(), large, 0, terms).expect("publishable");
    assert_eq!(sent.stripped, ["diagnostics"]);
    assert_eq!(sent.set, ["tries 0 instead of 3"]);
    let names: Vec<_> = sent.headers.0.iter().filter_map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["tries", LETTER, REPLAY, ATTEMPT]);
}
