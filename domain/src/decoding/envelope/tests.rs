//! Envelopes are recognised by their members, and what is inside comes out as it was sent.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::super::known_types::KnownTypes;
use super::super::step::{Format, Step};
use super::*;
use crate::decoding::tests::packed;
use crate::decoding::{Labels, read_document, unpack};
use crate::wire::{FieldTable, FieldValue};

/// More than any of these envelopes has, in bytes.
const MOST: usize = 64 * 1024;

fn opened(envelope: &Value) -> Inside {
    let body = envelope.to_string();
    let inside = open_envelope(Labels::default(), body.as_bytes(), MOST).expect("an envelope");
    let of_failure = Some(inside.envelope).filter(|envelope| envelope.is_of_failure());
    assert_eq!(failure_envelope(Labels::default(), body.as_bytes(), MOST), of_failure);
    inside
}

#[test]
fn what_no_framework_wrote_is_no_envelope_of_a_failure() {
    for body in ["", "[0,0]", "{}", r#"{"payload":"?","failed_at":"x","num_attempts":1}"#] {
        assert_eq!(failure_envelope(Labels::default(), body.as_bytes(), MOST), None, "{body}");
    }
}

fn text_of(headers: &FieldTable, name: &str) -> String {
    headers.text(name).unwrap_or_else(|| panic!("{name}: {headers:?}")).to_owned()
}

#[test]
fn what_is_inside_has_its_own_labels() {
    let envelope = json!({
        "error": "error", "num_attempts": 6, "failed_at": "2026-11-20T03:12:44+00:00",
        "payload": "eyJh\nIjox\nfQ==\n", "properties": "eyJjb250ZW50X3R5cGUiOiJhcHBsaWNhdGlvbi9qc29uIn0="
    });
    let inside = Inside::of(&envelope).expect("an envelope");
    assert_eq!(inside.body, b"{\"a\":1}");
    assert_eq!(inside.labels().content_type, Some("application/json"));
    let steps: Vec<String> = inside.steps().iter().map(Step::says).collect();
    assert_eq!(steps, ["envelope (Sneakers), by its form", "base64, as its sender says"]);
    let error = json!({
        "RoutingKey": "shop", "Exception": "no", "Message": "{\"a\":1}",
        "BasicProperties": {"ContentEncoding": "utf-8"}
    });
    let inside = Inside::of(&error).expect("an envelope");
    assert_eq!((inside.envelope, &*inside.body), (Envelope::EasyNetQ, &b"{\"a\":1}"[..]));
}

#[test]
fn what_failed_has_its_own_properties_and_headers() {
    let properties = json!({
        "content_type": "application/json", "message_id": "m-77", "delivery_mode": 2, "priority": 300,
        "timestamp": "2026-11-20T03:12:44Z", "expiration": 60000, "app_id": null,
        "headers": {"tenant": "acme", "try": 3, "big": 5_000_000_000_i64, "dry": true, "tags": ["a", 1.5]}
    });
    let envelope = json!({
        "payload": STANDARD.encode("a\0b"), "properties": STANDARD.encode(properties.to_string()),
        "num_attempts": 1, "failed_at": "x"
    });
    let inside = opened(&envelope);
    assert_eq!(inside.body, b"a\0b");
    let told = &inside.properties;
    assert_eq!(told.message_id, Some("m-77".into()));
    assert_eq!((told.delivery_mode, told.priority), (Some(2), None), "a priority is a byte");
    assert_eq!(told.timestamp, Some(1_795_144_364));
    assert_eq!(told.expiration, Some("60000".into()));
    assert_eq!(text_of(&inside.headers, "tenant"), "acme");
    assert_eq!(inside.headers.get("try"), Some(&FieldValue::LongInt(3)));
    assert_eq!(inside.headers.get("big"), Some(&FieldValue::LongLongInt(5_000_000_000)));
    assert_eq!(inside.headers.get("dry"), Some(&FieldValue::Boolean(true)));
    let tags = vec![FieldValue::LongString("a".into()), FieldValue::Double(1.5_f64.to_bits())];
    assert_eq!(inside.headers.get("tags"), Some(&FieldValue::Array(tags)));
}

