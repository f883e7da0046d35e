use super::*;
use serde_json::json;

fn plain(json: &str) -> bool {
    outline(json.as_bytes()).expect("JSON").is_plain
}

#[test]
fn an_outline_has_the_outer_members() {
    let json =
        br#"{"a": {"b": {"c": {"d": 1}, "e": "x"}}, "list": [1, {"f": 2}], "n": -1.5, "no": null}"#;
    let value = outline(json).expect("JSON").value;
    let outer = json!({"a": {"b": {"c": {}, "e": "x"}}, "list": [], "n": -1.5, "no": null});
    assert_eq!(value, outer);
    assert_eq!(outline(b" [1, 2] ").expect("JSON").value, json!([]));
    assert_eq!(outline(br#""text""#).expect("JSON").value, json!("text"));
}

#[test]
fn what_is_not_json_is_refused_wherever_it_stands() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    for text in [
        r#"{"a": [1, 2}"#,
        r#"{"a": {"b": {"c": {"d": tru}}}}"#,
        r#"{"a": ["\ud800"]}"#,
        r#"{"a": [1e999]}"#,
        r#"{"a": 1} x"#,
        "{\"a\": \"\t\"}",
        "",
        &deep,
    ] {
        assert!(outline(text.as_bytes()).is_err(), "{text}");
        assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
    }
    assert!(outline(b"{\"a\": \"\xff\"}").is_err());
}

#[test]
fn what_others_would_read_otherwise_is_not_plain() {
    for text in [
        r#"{"a": [{"b": 10.25}, -1, 1234567890123456789], "c": "1.23456789012345678"}"#,
        r#"{"a": -1.23456789012345}"#,
        r#"["\"", "\\", 0.5, "é"]"#,
        r#"{"id": 18446744073709551615}"#,
    ] {
        assert!(plain(text), "{text}");
    }
    for text in [
        r#"{"a": [["\u0000"]]}"#,
        r#"{"a": [{"\u0000": 1}]}"#,
        r#"{"a\u0000": 1}"#,
        r#"{"a": 9081660535488.423}"#,
        r#"{"a": [18446744073709551616]}"#,
        r#"{"a": 1e3}"#,
        r#"{"a": 0E-20000}"#,
        r#"["\"", 0.1234567890123456789]"#,
    ] {
        assert!(!plain(text), "{text}");
    }
}

#[test]
fn a_pointer_leads_to_the_same_as_in_a_value() {
    let text =
        r#"{"a": {"b/c": [1, {"d~": "x"}], "b/c2": {}}, "a2": 7, "": {"": 1}, "t": 1, "t": 2}"#;
    let value: Value = serde_json::from_str(text).expect("JSON");
    for pointer in [
        "",
        "/",
        "//",
        "/a",
        "/a/b~1c",
        "/a/b~1c/0",
        "/a/b~1c/01",
        "/a/b~1c/+1",
        "/a/b~1c/1/d~0",
        "/a/b~1c/9",
        "/a2/x",
        "/a2",
        "/t",
        "/x",
        "/a/b~1c/-",
        "/a/b~1c/d",
    ] {
        assert_eq!(at(text.as_bytes(), pointer).as_ref(), value.pointer(pointer), "{pointer}");
    }
}
