//! What is left out and set, and what may not be.

use serde_json::json;

use super::*;
use crate::wire::Field;

fn changes(value: Value) -> HeaderChanges {
    serde_json::from_value(value).expect("changes")
}

fn table(fields: &[(&str, FieldValue)]) -> FieldTable {
    let fields =
        fields.iter().map(|(name, value)| Field { name: (*name).into(), value: value.clone() });
    FieldTable(fields.collect())
}

#[test]
fn headers_are_left_out_by_name_by_pattern_and_within_tables() {
    let laravel = table(&[("attempts", FieldValue::LongInt(3)), ("id", FieldValue::LongInt(1))]);
    let mut headers = table(&[
        ("x-delay", FieldValue::LongInt(5_210)),
        ("MT-Fault-Message", FieldValue::LongString("no".into())),
        ("MT-Fault-StackTrace", FieldValue::LongString("at".into())),
        ("mt-fault-message", FieldValue::LongString("another name".into())),
        ("laravel", FieldValue::Table(laravel)),
        ("x-delay", FieldValue::LongInt(2)),
    ]);
    let wanted =
        changes(json!({"leave_out": ["x-delay", "MT-Fault-*", "/laravel/attempts", "none"]}));
    let changed = wanted.apply(&mut headers);
    let names =
        ["x-delay", "MT-Fault-Message", "MT-Fault-StackTrace", "x-delay", "/laravel/attempts"];
    assert_eq!(changed, Changed { left_out: names.map(str::to_owned).to_vec(), set: Vec::new() });
    let laravel = table(&[("id", FieldValue::LongInt(1))]);
    let left = table(&[
        ("mt-fault-message", FieldValue::LongString("another name".into())),
        ("laravel", FieldValue::Table(laravel)),
    ]);
    assert_eq!(headers, left);
}

#[test]
fn a_header_that_is_set_keeps_its_place_and_its_width_and_is_there_once() {
    let laravel = table(&[("attempts", FieldValue::LongInt(3))]);
    let mut headers = table(&[
        ("tries", FieldValue::ShortShortInt(1)),
        ("laravel", FieldValue::Table(laravel)),
        ("tries", FieldValue::LongInt(9)),
    ]);
    let wanted = changes(json!({
        "set": {"/laravel/attempts": 0, "/none/attempts": 0, "tries": 300, "tenant": "acme", "dry": true},
    }));
    let changed = wanted.apply(&mut headers);
    assert_eq!(
        changed.set,
        ["/laravel/attempts 0 instead of 3", "dry true", "tenant acme", "tries 300 instead of 1"]
    );
    let wanted = table(&[
        ("tries", FieldValue::LongLongInt(300)),
        ("laravel", FieldValue::Table(table(&[("attempts", FieldValue::LongInt(0))]))),
        ("dry", FieldValue::Boolean(true)),
        ("tenant", FieldValue::LongString("acme".into())),
    ]);
    assert_eq!(headers, wanted);
}

#[test]
fn what_cannot_be_sent_is_refused_before() {
    for (wrong, says) in [
        (json!({"leave_out": [""]}), "empty"),
        (json!({"set": {"": 1}}), "1 to 255 bytes"),
        (json!({"set": {"/": 1}}), "1 to 255 bytes"),
        (json!({"set": {"x".repeat(256): 1}}), "1 to 255 bytes"),
        (json!({"set": {"x-death": "a"}}), "x-death"),
        (json!({"set": {"CC": "a"}}), "copies"),
        (json!({"set": {"/x-dlo-letter": "a"}}), "x-dlo-letter"),
        (json!({"set": {"a": [1]}}), "whole number"),
        (json!({"set": {"a": 1.5}}), "whole number"),
        (json!({"set": {"a": "x".repeat(MOST_SET_BYTES + 1)}}), "4096 bytes"),
    ] {
        let why = changes(wrong.clone()).check().expect_err("refused").to_string();
        assert!(why.contains(says), "{wrong}: {why}");
    }
    assert_eq!(changes(json!({"leave_out": ["*"], "set": {"a~b": -1}})).check(), Ok(()));
    let all =
        changes(json!({"leave_out": ["x-delay", "MT-*"], "set": {"b": "x", "c": 7, "d": true}}));
    assert_eq!(all.to_string(), "-x-delay, -MT-*, b=x, c=7, d=true");
    assert!(serde_json::from_value::<HeaderChanges>(json!({"strip": []})).is_err());
}