#[test]
fn texts_of_dot_net_are_unpacked_where_all_are_bytes() {
    let error = |headers: Value, message: &str| {
        json!({
            "RoutingKey": "shop", "Exchange": "", "Exception": "no", "Message": message,
            "BasicProperties": {
                "ContentType": "application/json", "Headers": headers, "DeliveryMode": 2, "Type": "Shop.Order, Shop",
                "CorrelationId": "c-1", "Timestamp": 1_795_144_364, "ClusterId": "", "PriorityPresent": false
            }
        })
    };
    let inside = opened(&error(json!({"tenant": "YWNtZQ==", "n": 1}), "{}"));
    assert_eq!(text_of(&inside.headers, "tenant"), "acme");
    assert_eq!(inside.properties.kind, Some("Shop.Order, Shop".into()));
    assert_eq!(inside.properties.timestamp, Some(1_795_144_364));
    assert_eq!((inside.properties.cluster_id.clone(), inside.damage), (None, None));
    let inside = opened(&error(json!({"tenant": "acme"}), "{}"));
    assert_eq!(text_of(&inside.headers, "tenant"), "acme", "base64 of what is not a text");
    let typed =
        json!({"tenant": {"$type": "System.Byte[], System.Private.CoreLib", "$value": "YWNtZQ=="}});
    assert_eq!(text_of(&opened(&error(typed, "{}")).headers, "tenant"), "acme");
    let inside = opened(&error(json!({"tenant": "YWNtZQ==", "by": "a person"}), "\u{fffd}a"));
    assert_eq!(text_of(&inside.headers, "tenant"), "YWNtZQ==", "not all are base64");
    assert!(inside.damage.is_some_and(|why| why.contains("lost")));
}

#[test]
fn headers_nest_no_deeper_than_those_of_a_message() {
    let with_levels = |levels: usize| {
        let deep = (0..levels).fold(json!("end"), |deep, _| json!({"a": [deep]}));
        opened(&json!({
            "payload": "YQ==", "num_attempts": 1, "failed_at": "x",
            "properties": STANDARD.encode(json!({"headers": {"deep": deep, "plain": "a"}}).to_string())
        }))
    };
    let inside = with_levels(50);
    assert_eq!(text_of(&inside.headers, "plain"), "a");
    let kept = serde_json::to_string(&inside.headers).expect("JSON");
    let again: FieldTable = serde_json::from_str(&kept).expect("it can be read again");
    assert_eq!(again, inside.headers);
    assert_eq!(inside.damage, None);
    let told = with_levels(70).damage.expect("deeper than a reader of JSON goes");
    assert!(told.contains("cannot be read"), "{told}");
}

#[test]
fn what_workers_expect_is_opened_byte_by_byte() {
    let envelope =
        br#"{"messageId":"m-1","messageType":["urn:message:A:B"],"message":{ "z":1.50, "a":2 },
        "headers":{"tenant":"acme"}}"#;
    let inside = open_envelope(Labels::default(), envelope, MOST).expect("an envelope");
    assert_eq!(inside.envelope, Envelope::MassTransit);
    assert!(!inside.envelope.is_of_failure());
    assert_eq!(inside.body, br#"{ "z":1.50, "a":2 }"#);
    assert_eq!(inside.properties.message_id, Some("m-1".into()));
    assert_eq!(text_of(&inside.headers, "tenant"), "acme");
    assert_eq!(
        Inside::of(&serde_json::from_slice(envelope).expect("JSON")),
        None,
        "to read it, it stays closed"
    );
}

