//! Files that fastavro wrote, and files that nobody should believe.

use serde_json::{Value, json};

use super::container::{MAGIC, read};

/// Orders that fastavro 1.12 wrote with each codec; with `deflate` two of them.
const FILES: [(&str, &str); 4] = [
    ("null", include_str!("../../../../tests/avro/order.null.hex")),
    ("deflate", include_str!("../../../../tests/avro/order.deflate.hex")),
    ("snappy", include_str!("../../../../tests/avro/order.snappy.hex")),
    ("zstandard", include_str!("../../../../tests/avro/order.zstandard.hex")),
];

fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex.replace('\n', "")).expect("hexadecimal")
}

/// A number as Avro writes it.
pub(super) fn long(number: i64) -> Vec<u8> {
    let mut rest = ((number << 1) ^ (number >> 63)).cast_unsigned();
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push(u8::try_from(rest & 0x7f).expect("seven bits") | 0x80);
        rest >>= 7;
    }
    bytes.push(u8::try_from(rest).expect("seven bits"));
    bytes
}

pub(super) fn counted(bytes: &[u8]) -> Vec<u8> {
    [long(bytes.len().try_into().expect("short")), bytes.to_vec()].concat()
}

/// A file with one block.
fn file(schema: &Value, count: i64, block: &[u8]) -> Vec<u8> {
    let schema = schema.to_string();
    let head = [long(1), counted(b"avro.schema"), counted(schema.as_bytes()), long(0)].concat();
    [&MAGIC[..], &head, &[7; 16], &long(count), &counted(block), &[7; 16]].concat()
}

fn told(schema: &Value, count: i64, block: &[u8]) -> String {
    read(&file(schema, count, block)).expect_err("not read")
}

#[test]
fn every_kind_of_value_is_read_with_every_codec() {
    for (codec, hex) in FILES {
        let container = read(&bytes(hex)).unwrap_or_else(|why| panic!("{codec}: {why}"));
        assert_eq!(container.name.as_deref(), Some("shop.events.Order"));
        let order = if codec == "deflate" { &container.value[0] } else { &container.value };
        let mut expected = json!({
            "id": "o-7", "cents": 1999, "ratio": 0.5, "part": 1.5, "paid": true, "note": "äöü", "state": "SENT",
            "tags": ["a", "b"], "sizes": {"m": 3, "l": -70000}, "raw": {"$base64": "/wA="}, "total": "-20.50",
            "refund": "1.005", "day": "2026-11-20", "clock": "03:12:44.500", "at": "2026-11-20T03:12:44.123456Z",
            "local": "2026-11-20T03:12:44.250", "key": "0b1c0000-0000-4000-8000-000000000001",
            "next": null, "states": ["NEW", "SENT"]
        });
        let mut next = expected.clone();
        next["id"] = json!("o-8");
        next["cents"] = json!(-1);
        next["note"] = Value::Null;
        expected["next"] = next;
        assert_eq!(*order, expected, "{codec}");
    }
}

#[test]
fn a_file_that_ends_too_early_is_not_read() {
    let whole = bytes(FILES[0].1);
    // A file without a block is whole, too.
    let head = 16 + whole.windows(16).position(|at| at == b"0123456789abcdef").expect("a mark");
    for length in (0..whole.len()).filter(|length| *length != head) {
        assert!(read(&whole[..length]).is_err(), "{length}");
    }
}

#[test]
fn a_schema_that_refers_to_itself_is_not_followed_for_ever() {
    let list =
        json!({"type": "record", "name": "L", "fields": [{"name": "next", "type": ["null", "L"]}]});
    assert!(told(&list, 1, &vec![2; 200_000]).contains("64 deep"));
    let own = json!({"type": "record", "name": "L", "fields": [{"name": "own", "type": "L"}]});
    assert!(told(&own, 1, &[]).contains("64 deep"));
    let values = read(&file(&list, 1, &[2, 2, 0])).expect("read").value;
    assert_eq!(values, json!({"next": {"next": {"next": null}}}));
}

#[test]
fn values_without_bytes_are_counted() {
    assert!(told(&json!("null"), i64::MAX, &[]).contains("100,000"));
    let nulls = json!({"type": "array", "items": "null"});
    assert!(told(&nulls, 1, &[long(i64::MAX), long(0)].concat()).contains("100,000"));
    assert!(told(&json!("bytes"), 1, &long(i64::MAX)).contains("too early"));
    assert!(told(&json!("bytes"), 1, &long(-1)).contains("below zero"));
    let deep = (0..100).fold(json!("int"), |inner, _| json!({"type": "array", "items": inner}));
    assert!(told(&deep, 1, &[2; 200]).contains("64 deep"));
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    for (schema, block, says) in [
        (json!("what"), &[][..], "does not say what `what` is"),
        (json!({"type": "record", "name": "A"}), &[], "has no `fields`"),
        (json!(7), &[], "not a type"),
        (json!({"type": "enum", "name": "E", "symbols": ["A"]}), &[4], "a symbol that"),
        (json!(["null"]), &[4], "a branch that"),
        (json!("string"), &[2, 0xff], "not UTF-8"),
        (json!("null"), &[0], "behind its end"),
        (json!("long"), &[0xff; 11], "more than 64 bits"),
    ] {
        let told = told(&schema, 1, block);
        assert!(told.contains(says), "{told}");
    }
    assert!(read(b"Obj\x01").is_err());
    let mut wrong = file(&json!("int"), 1, &[2]);
    *wrong.last_mut().expect("a byte") = 8;
    assert!(read(&wrong).expect_err("refused").contains("does not end"));
}

#[test]
fn names_are_found_in_their_namespace() {
    let schema = json!({
        "type": "record", "name": "a.b.Outer", "fields": [
            {"name": "one", "type": {"type": "fixed", "name": "Id", "size": 2}},
            {"name": "two", "type": "Id"},
            {"name": "three", "type": "a.b.Id"},
            {"name": "four", "type": {"type": "record", "name": "Inner", "namespace": "c", "fields": [
                {"name": "id", "type": "a.b.Id"}
            ]}},
            {"name": "took", "type": {"type": "fixed", "name": "Took", "size": 12, "logicalType": "duration"}}
        ]
    });
    let container =
        read(&file(&schema, 1, b"aabbccdd\x01\0\0\0\x02\0\0\0\x03\0\0\0")).expect("read");
    assert_eq!(container.name.as_deref(), Some("a.b.Outer"));
    let took = json!({"months": 1, "days": 2, "milliseconds": 3});
    let expected =
        json!({"one": "aa", "two": "bb", "three": "cc", "four": {"id": "dd"}, "took": took});
    assert_eq!(container.value, expected);
}
