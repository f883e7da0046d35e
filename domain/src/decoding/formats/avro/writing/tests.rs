use serde_json::json;

use super::super::random_values::RandomValues;
use super::super::schema::Declared;
use super::super::{container, schema::Schema};
use super::*;

fn schema(json: &Value) -> Schema {
    Schema::of(json, &Declared::new()).expect("a schema")
}

fn read(schema: &Schema, bytes: &[u8]) -> Value {
    Bytes(bytes).value(schema, schema.root(), &mut Gauge::default()).expect("read")
}

/// A record with a value of every kind.
fn everything() -> Schema {
    let fixed = |name: &str, size: u32, logical: &str| json!({"type": {"type": "fixed", "name": name, "size": size, "logicalType": logical, "scale": 2}, "name": name});
    let logical = |name: &str, kind: &str, logical: &str| json!({"name": name, "type": {"type": kind, "logicalType": logical, "scale": 2}});
    schema(&json!({"type": "record", "name": "Everything", "fields": [
        {"name": "bool", "type": "boolean"},
        {"name": "int", "type": "int"},
        {"name": "either", "type": ["null", "long", "double", "string", {"type": "array", "items": "long"}]},
        {"name": "float", "type": "float"},
        {"name": "raw", "type": "bytes"},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "tags", "type": {"type": "array", "items": ["null", "string"]}},
        {"name": "counts", "type": {"type": "map", "values": "int"}},
        {"name": "next", "type": ["null", "Everything"]},
        logical("day", "int", "date"),
        logical("at", "long", "timestamp-micros"),
        logical("clock", "long", "local-timestamp-millis"),
        logical("time", "int", "time-millis"),
        logical("price", "bytes", "decimal"),
        fixed("wide", 8, "decimal"),
        fixed("id", 16, "uuid"),
        fixed("span", 12, "duration")
    ]}))
}

#[test]
fn any_value_is_written_in_the_place_of_any_other() {
    let schema = everything();
    let mut random = RandomValues::new(3);
    let mut refused = 0;
    for _ in 0..300 {
        let (one, other) = (random.value(&schema), random.value(&schema));
        assert_eq!(write(&schema, &one, &read(&schema, &one)), Ok(one.clone()));
        let wanted = read(&schema, &other);
        match write(&schema, &one, &wanted) {
            Ok(written) => assert!(is_same(&read(&schema, &written), &wanted), "{wanted}"),
            Err(why) => {
                // One map of the random ones has a name twice now and then.
                assert_eq!(why, TWICE);
                refused += 1;
            }
        }
    }
    assert!(refused < 100, "{refused}");
}

#[test]
fn what_stands_for_something_is_written_as_that() {
    let schema = everything();
    let before = RandomValues::new(1).value(&schema);
    let mut after = read(&schema, &before);
    for (name, value) in [
        ("day", json!("2026-11-28")),
        ("at", json!("2026-11-28T01:02:03.000004Z")),
        ("clock", json!("2026-11-28T01:02:03")),
        ("time", json!("23:59:59.999")),
        ("price", json!("-20.50")),
        ("wide", json!("0.07")),
        ("id", json!("4b1f7d5e-2c83-4d9f-8a4e-3c9d3f1f2a77")),
        ("span", json!({"months": 1, "days": 2, "milliseconds": 3})),
        ("raw", json!({"$base64": "/wA="})),
        ("either", json!(1.5)),
        ("tags", json!(["a", null])),
        ("counts", json!({"b": 2, "a": 1})),
    ] {
        after[name] = value;
    }
    let written = write(&schema, &before, &after).expect("written");
    assert_eq!(read(&schema, &written), after);
}

#[test]
fn a_branch_stays_the_one_that_it_was_in_where_it_fits() {
    let schema = schema(&json!(["int", "long", "string"]));
    assert_eq!(write(&schema, &[2, 14], &json!(8)), Ok(vec![2, 16]));
    assert_eq!(write(&schema, &[2, 14], &json!("x")), Ok(vec![4, 2, b'x']));
    assert_eq!(write(&schema, &[4, 2, b'x'], &json!(8)), Ok(vec![0, 16]));
}

#[test]
fn what_the_schema_does_not_allow_is_said() {
    let schema = everything();
    let before = RandomValues::new(1).value(&schema);
    let value = read(&schema, &before);
    for (name, wrong, says) in [
        ("int", json!(3_000_000_000_u32), "does not take 3000000000 there"),
        ("kind", json!("C"), "does not take \"C\""),
        ("more", json!(1), "does not have `more`"),
        ("day", json!("soon"), "does not take \"soon\""),
        ("price", json!("1.234"), "does not take \"1.234\""),
        ("bool", Value::Null, "does not take null"),
    ] {
        let mut after = value.clone();
        after[name] = wrong;
        let why = write(&schema, &before, &after).expect_err(name);
        assert!(why.contains(says), "{why}");
    }
    let mut after = value;
    after.as_object_mut().expect("an object").remove("int");
    assert_eq!(write(&schema, &before, &after), Err("its schema wants `int`".to_owned()));
}

#[test]
fn branches_that_look_alike_are_not_tried_for_ever() {
    let record = |name: &str| json!({"type": "record", "name": name, "fields": [{"name": "next", "type": ["null", "int", "A", "B"]}]});
    let mut declared = Declared::new();
    let (a, b) = (record("A"), record("B"));
    declared.insert("A".to_owned(), &a);
    declared.insert("B".to_owned(), &b);
    let schema = Schema::of(&a, &declared).expect("a schema");
    let deep = |leaf: Value| (0..25).fold(leaf, |inner, _| json!({"next": inner}));
    let written = write(&schema, &[0], &deep(json!(7))).expect("written");
    assert_eq!(read(&schema, &written), deep(json!(7)));
    let why = write(&schema, &[0], &deep(json!("a text"))).expect_err("refused");
    assert!(why.contains("does not take"), "{why}");
}

#[test]
fn a_file_is_written_with_its_own_schema_and_codec() {
    for hex in [
        include_str!("../../../../../tests/avro/order.null.hex"),
        include_str!("../../../../../tests/avro/order.deflate.hex"),
        include_str!("../../../../../tests/avro/order.snappy.hex"),
        include_str!("../../../../../tests/avro/order.zstandard.hex"),
    ] {
        let file = hex::decode(hex.replace('\n', "")).expect("hexadecimal");
        let mut value = container::read(&file).expect("read").value;
        let order = if value.is_array() { &mut value[0] } else { &mut value };
        order["total"] = json!("19.99");
        let written = container::write(&file, &value).expect("written");
        assert_eq!(container::read(&written).expect("read").value, value);
    }
}

#[test]
fn a_file_of_several_values_stays_one() {
    let head = b"Obj\x01\x02\x16avro.schema\x0a\"int\"\x00";
    let sync = [7; 16];
    let file = [&head[..], &sync, b"\x04\x04\x02\x04", &sync, b"\x02\x02\x06", &sync].concat();
    assert_eq!(container::read(&file).expect("read").value, json!([1, 2, 3]));
    let written = container::write(&file, &json!([1, 9, 3, 4])).expect("written");
    assert_eq!(container::read(&written).expect("read").value, json!([1, 9, 3, 4]));
    assert!(container::write(&file, &json!(7)).expect_err("refused").contains("must stay a list"));
}
