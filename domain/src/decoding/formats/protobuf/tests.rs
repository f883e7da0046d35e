use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::decoding::{Attempt, Evidence, KnownTypes, Labels, MessageTypes, read_document, unpack};
use crate::wire::{Field, FieldTable, FieldValue, WireText};

/// A `kinds.Order` that Google's own library for Python wrote.
const ORDER: &str = include_str!("../../../../tests/protobuf/order.hex");

pub(super) fn types() -> &'static MessageTypes {
    static TYPES: LazyLock<MessageTypes> = LazyLock::new(compiled);
    &TYPES
}

fn compiled() -> MessageTypes {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/protobuf");
    let mut compiler = protox::Compiler::new([directory]).expect("a directory");
    compiler.include_imports(true).open_files(["kinds.proto", "shop.proto"]).expect("compiled");
    MessageTypes::new(&[compiler.descriptor_pool()], Vec::new())
}

pub(super) fn order() -> Vec<u8> {
    hex::decode(ORDER.trim()).expect("hexadecimal")
}

pub(super) fn read_as(types: &MessageTypes, name: &str, bytes: &[u8]) -> Value {
    let types = &types.protobuf;
    read_typed(types, types.named(name).expect(name), bytes).expect("read")
}

/// Reads bytes with labels and headers.
fn attempt(
    types: &MessageTypes,
    content_type: Option<&str>,
    header: &str,
    bytes: &[u8],
) -> Attempt {
    let (name, value) = header.split_once(": ").unwrap_or_default();
    let value = FieldValue::LongString(WireText::from(value));
    let headers = FieldTable(vec![Field { name: WireText::from(name), value }]);
    let known = KnownTypes::of(types, content_type, None, &headers);
    read_document(Labels { content_type, content_encoding: None, known }, bytes)
}

fn says(attempt: Attempt) -> String {
    attempt.document.map_or_else(String::new, |document| document.step.says())
}

#[test]
fn every_kind_of_value_is_read() {
    let told = json!({
        "order_id": "o-42",
        "parts": [{"cents": 1250, "currency": "EUR"}, {"cents": -3}],
        "stock": {"a": -4, "b": 0},
        "channel": "WEB",
        "at": "2026-11-20T04:55:09.500Z",
        "took": "-1.5s",
        "more": {"type_url": "type.googleapis.com/kinds.Money", "value": {"cents": 7, "currency": "USD"}},
        "free": {"x": 1.5, "y": null, "z": ["a", true, {"b": "c"}]},
        "note": "left at the door",
        "marks": [1, 4_294_967_295_u32],
        "ratio": 0.1,
        "raw": {"$base64": "/wA="},
        "card": u64::MAX,
        "weight": 0.0,
        "offset": -7,
        "by_day": {"3": {"cents": 9}},
        "change": -5
    });
    assert_eq!(read_as(types(), "kinds.Order", &order()), told);
}

#[test]
fn what_is_not_declared_is_told_apart() {
    let read = read_as(types(), "kinds.Older", &order());
    assert_eq!(read["order_id"], "o-42");
    assert_eq!(read["$undeclared"]["4"], 1);
    assert_eq!(read["$undeclared"]["18"], -5);
    // A field that is written as another kind than it is declared is as good as not declared.
    assert_eq!(read_as(types(), "kinds.Older", b"\x08\x07"), json!({"$undeclared": {"1": 7}}));
}

#[test]
fn the_type_is_the_one_that_the_sender_names() {
    let types = types();
    let named = "Protobuf (kinds.Order), as its sender says";
    for (content_type, header) in [
        (Some("application/x-protobuf; messageType=\"kinds.Order\""), ""),
        (Some("application/protobuf;proto=kinds.Order"), ""),
        (Some("application/vnd.kinds.Order+proto"), ""),
        (Some("application/x-protobuf"), "X-Protobuf-Message: kinds.Order"),
        (Some("application/octet-stream"), "message_type: Order"),
        (None, "ce-dataschema: https://schemas.example/kinds.Order"),
        (None, "cloudEvents:type: kinds.Order"),
    ] {
        assert_eq!(says(attempt(types, content_type, header, &order())), named, "{header}");
    }
    // A type that the bytes do not fit is not theirs, whoever says so.
    let other = attempt(types, None, "type: shop.v1.MeterRead", &order());
    assert_eq!(says(other), "Protobuf (kinds.Order), as it fits best");
    let json = attempt(types, None, "type: kinds.Order", b"{\"order_id\":\"o-42\"}");
    assert_eq!(says(json), "JSON, by its form");
}

