use serde_json::json;

use super::super::read_typed;
use super::super::tests::{order, read_as, types};
use super::*;

fn written(name: &str, original: &[u8], after: &Value) -> Result<Vec<u8>, String> {
    let types = &types().protobuf;
    write(types, types.named(name).expect(name), original, after)
}

#[test]
fn what_is_the_same_is_written_as_it_was() {
    for name in ["kinds.Order", "kinds.Older"] {
        let read = read_as(types(), name, &order());
        assert_eq!(written(name, &order(), &read), Ok(order()), "{name}");
    }
}

#[test]
fn every_kind_of_value_is_written_in_the_place_of_another() {
    let before = read_as(types(), "kinds.Order", &order());
    for (name, value) in [
        ("order_id", json!("o-43")),
        ("parts", json!([{"cents": -3}, {"cents": 1, "currency": "USD"}, {}])),
        ("stock", json!({"a": 5, "c": 1})),
        ("channel", json!(5)),
        ("at", json!("2026-11-28T00:00:00Z")),
        ("took", json!("2s")),
        (
            "more",
            json!({"type_url": "type.googleapis.com/kinds.Money", "value": {"cents": 8, "currency": "USD"}}),
        ),
        ("free", json!({"x": "now a text", "y": [1, null], "new": {"deep": true}})),
        ("note", json!("")),
        ("marks", json!([4_294_967_295_u32, 7, 8])),
        ("ratio", json!(0.25)),
        ("raw", json!({"$base64": "AP8="})),
        ("card", json!(1)),
        ("weight", json!(1.5)),
        ("offset", json!(70)),
        ("by_day", json!({"3": {"cents": 10}, "-4": {"currency": "CHF"}})),
        ("change", json!(5)),
    ] {
        let mut after = before.clone();
        after[name] = value;
        let bytes = written("kinds.Order", &order(), &after).expect(name);
        let read = read_as(types(), "kinds.Order", &bytes);
        assert!(is_same(&read, &after), "{name}: {read}");
        let fresh = written("kinds.Order", b"", &after).expect(name);
        assert!(is_same(&read_as(types(), "kinds.Order", &fresh), &after), "{name}");
    }
}

#[test]
fn a_field_that_is_left_out_is_gone_and_the_others_stay() {
    let mut after = read_as(types(), "kinds.Order", &order());
    after.as_object_mut().expect("an object").retain(|name, _| name != "parts" && name != "note");
    let bytes = written("kinds.Order", &order(), &after).expect("written");
    assert_eq!(read_as(types(), "kinds.Order", &bytes), after);
}

#[test]
fn what_is_not_declared_stays() {
    let mut after = read_as(types(), "kinds.Older", &order());
    after["order_id"] = json!("o-43");
    let bytes = written("kinds.Older", &order(), &after).expect("written");
    let read = read_as(types(), "kinds.Order", &bytes);
    let mut wanted = read_as(types(), "kinds.Order", &order());
    wanted["order_id"] = json!("o-43");
    assert_eq!(read, wanted);
    after["$undeclared"]["4"] = json!(2);
    let why = written("kinds.Older", &order(), &after).expect_err("refused");
    assert!(why.contains("stays as it is"), "{why}");
}

#[test]
fn what_the_type_does_not_allow_is_said() {
    let before = read_as(types(), "kinds.Order", &order());
    for (name, value, says) in [
        ("order_id", json!(7), "the field `order_id` does not take 7"),
        ("channel", json!("MOON"), "does not take \"MOON\""),
        ("at", json!("soon"), "google.protobuf.Timestamp does not take \"soon\""),
        ("took", json!("2"), "google.protobuf.Duration does not take"),
        ("unheard", json!(1), "kinds.Order has no field `unheard`"),
        ("marks", json!([-1]), "does not take -1"),
        ("stock", json!({"a": 3_000_000_000_u32}), "does not take 3000000000"),
        ("by_day", json!({"soon": {}}), "does not take \"soon\""),
        ("parts", json!({}), "does not take {}"),
    ] {
        let mut after = before.clone();
        after[name] = value;
        let why = written("kinds.Order", &order(), &after).expect_err(name);
        assert!(why.contains(says), "{why}");
    }
}

#[test]
fn what_is_written_for_nothing_can_be_read() {
    let types = &types().protobuf;
    for id in types.sendable() {
        let bytes = write(types, id, b"", &json!({}));
        if let Ok(bytes) = bytes {
            assert_eq!(read_typed(types, id, &bytes), Ok(json!({})), "{}", types.name(id));
        }
    }
}
