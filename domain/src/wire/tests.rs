//! Whatever AMQP carries comes back from JSON as it was.

use proptest::prelude::*;

use super::*;

fn text() -> impl Strategy<Value = WireText> {
    prop_oneof![
        ".{0,12}".prop_map(WireText::from),
        prop::collection::vec(any::<u8>(), 0..12).prop_map(WireText::from),
        Just(WireText::from("a\0b")),
    ]
}

fn leaf() -> impl Strategy<Value = FieldValue> {
    prop_oneof![
        any::<bool>().prop_map(FieldValue::Boolean),
        any::<i8>().prop_map(FieldValue::ShortShortInt),
        any::<u8>().prop_map(FieldValue::ShortShortUInt),
        any::<i16>().prop_map(FieldValue::ShortInt),
        any::<u16>().prop_map(FieldValue::ShortUInt),
        any::<i32>().prop_map(FieldValue::LongInt),
        any::<u32>().prop_map(FieldValue::LongUInt),
        any::<i64>().prop_map(FieldValue::LongLongInt),
        // as bits, so that every NaN and both zeros are among them
        any::<u32>().prop_map(FieldValue::Float),
        any::<u64>().prop_map(FieldValue::Double),
        (any::<u8>(), any::<u32>()).prop_map(|(scale, value)| FieldValue::Decimal { scale, value }),
        text().prop_map(FieldValue::ShortString),
        text().prop_map(FieldValue::LongString),
        any::<u64>().prop_map(FieldValue::Timestamp),
        prop::collection::vec(any::<u8>(), 0..12).prop_map(FieldValue::ByteArray),
        Just(FieldValue::Void),
        prop::collection::vec(any::<u8>(), 0..12).prop_map(FieldValue::Deep),
    ]
}

fn table(values: impl Strategy<Value = FieldValue>) -> impl Strategy<Value = FieldTable> {
    let field = (text(), values).prop_map(|(name, value)| Field { name, value });
    prop::collection::vec(field, 0..5).prop_map(FieldTable)
}

fn value() -> impl Strategy<Value = FieldValue> {
    leaf().prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(FieldValue::Array),
            table(inner).prop_map(FieldValue::Table),
        ]
    })
}

fn holds_nul(json: &serde_json::Value) -> bool {
    match json {
        serde_json::Value::String(text) => text.contains('\0'),
        serde_json::Value::Array(values) => values.iter().any(holds_nul),
        serde_json::Value::Object(members) => {
            members.iter().any(|(name, value)| name.contains('\0') || holds_nul(value))
        }
        _ => false,
    }
}

proptest! {
    #[test]
    fn a_table_comes_back_from_json(table in table(value())) {
        let json = serde_json::to_string(&table).expect("written");
        let back: FieldTable = serde_json::from_str(&json).expect("read");
        prop_assert_eq!(back, table);
    }

    /// Postgres refuses NUL in `jsonb`.
    #[test]
    fn no_json_of_a_table_holds_nul(table in table(value())) {
        let json = serde_json::to_value(&table).expect("written");
        prop_assert!(!holds_nul(&json));
    }

    #[test]
    fn properties_come_back_from_json(
        texts in prop::collection::vec(prop::option::of(text()), 10),
        numbers in (any::<Option<u8>>(), any::<Option<u8>>(), any::<Option<u64>>()),
    ) {
        let mut texts = texts.into_iter();
        let mut next = || texts.next().flatten();
        let properties = Properties {
            content_type: next(),
            content_encoding: next(),
            delivery_mode: numbers.0,
            priority: numbers.1,
            correlation_id: next(),
            reply_to: next(),
            expiration: next(),
            message_id: next(),
            timestamp: numbers.2,
            kind: next(),
            user_id: next(),
            app_id: next(),
            cluster_id: next(),
        };
        let json = serde_json::to_string(&properties).expect("written");
        let back: Properties = serde_json::from_str(&json).expect("read");
        prop_assert_eq!(back, properties);
    }

    #[test]
    fn no_json_makes_the_reader_panic(text in r#"(\[|\{|\}|\]|"(name|type|value|long_int|table|base64)"|:|,|[0-9]|null){0,20}"#) {
        let _ = serde_json::from_str::<FieldTable>(&text);
    }
}