#[test]
fn without_a_name_the_best_fit_counts_and_the_others_are_told() {
    let attempt = attempt(types(), None, "", &order());
    let step = attempt.document.expect("read").step;
    assert_eq!((step.evidence, step.detail.as_deref()), (Evidence::Fit, Some("kinds.Order")));
    assert_eq!((&*step.ranking[0].message_type, step.ranking[0].percent), ("kinds.Order", 100));
    assert!(step.ranking.len() > 1 && step.ranking[0].bits > step.ranking[1].bits + 100);
}

#[test]
fn without_a_schema_the_fields_have_numbers() {
    let none = MessageTypes::default();
    let labelled = attempt(&none, Some("application/x-protobuf"), "", b"\x08\x07");
    assert_eq!(labelled.document.map(|read| read.value), Some(json!({"1": 7})));
    let unlabelled = attempt(&none, None, "", &order());
    assert_eq!(says(unlabelled.clone()), "Protobuf, as it seems by its form");
    assert_eq!(unlabelled.document.map(|read| read.value["1"].clone()), Some(json!("o-42")));
    let fault = attempt(&none, Some("application/x-protobuf"), "", b"\x08").fault;
    assert!(fault.expect("a fault").starts_with("The sender calls it Protobuf, but it is not: "));
}

#[test]
fn base64_is_undone_where_a_message_is_in_it() {
    use base64::Engine as _;
    let packed = base64::engine::general_purpose::STANDARD.encode(order());
    let types = types();
    for known in [KnownTypes::NONE, KnownTypes::of(types, None, None, &FieldTable::default())] {
        let labels = Labels { known, ..Labels::default() };
        let unpacked = unpack(labels, packed.as_bytes(), true, 10_000);
        assert_eq!(&*unpacked.bytes, order());
    }
}

#[test]
fn noise_and_words_are_no_messages() {
    let noise: Vec<u8> = (0..=255).cycle().skip(8).take(1_000).collect();
    let none = MessageTypes::default();
    for types in [&none, types()] {
        for bytes in
            [&noise[..], b"some words", b"\x08", b"\x08\x01", b"\0\0\0\0", b"%PDF-1.7\n\xff"]
        {
            assert_eq!(says(attempt(types, None, "", bytes)), "", "{bytes:?}");
        }
    }
}

#[test]
fn a_name_may_be_short_where_one_alone_can_be_meant() {
    let types = &types().protobuf;
    let name = |name| types.named(name).map(|id| types.name(id).to_owned());
    assert_eq!(name("type.googleapis.com/kinds.Money").as_deref(), Some("kinds.Money"));
    assert_eq!(name("OrderPlaced").as_deref(), Some("shop.v1.OrderPlaced"));
    for none in ["Money", "", ".", "kinds", "Placed", "google.protobuf.Timestamp.x"] {
        assert_eq!(name(none), None, "{none}");
    }
}

proptest! {
    #[test]
    fn what_was_changed_is_read_or_not_and_ends(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = order();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        let types = types();
        let _ = attempt(types, Some("application/x-protobuf"), "type: kinds.Order", &bytes);
        let _ = attempt(types, None, "", &bytes);
        let _ = read_untyped(&bytes);
    }
}

#[test]
fn what_is_tried_in_vain_counts() {
    let within = |key: u8, bytes: &[u8]| {
        let mut outer = vec![key];
        prost::encoding::encode_varint(bytes.len() as u64, &mut outer);
        [outer, bytes.to_vec()].concat()
    };
    // A `Value` that is a list of a `Value`, and so on; behind each stands what no message has.
    let mut body = b"\x10\x01".repeat(20_000);
    for _ in 0..12 {
        body = [within(0x32, &within(0x0a, &body)), vec![0x07]].concat();
    }
    body.pop();
    let types = &types().protobuf;
    let id = types.named("google.protobuf.Value").expect("a type");
    let why = read_typed(types, id, &body).expect_err("too much work");
    assert_eq!(why, "it has more than 100,000 values");
}
