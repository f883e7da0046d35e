//! Values without a schema, read by those that are known.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use uuid::Uuid;

use super::fingerprint::{canonical, fingerprint};
use super::random_values::RandomValues;
use super::schema::{Declared, Schema};
use super::tests::{counted, long};
use super::{AvroSchema, AvroTypes};
use crate::decoding::{
    KnownTypes, Labels, MessageTypes, Step, is_likely, read_document, take_apart, unpack,
};
use crate::wire::{Field, FieldTable, FieldValue, WireText};

const PLACED: &str = include_str!("../../../../tests/avro/placed.avsc");
const MONEY: &str = include_str!("../../../../tests/avro/money.avsc");
const SHOP: &str = include_str!("../../../../tests/avro/shop.avsc");

/// A `shop.events.Placed` that fastavro 1.12 wrote, and the fingerprint that it gives its schema.
const ORDER: &str = "4836656364386339392d343033362d343033642d626638342d636638343030663637383336c41302020500f8a6eef9d366\
    010203ff0202610202620000020867696674046a6100";
const FINGERPRINT: &str = "3fe46b234de1ce73";

fn files(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn types(of: &[(&str, &str)]) -> MessageTypes {
    MessageTypes::new(&[], AvroSchema::read_files(&files(of)).expect("schemas"))
}

fn placed() -> MessageTypes {
    types(&[("events/placed.avsc", PLACED), ("events/money.avsc", MONEY)])
}

fn order() -> Vec<u8> {
    hex::decode(ORDER).expect("hexadecimal")
}

/// What is read of a body: its steps, the value, and what is told.
struct Read {
    steps: Vec<Step>,
    value: Option<Value>,
    faults: Vec<String>,
}

fn read(types: &MessageTypes, content_type: Option<&str>, header: &str, body: &[u8]) -> Read {
    let (name, value) = header.split_once(": ").unwrap_or_default();
    let value = FieldValue::LongString(WireText::from(value));
    let headers = FieldTable(vec![Field { name: WireText::from(name), value }]);
    let known = KnownTypes::of(types, content_type, None, &headers);
    let labels = Labels { content_type, content_encoding: None, known };
    let unpacked = unpack(labels, body, true, 1_000_000);
    let attempt = read_document(Labels { known: unpacked.known, ..labels }, &unpacked.bytes);
    let (mut steps, mut faults) = (unpacked.steps, unpacked.faults);
    faults.extend(attempt.fault);
    let value = attempt.document.map(|document| {
        steps.push(document.step);
        document.value
    });
    Read { steps, value, faults }
}

fn says(read: &Read) -> Vec<String> {
    read.steps.iter().map(Step::says).collect()
}

#[test]
fn fingerprints_are_those_of_other_implementations() {
    for (schema, written) in [
        (json!("int"), "8f5c393f1ad57572"),
        (json!({"type": "int", "logicalType": "date"}), "8f5c393f1ad57572"),
        (json!({"type": "fixed", "name": "x", "size": 3, "doc": "y"}), "fccf887dc3905bd7"),
        (serde_json::from_str(MONEY).expect("JSON"), "d014fb2136870392"),
    ] {
        let schema = Schema::of(&schema, &Declared::new()).expect("a schema");
        let own = hex::encode(fingerprint(&schema).to_le_bytes());
        assert_eq!(own, written, "{}", canonical(&schema));
    }
}

#[test]
fn a_value_is_read_by_the_fingerprint_before_it() {
    let fingerprint = hex::decode(FINGERPRINT).expect("hexadecimal");
    let body = [&[0xc3, 0x01], &fingerprint[..], &order()].concat();
    let found = read(&placed(), None, "", &body);
    let step = "Avro (shop.events.Placed), by its schema's fingerprint";
    assert_eq!(
        says(&found),
        ["single object (fingerprint 3fe46b234de1ce73), by its first bytes", step]
    );
    assert_eq!(found.steps[1].sure_type(), Some("shop.events.Placed"));
    let told = json!({
        "order_id": "6ecd8c99-4036-403d-bf84-cf8400f67836",
        "total": {"cents": 1250, "currency": "USD"},
        "refund": {"cents": -3, "currency": "EUR"},
        "at": "2025-11-20T04:55:09.500Z",
        "digest": {"$base64": "AQID/w=="},
        "lines": [{"sku": "a", "next": {"sku": "b", "next": null}}],
        "notes": {"gift": "ja"},
    });
    assert_eq!(found.value, Some(told));
    let unknown = read(&types(&[("money.avsc", MONEY)]), None, "", &body);
    assert!(unknown.faults[0].contains(FINGERPRINT), "{:?}", unknown.faults);
    assert!(unknown.steps.is_empty(), "{:?}", says(&unknown));
}

#[test]
fn a_value_is_read_by_the_name_that_its_sender_gives_and_by_how_it_fits() {
    let types = placed();
    for (content_type, header, by) in [
        (Some("avro/binary"), "avro-schema: shop.events.Placed", "as its sender says"),
        (None, "type: Placed", "as its sender says"),
        (Some("application/avro; type=Placed"), "", "as its sender says"),
        (Some("avro/binary"), "", "as it fits best"),
        (None, "", "as it fits best"),
        // Another type is named than it is of.
        (None, "type: Money", "as it fits best"),
    ] {
        let found = read(&types, content_type, header, &order());
        assert_eq!(says(&found), [format!("Avro (shop.events.Placed), {by}")], "{header}");
        assert_eq!(found.value.expect("read")["total"]["cents"], 1250);
    }
    for types in [MessageTypes::default(), self::types(&[("money.avsc", MONEY)])] {
        let found = read(&types, Some("avro/binary"), "", &order());
        assert!(found.value.is_none() && found.faults[0].contains("upload"), "{:?}", found.faults);
    }
}

#[test]
fn what_glues_client_writes_before_a_message_is_taken_off() {
    let version = "8d1e0c1a-52a7-4c5b-9d0e-6f1f4f0c9b11";
    let id = Uuid::parse_str(version).expect("a UUID").into_bytes();
    let framed = |packing: u8, rest: &[u8]| [&[3, packing], &id[..], rest].concat();
    let frame = format!("schema registry (schema {version}), by its first bytes");
    let avro = "Avro (shop.events.Placed), as it fits best";
    let found = read(&placed(), None, "", &framed(0, &order()));
    assert_eq!(says(&found), [&*frame, avro]);
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(&order()).expect("written");
    let packed = framed(5, &zlib.finish().expect("packed"));
    let found = read(&placed(), None, "", &packed);
    assert_eq!(says(&found), [&*frame, "zlib, by its first bytes", avro]);
    let types = placed();
    let known = KnownTypes::of(&types, None, None, &FieldTable::default());
    let labels = Labels { known, ..Labels::default() };
    let again = unpack(labels, &packed, true, 10_000).pack(order()).expect("packed");
    assert_eq!(says(&read(&placed(), None, "", &again)), says(&found));
    assert!(says(&read(&MessageTypes::default(), None, "", &framed(0, b"words"))).is_empty());
}

#[test]
fn what_a_registrys_client_writes_before_a_message_is_taken_off() {
    let framed = |rest: &[u8]| [&[0, 0, 0, 0, 42], rest].concat();
    let frame = "schema registry (schema 42), by its first bytes";
    for content_type in [None, Some("avro/binary")] {
        let found = read(&placed(), content_type, "", &framed(&order()));
        assert_eq!(says(&found), [frame, "Avro (shop.events.Placed), as it fits best"]);
    }
    let found =
        read(&MessageTypes::default(), Some("application/json"), "", &framed(b" {\"id\": 7}"));
    assert_eq!(says(&found), [frame, "JSON, as its sender says"]);
    let found = read(&MessageTypes::default(), Some("avro/binary"), "", &framed(&order()));
    assert!(found.faults[0].contains("of schema 42"), "{:?}", found.faults);
    let long = [&[0, 0, 0, 0, 0, 0, 0, 0, 42], &order()[..]].concat();
    let found = read(&placed(), None, "", &long);
    assert_eq!(says(&found), [frame, "Avro (shop.events.Placed), as it fits best"]);
    for bytes in [&b"\0\0\0\0\x2a"[..], &framed(b"words"), &framed(b"{\"id\""), b"\0\0\0\0\0\0\0\0"]
    {
        let found = read(&placed(), None, "", bytes);
        assert!(found.value.is_none() && found.steps.is_empty(), "{bytes:?}: {:?}", says(&found));
    }
}

#[test]
fn the_data_of_an_event_are_read_by_the_schema_that_it_names() {
    use base64::Engine as _;
    let data = base64::engine::general_purpose::STANDARD.encode(order());
    for names in [json!({"dataschema": "https://schemas/shop.events.Placed"}), json!({})] {
        let mut event = json!({
            "specversion": "1.0", "id": "a", "source": "/s", "type": "placed",
            "datacontenttype": "application/avro", "data_base64": data
        });
        for (name, value) in names.as_object().expect("members") {
            event[name] = value.clone();
        }
        let types = placed();
        let known = KnownTypes::of(&types, None, None, &FieldTable::default());
        let member = take_apart(&mut event, known).expect("a member");
        assert_eq!(event["data"]["total"]["cents"], 1250);
        let by = if names == json!({}) { "as it fits best" } else { "as its sender says" };
        let step = member.steps.last().expect("a step");
        assert_eq!(step.says(), format!("Avro (shop.events.Placed), {by}"));
    }
}

#[test]
fn senders_of_an_older_version_are_read_too() {
    let newer =
        PLACED.replace("\"name\": \"notes\"", "\"name\": \"comments\"").replace("shop.Digest", "x");
    let newer = newer.replace("\"size\": 4", "\"size\": 8");
    let of = |text: &str| {
        AvroSchema::read_files(&files(&[("placed.avsc", text), ("money.avsc", MONEY)]))
            .expect("schemas")
    };
    let types = MessageTypes::new(&[], [of(&newer), of(PLACED)].concat());
    for header in ["", "type: shop.events.Placed"] {
        let found = read(&types, None, header, &order());
        assert_eq!(found.value.expect("read")["notes"]["gift"], "ja", "{header}");
    }
}

#[test]
fn what_cannot_be_used_is_told_with_its_file() {
    for (of, why) in [
        (&[("a.avsc", "{")][..], "a.avsc is not JSON"),
        (
            &[("a.avsc", "{\"type\": \"record\", \"name\": \"A\"}")],
            "a.avsc: its schema has no `fields`",
        ),
        (&[("placed.avsc", PLACED)], "placed.avsc: its schema does not say what `Money` is"),
        (&[("a.avsc", MONEY), ("b.avsc", MONEY)], "b.avsc says what `shop.events.Money` is"),
    ] {
        let told = AvroSchema::read_files(&files(of)).expect_err("refused");
        assert!(told.starts_with(why), "{told}");
    }
    let deep: Vec<Value> = (0..500)
        .map(|n| {
            let fields = json!([{"name": "a", "type": format!("R{}", n + 1)}]);
            json!({"type": "record", "name": format!("R{n}"), "fields": fields})
        })
        .collect();
    let told = AvroSchema::read_files(&files(&[("a.avsc", &Value::from(deep).to_string())]));
    assert!(told.expect_err("refused").contains("128 deep"));
}

#[test]
fn random_values_of_fifty_types_are_told_apart() {
    let schemas = AvroSchema::read_files(&files(&[("shop.avsc", SHOP)])).expect("schemas");
    let types = AvroTypes::new(schemas.clone());
    assert!(schemas.len() >= 50, "{}", schemas.len());
    let mut random = RandomValues::new(7);
    let (mut tried, mut first) = (0, 0);
    for schema in &schemas {
        for _ in 0..50 {
            let value = random.value(&schema.schema);
            let ranked = types.rank(&value, true);
            tried += 1;
            first += usize::from(
                ranked.first().is_some_and(|one| types.name(one.id) == Some(schema.name())),
            );
        }
    }
    let mut named = 0;
    for n in 0..20_000 {
        let count = random.below(120) + 1;
        let mut bytes = random.octets(count);
        if n % 2 == 0 {
            // Words with lengths before them, as most binary formats have them.
            bytes = [long(3), counted(b"4711"), counted(b"web"), bytes].concat();
        }
        named += usize::from(is_likely(&types.rank(&bytes, false)));
    }
    println!("{first} of {tried} right, {named} of 20,000 named falsely");
    assert!(first * 100 >= tried * 95, "{first} of {tried}");
    assert!(named * 100 <= 20_000 * 2, "{named}");
}