#[test]
fn the_json_form_is_what_people_and_programs_read() {
    let mut headers = FieldTable::default();
    headers.set("tenant", FieldValue::LongString("acme".into()));
    headers.set("retries", FieldValue::LongInt(3));
    headers.set("raw", FieldValue::LongString(vec![0xff].into()));
    headers.set("nan", FieldValue::Float(f32::NAN.to_bits()));
    assert_eq!(
        serde_json::to_value(&headers).expect("written"),
        serde_json::json!([
            {"name": "tenant", "type": "long_string", "value": "acme"},
            {"name": "retries", "type": "long_int", "value": 3},
            {"name": "raw", "type": "long_string", "value": {"base64": "/w=="}},
            {"name": "nan", "type": "float", "bits": 2_143_289_344_u32},
        ])
    );
}

#[test]
fn what_is_no_field_value_is_refused_with_a_reason() {
    let cases = [
        (r#"[{"name": "a", "value": 1}]"#, "needs the member `type`"),
        (r#"[{"name": "a", "type": "int", "value": 1}]"#, "is not an AMQP field type"),
        (r#"[{"name": "a", "type": "short_short_int", "value": 300}]"#, "cannot be read"),
        (r#"[{"type": "void"}]"#, "needs the member `name`"),
    ];
    for (json, why) in cases {
        let fault = serde_json::from_str::<FieldTable>(json).expect_err(json).to_string();
        assert!(fault.contains(why), "{json}: {fault}");
    }
}

#[test]
fn members_are_read_in_any_order() {
    let json = r#"[
        {"value": [{"value": 7, "type": "long_int"}], "type": "array", "name": "a"},
        {"value": 5, "scale": 2, "name": "b", "type": "decimal"},
        {"bits": 2143289344, "type": "float", "name": "c"},
        {"base64": "/w==", "type": "byte_array", "name": {"base64": "/w=="}}
    ]"#;
    let read: FieldTable = serde_json::from_str(json).expect("read");
    let mut expected = FieldTable::default();
    expected.set("a", FieldValue::Array(vec![FieldValue::LongInt(7)]));
    expected.set("b", FieldValue::Decimal { scale: 2, value: 5 });
    expected.set("c", FieldValue::Float(2_143_289_344));
    expected.0.push(Field { name: vec![0xff].into(), value: FieldValue::ByteArray(vec![0xff]) });
    assert_eq!(read, expected);
}

/// What a table of tables takes as JSON, as older versions stored it.
fn nested_tables_json(levels: usize) -> String {
    let leaf = r#"[{"name":"n","type":"long_int","value":7},{"name":"x","type":"byte_array","base64":"/w=="}]"#;
    (0..levels).fold(leaf.to_owned(), |inner, _| {
        format!(r#"[{{"name":"a","type":"table","value":{inner}}}]"#)
    })
}

#[test]
fn json_that_is_nested_deeper_than_tables_are_taken_apart_becomes_octets() {
    for levels in [0, 1, MOST_LEVELS, 64, 124, 1_000, 10_000] {
        let json = nested_tables_json(levels);
        let table: FieldTable = serde_json::from_str(&json).expect("read");
        let mut inside = &table;
        let mut seen = 0;
        let octets = loop {
            match inside.0.first().map(|field| &field.value) {
                Some(FieldValue::Table(next)) => {
                    inside = next;
                    seen += 1;
                }
                Some(FieldValue::Deep(octets)) => break Some(octets.clone()),
                _ => break None,
            }
        };
        assert_eq!(seen, levels.min(MOST_LEVELS), "{levels} levels");
        assert_eq!(octets.is_some(), levels > MOST_LEVELS, "{levels} levels");
        if (MOST_LEVELS..=124).contains(&levels) && levels > MOST_LEVELS {
            let octets = octets.expect("octets");
            assert!(octets.ends_with(b"\x01nI\0\0\0\x07\x01xx\0\0\0\x01\xff"));
        }
        let again = serde_json::to_string(&table).expect("JSON");
        let read: FieldTable = serde_json::from_str(&again).expect("read again");
        assert_eq!(read, table);
    }
}
