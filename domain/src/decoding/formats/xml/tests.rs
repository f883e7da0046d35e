use serde_json::json;

use super::*;

#[test]
fn elements_attributes_and_texts_are_members() {
    let order = "<?xml version=\"1.0\"?>\n<o:Order xmlns:o=\"urn:x\" id=\"7\">\n <o:Line>a &amp; b</o:Line>\n \
                 <o:Line qty=\"2\">c</o:Line><Note><![CDATA[<x>]]></Note><Empty/></o:Order>";
    let told = json!({"Order": {
        "@id": "7",
        "Line": ["a & b", {"@qty": "2", "#text": "c"}],
        "Note": "<x>",
        "Empty": ""
    }});
    assert_eq!(read(order), Ok(told.clone()));
    assert_eq!(read(&format!("\u{feff} {order}")), Ok(told));
}

#[test]
fn what_is_harmful_or_broken_is_refused() {
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><x>&b;</x>";
    for text in [bomb, "<a>", "<a></b>", "a", "", "<a/><b/>"] {
        assert!(read(text).is_err(), "{text}");
    }
    assert!(read(&("<a>".repeat(65) + &"</a>".repeat(65))).is_err());
    assert!(read(&("<a>".repeat(50_000) + &"</a>".repeat(50_000))).is_err());
    assert!(read(&format!("<a>{}</a>", "<b/>".repeat(MOST_VALUES))).is_err());
}

/// A document with these values in it instead of its own.
fn written(text: &str, after: &Value) -> Result<String, String> {
    let after = fitting(after)?;
    let written = String::from_utf8(write(text, &after)?).expect("UTF-8");
    assert_eq!(read(&written).as_ref(), Ok(&after), "{written}");
    Ok(written)
}

const ORDER: &str = "<?xml version=\"1.0\"?>\n<o:Order xmlns:o=\"urn:x\" id=\"7\" state='new'>\n  <!-- two -->\n  \
    <o:Line qty=\"1\">a &amp; b</o:Line>\n  <o:Line qty=\"2\"><![CDATA[c]]></o:Line>\n  <o:Note/>\n</o:Order>\n";

#[test]
fn what_is_the_same_is_written_as_it_was() {
    assert_eq!(written(ORDER, &read(ORDER).expect("read")).as_deref(), Ok(ORDER));
    let changed = |change: fn(&mut Value)| {
        let mut after = read(ORDER).expect("read");
        change(&mut after["Order"]);
        written(ORDER, &after)
    };
    let wanted = |from: &str, to: &str| Ok(ORDER.replace(from, to));
    assert_eq!(changed(|order| order["@id"] = json!(8)), wanted("id=\"7\"", "id=\"8\""));
    let quotes = wanted("state='new'", "state='it&apos;s &lt;&quot;a&quot;&gt;'");
    assert_eq!(changed(|order| order["@state"] = json!("it's <\"a\">")), quotes);
    assert_eq!(
        changed(|order| order["Line"][0]["#text"] = json!("x < y")),
        wanted("a &amp; b", "x &lt; y")
    );
    assert_eq!(
        changed(|order| order["Line"][1]["#text"] = json!("d")),
        wanted("<![CDATA[c]]>", "d")
    );
    assert_eq!(
        changed(|order| order["Note"] = json!("left")),
        wanted("<o:Note/>", "<o:Note>left</o:Note>")
    );
    assert_eq!(
        changed(|order| drop(order["Line"].as_array_mut().expect("lines").remove(0))),
        wanted("\n  <o:Line qty=\"1\">a &amp; b</o:Line>", "")
    );
    let more = "</o:Line>\n  <o:Line qty=\"3\">e</o:Line>\n  <o:Note/>";
    assert_eq!(
        changed(|order| order["Line"]
            .as_array_mut()
            .expect("lines")
            .push(json!({"@qty": 3, "#text": "e"}))),
        wanted("</o:Line>\n  <o:Note/>", more)
    );
    let added = "  <o:Note/>\n<o:By name=\"a&amp;b\"><o:At>5</o:At></o:By></o:Order>";
    assert_eq!(
        changed(|order| order["By"] = json!({"@name": "a&b", "At": 5})),
        wanted("  <o:Note/>\n</o:Order>", added)
    );
    assert_eq!(
        changed(|order| order["@by"] = json!("me")),
        wanted("<o:Order ", "<o:Order by=\"me\" ")
    );
    assert_eq!(
        changed(|order| drop(order.as_object_mut().expect("members").remove("@id"))),
        wanted(" id=\"7\"", "")
    );
}

#[test]
fn elements_become_texts_and_texts_elements() {
    for (text, after, wanted) in [
        ("<a><b>1</b></a>", json!({"a": "x"}), "<a>x</a>"),
        ("<a b='1'>x</a>", json!({"a": ""}), "<a></a>"),
        ("<a>x</a>", json!({"a": {"@b": 1, "#text": "x"}}), "<a b=\"1\">x</a>"),
        ("<a/>", json!({"a": {"b": [1, 2]}}), "<a><b>1</b><b>2</b></a>"),
        ("<a>x<b/></a>", json!({"a": {"b": "", "#text": "y"}}), "<a>y<b/></a>"),
        ("<a><b>1</b></a>", json!({"a": {"b": [1, 2, 2]}}), "<a><b>1</b><b>2</b><b>2</b></a>"),
        ("<a><b>1</b><b>2</b></a>", json!({"a": {"b": [2]}}), "<a><b>2</b></a>"),
        ("<a><b>1</b> <b>2</b></a>", json!({"a": {"b": []}}), "<a></a>"),
    ] {
        assert_eq!(written(text, &after).as_deref(), Ok(wanted), "{text}");
    }
}

#[test]
fn large_documents_are_written_in_a_moment() {
    let elements: Vec<String> = (0..40_000).map(|n| format!("<a{n}>{n}</a{n}>")).collect();
    let many = elements.concat();
    let mut after = read(&format!("<a>{many}</a>")).expect("read");
    after["a"]["a39999"] = json!("x");
    let wanted = format!("<a>{}</a>", many.replace(">39999<", ">x<"));
    assert!(written(&format!("<a>{many}</a>"), &after).is_ok_and(|text| text == wanted));
    let deep = "<a>".repeat(60) + &"<b>7</b>".repeat(20_000) + &"</a>".repeat(60);
    let after = read(&deep.replacen('7', "8", 1)).expect("read");
    assert!(written(&deep, &after).is_ok_and(|text| text == deep.replacen('7', "8", 1)));
}

#[test]
fn what_xml_cannot_say_is_refused() {
    let refused = |text: &str, after: Value| {
        let written = fitting(&after).and_then(|after| write(text, &after));
        written.expect_err("a refusal")
    };
    assert!(refused("<a/>", json!({"b": 1})).contains("one element, `a`"));
    assert!(refused("<a/>", json!({"a": 1, "b": 1})).contains("one element, `a`"));
    assert!(refused("<a/>", json!({"a": null})).contains("no null"));
    assert!(refused("<a/>", json!({"a": {"b": [[1]]}})).contains("list within a list"));
    assert!(refused("<a/>", json!({"a": {"b c": 1}})).contains("`b c` is not a name"));
    assert!(refused("<a/>", json!({"a": {"@b><c": 1}})).contains("is not a name"));
    assert!(
        refused("<a>x<b/>y</a>", json!({"a": {"b": "", "#text": "z"}}))
            .contains("between its elements")
    );
}