#[test]
fn an_event_is_sent_as_its_binary_mode_has_it() {
    let event = |rest: &str| {
        let text = format!(
            r#"{{"specversion":"1.0","id":"e-1","source":"/shop","type":"paid","n":7,{rest}}}"#
        );
        open_envelope(Labels::default(), text.as_bytes(), MOST).expect("an envelope")
    };
    let inside = event(r#""data":{"b":1,"a":[1.0]}"#);
    assert_eq!(inside.body, br#"{"b":1,"a":[1.0]}"#);
    assert_eq!(inside.properties.content_type, Some("application/json".into()));
    assert_eq!(text_of(&inside.headers, "cloudEvents:type"), "paid");
    assert_eq!(inside.headers.get("cloudEvents:n"), Some(&FieldValue::LongInt(7)));
    assert_eq!(inside.headers.0.len(), 5);
    let inside = event(r#""datacontenttype":"text/xml","data":"<a/>""#);
    assert_eq!((&*inside.body, inside.labels().content_type), (&b"<a/>"[..], Some("text/xml")));
    let inside = event(r#""datacontenttype":"application/octet-stream","data_base64":"AAH/""#);
    assert_eq!(inside.body, [0, 1, 0xff]);
}

#[test]
fn a_change_of_a_row_is_sent_as_the_row() {
    let source = r#""source":{"connector":"postgresql","table":"orders","lsn":7}"#;
    let change = |op: &str, rows: &str| format!(r#"{{{rows},"op":"{op}",{source},"ts_ms":1}}"#);
    let open = |text: &str| open_envelope(Labels::default(), text.as_bytes(), MOST);
    let updated = change("u", r#""before":{"id":1},"after":{"id":1, "total":1.50}"#);
    let with_schema = format!(r#"{{"schema":{{"type":"struct"}},"payload":{updated}}}"#);
    for text in [&updated, &with_schema] {
        let inside = open(text).expect("an envelope");
        assert_eq!(
            (inside.envelope, &*inside.body),
            (Envelope::Debezium, &br#"{"id":1, "total":1.50}"#[..])
        );
        assert_eq!(text_of(&inside.headers, "__op"), "u");
        assert_eq!(text_of(&inside.headers, "__table"), "orders");
        assert!(!inside.envelope.is_of_failure());
    }
    let removed = open(&change("d", r#""before":{"id":1},"after":null"#)).expect("an envelope");
    assert_eq!(removed.body, br#"{"id":1}"#);
    assert_eq!(open(&change("x", r#""before":null,"after":{}"#)), None);
    assert_eq!(open(r#"{"op":"u","after":{"id":1},"source":{}}"#), None);
}

#[test]
fn what_attune_and_laravel_expect_is_opened() {
    let execution = json!({
        "message_id": "m-1", "correlation_id": "c-1", "message_type": "ExecutionRequested",
        "timestamp": "2026-11-20T03:12:44Z", "headers": {"delivery_count": 3},
        "payload": {"execution_id": 42}
    });
    let inside = opened(&execution);
    assert_eq!(
        (inside.envelope, &*inside.body),
        (Envelope::Attune, &br#"{"execution_id":42}"#[..])
    );
    assert_eq!(inside.properties.kind, Some("ExecutionRequested".into()));
    assert_eq!(inside.properties.correlation_id, Some("c-1".into()));
    assert_eq!(inside.properties.timestamp, Some(1_795_144_364));
    assert_eq!(inside.headers.get("delivery_count"), Some(&FieldValue::LongInt(3)));
    let job = json!({
        "uuid": "j-1", "displayName": "App\\Send", "job": "Illuminate\\Queue\\CallQueuedHandler@call",
        "data": {"commandName": "App\\Send", "command": "O:8:\"App\\Send\":0:{}"}
    });
    let inside = opened(&job);
    assert_eq!(
        (inside.envelope, &*inside.body),
        (Envelope::Laravel, &b"O:8:\"App\\Send\":0:{}"[..])
    );
    assert_eq!(inside.properties.message_id, Some("j-1".into()));
    assert_eq!(inside.labels().content_type, Some("application/vnd.php.serialized"));
}

#[test]
fn a_packed_envelope_is_opened() {
    let text = json!({"payload": "YQ==", "failed_at": "x", "num_attempts": 1}).to_string();
    let labels = Labels { content_encoding: Some("gzip"), ..Labels::default() };
    let inside = open_envelope(labels, &packed(Format::Gzip, text.as_bytes()), MOST);
    assert_eq!(inside.expect("an envelope").body, b"a");
}

#[test]
fn the_command_of_a_job_is_taken_apart() {
    let job = |command: &str| json!({"job": "X@call", "data": {"command": command}});
    let mut good = job("O:1:\"A\":1:{s:5:\"\0A\0id\";i:88412;}");
    let member = take_apart(&mut good, KnownTypes::NONE).expect("a member");
    assert_eq!((member.name, member.steps.len()), ("data.command", 1));
    assert_eq!(member.steps[0].says(), "PHP (data.command), by its form");
    let apart = json!({"$class": "A", "id": 88412, "$private": ["id"]});
    assert_eq!(good["data"]["command"], apart);
    let mut bad = job("O:1:\"A\":1:{");
    assert_eq!(take_apart(&mut bad, KnownTypes::NONE), None);
    assert_eq!(bad, job("O:1:\"A\":1:{"), "it stays");
}

#[test]
fn the_data_of_an_event_are_taken_apart() {
    let event = |kind: &str, data: &[u8]| {
        let data = STANDARD.encode(data);
        json!({"specversion": "1.0", "id": "a", "source": "/s", "type": "t", "datacontenttype": kind, "data_base64": data})
    };
    let packed = packed(Format::Gzip, b"{\"order_id\": 7}");
    for (kind, data, read, says) in [
        (
            "application/json",
            &b"{\"order_id\": 7}"[..],
            json!({"order_id": 7}),
            &["JSON, as its sender says"][..],
        ),
        (
            "application/msgpack",
            b"\x81\xa8order_id\x07",
            json!({"order_id": 7}),
            &["MessagePack, as its sender says"],
        ),
        (
            "application/json",
            &packed,
            json!({"order_id": 7}),
            &["gzip, by its first bytes", "JSON, as its sender says"],
        ),
        ("text/plain", b"order 7", json!("order 7"), &["text"]),
    ] {
        let mut value = event(kind, data);
        let member = take_apart(&mut value, KnownTypes::NONE).expect("a member");
        let told: Vec<String> = member.steps.iter().map(Step::says).collect();
        assert_eq!(told[0], "base64 (data_base64), as its sender says");
        assert_eq!(
            (&told[1..], &value["data"]),
            (&*says.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>(), &read),
            "{kind}"
        );
        assert!(value["data_base64"].is_string(), "it stays");
    }
    for left in [
        event("application/octet-stream", b"\0\xff\xfe"),
        json!({"specversion": "1.0", "id": "a", "source": "/s", "type": "t", "data_base64": "%"}),
        json!({"specversion": "1.0", "id": "a", "source": "/s", "type": "t", "data": 1, "data_base64": "YQ=="}),
    ] {
        let mut value = left.clone();
        assert_eq!(take_apart(&mut value, KnownTypes::NONE), None, "{left}");
        assert_eq!(value, left);
    }
}

/// Symfony's `PhpSerializer` puts slashes in, and writes what is then not UTF-8 in base64.
#[test]
fn what_symfony_serialises_in_base64_is_read() {
    let body = b"O:1:\\\"X\\\":1:{s:1:\\\"a\\\";s:1:\\\"\xff\\\";}";
    let body = STANDARD.encode(body);
    let unpacked = unpack(Labels::default(), body.as_bytes(), true, MOST);
    let document = read_document(Labels::default(), &unpacked.bytes).document.expect("read");
    assert_eq!(document.value, json!({"$class": "X", "a": {"$base64": "/w=="}}));
}

#[test]
fn what_cannot_be_opened_is_not_an_envelope() {
    for other in [
        json!({"payload": {}, "failed_at": "x", "num_attempts": 1}),
        json!({"payload": "%%", "failed_at": "x", "num_attempts": 1}),
        json!({"Exception": "x", "Message": "y"}),
        json!({"specversion": "1.0", "id": "a", "source": "b", "type": "c", "data_base64": "%"}),
        json!([1]),
    ] {
        assert_eq!(
            open_envelope(Labels::default(), other.to_string().as_bytes(), MOST),
            None,
            "{other}"
        );
    }
    assert_eq!(open_envelope(Labels::default(), b"{", MOST), None);
}
