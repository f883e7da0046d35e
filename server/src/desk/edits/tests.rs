//! What can be written of a body, and what is sent of what was written.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use dlo_domain::decoding::{BodyHead, Labels};

use super::form::Writable;
use super::*;

fn original(encoding: Option<&str>, body: &[u8]) -> Original {
    let head = BodyHead {
        content_type: Some("application/json".into()),
        content_encoding: encoding.map(str::to_owned),
        ..BodyHead::default()
    };
    Original { letter: LetterId(Uuid::from_u128(1)), ordinal: 1, head, body: body.to_vec() }
}

fn checked(new: &NewDraft, of: &Original) -> Result<(Vec<u8>, Option<String>), String> {
    check(new, of, &MessageTypes::default())
}

fn labels(content_encoding: Option<&str>) -> Labels<'_> {
    Labels { content_encoding, ..Labels::default() }
}

fn writable(encoding: Option<&str>, body: &[u8]) -> Writable {
    form::writable(&form::read(labels(encoding), body))
}

fn unpacked(encoding: Option<&str>, body: &[u8]) -> Vec<u8> {
    form::read(labels(encoding), body).expect("small").bytes().to_vec()
}

fn new(shape: Shape, text: &str) -> NewDraft {
    NewDraft { shape, text: text.to_owned(), content_type: String::new() }
}

fn sent(of: &Original, shape: Shape, text: &str) -> Vec<u8> {
    checked(&new(shape, text), of).expect("sendable").0
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).expect("written");
    gzip.finish().expect("packed")
}

fn text(shape: Shape, encoding: Option<&str>, body: &[u8]) -> String {
    form::text_of(shape, labels(encoding), body).expect("a text that can be shown")
}

#[test]
fn a_text_that_would_not_be_shown_whole_is_not_edited() {
    let deep = format!("{}0{}", "[".repeat(100), ",0]".repeat(100));
    let many = format!("[{}0]", format!("{deep},").repeat(200));
    let Writable { shapes, note } = writable(None, many.as_bytes());
    assert_eq!(shapes, [Shape::Text, Shape::Hex]);
    assert!(note.expect("a note").contains("too long to be laid out"));
    for (encoding, body) in
        [(Some("gzip"), gzip(&b"[0,0]".repeat(1_000_000))), (None, b"<".repeat(250_000))]
    {
        let Writable { shapes, note } = writable(encoding, &body);
        assert_eq!(shapes, [Shape::Hex]);
        let note = note.expect("a note");
        for way in ["jq", "hexadecimal", "API"] {
            assert!(note.contains(way), "{note}");
        }
    }
    let bomb = original(Some("gzip"), &gzip(&b"[0,0]".repeat(1_000_000)));
    assert!(checked(&new(Shape::Json, "[1]"), &bomb).is_err());
}

#[test]
fn a_body_is_written_in_what_it_is() {
    let shapes = |encoding, body: &[u8]| writable(encoding, body).shapes;
    assert_eq!(shapes(None, b"{\"a\":1}"), Shape::ALL);
    assert_eq!(shapes(None, b"a=1"), [Shape::Text, Shape::Hex]);
    assert_eq!(shapes(None, b""), [Shape::Text, Shape::Hex]);
    for binary in [&b"\xff"[..], b"a\0b", b"a\rb"] {
        assert_eq!(shapes(None, binary), [Shape::Hex]);
    }
    assert_eq!(shapes(Some("gzip"), &gzip(b"[1]")), Shape::ALL);
    // What is called gzip and is none is edited as what it is.
    assert_eq!(shapes(Some("gzip"), b"[1]"), Shape::ALL);
    assert_eq!(shapes(None, MSGPACK), [Shape::Json, Shape::Hex]);
    assert_eq!(shapes(None, b"id=42&of=a"), Shape::ALL);
    assert_eq!(shapes(None, b"<a>1</a>"), [Shape::Text, Shape::Json, Shape::Hex]);
    assert_eq!(text(Shape::Hex, None, b"\x00\xff"), "00ff");
    assert_eq!(text(Shape::Json, None, b"[1]"), "[\n  1\n]");
}

/// `{"id": "42", "of": "a"}`
const MSGPACK: &[u8] = b"\x82\xa2id\xa242\xa2of\xa1a";

#[test]
fn values_are_sent_in_the_format_that_they_came_in() {
    let of = original(None, MSGPACK);
    let shown = text(Shape::Json, None, MSGPACK);
    assert_eq!(shown, "{\n  \"id\": \"42\",\n  \"of\": \"a\"\n}");
    assert_eq!(sent(&of, Shape::Json, &shown.replace('\n', "\r\n")), MSGPACK);
    let after = sent(&of, Shape::Json, &shown.replace("42", "43"));
    assert_eq!(after, b"\x82\xa2id\xa243\xa2of\xa1a");
    let packed = original(Some("gzip"), &gzip(MSGPACK));
    let after = sent(&packed, Shape::Json, "{\"id\": \"43\"}");
    assert_eq!(unpacked(Some("gzip"), &after), b"\x81\xa2id\xa243");
    let form = original(None, b"id=42&of=a");
    let why = checked(&new(Shape::Json, "{\"id\": {}}"), &form).expect_err("refused");
    assert!(why.contains("cannot be written as form"), "{why}");
}

#[test]
fn what_was_not_changed_is_sent_byte_by_byte() {
    let json = original(None, br#"{ "a":1.0 }"#);
    let shown = text(Shape::Json, None, &json.body).replace('\n', "\r\n");
    assert_eq!(sent(&json, Shape::Json, &shown), json.body);
    let packed = original(Some("gzip"), &gzip(b"{\"a\":1}"));
    let shown = text(Shape::Json, Some("gzip"), &packed.body);
    assert_eq!(sent(&packed, Shape::Json, &shown), packed.body);
    let text = original(None, b"one\ntwo");
    assert_eq!(sent(&text, Shape::Text, "one\r\ntwo"), text.body);
    let bytes = original(None, b"\x00\xff");
    assert_eq!(sent(&bytes, Shape::Hex, " 00 FF "), bytes.body);
}

#[test]
fn what_was_changed_is_sent_in_the_manner_of_the_original() {
    let line = original(None, br#"{"a":1}"#);
    let written = "{\r\n  \"a\": 9007199254740993,\r\n  \"b\": 1.10\r\n}";
    assert_eq!(sent(&line, Shape::Json, written), br#"{"a":9007199254740993,"b":1.10}"#);
    let laid = original(None, b"{\n \"a\": 1\n}");
    assert_eq!(sent(&laid, Shape::Json, "{\r\n \"a\": 2\r\n}"), b"{\n \"a\": 2\n}");
    let packed = original(Some("gzip"), &gzip(b"[1]"));
    let body = sent(&packed, Shape::Json, "[2]");
    assert_eq!(unpacked(Some("gzip"), &body), b"[2]");
}

#[test]
fn what_cannot_be_sent_is_told() {
    let of = original(None, b"{}");
    for (shape, text, says) in [
        (
            Shape::Json,
            "{,",
            "Invalid JSON at line 1, column 2: key must be a string. Nothing was saved.",
        ),
        (Shape::Json, r#"{"a":1,"a":2}"#, "two members"),
        (Shape::Hex, "0g", "Invalid hexadecimal"),
        (Shape::Hex, "0", "Invalid hexadecimal"),
    ] {
        let why = checked(&new(shape, text), &of).unwrap_err();
        assert!(why.contains(says), "{why}");
    }
    let large = "x".repeat(MOST_EDITED_BYTES + 1);
    assert!(checked(&new(Shape::Text, &large), &of).is_err());
}

#[test]
fn only_another_content_type_is_a_change_of_it() {
    let of = original(None, b"{}");
    let kind = |text: &str| {
        let mut draft = new(Shape::Json, "{}");
        draft.content_type = text.to_owned();
        checked(&draft, &of).expect("sendable").1
    };
    assert_eq!(kind(""), None);
    assert_eq!(kind(" application/json "), None);
    assert_eq!(kind("text/plain").as_deref(), Some("text/plain"));
}

#[test]
fn a_text_is_edited_in_its_charset() {
    let mut of = original(None, b"Stra\xdfe 7");
    of.head.content_type = Some("text/plain; charset=iso-8859-1".to_owned());
    assert_eq!(sent(&of, Shape::Text, "Gr\u{f6}\u{df}e 7"), b"Gr\xf6\xdfe 7");
    let why = checked(&new(Shape::Text, "☃"), &of).unwrap_err();
    assert!(why.contains("windows-1252 has no '☃'"), "{why}");
    let utf16: Vec<u8> =
        "\u{feff}{\"a\":\"ß\"}".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let of = original(None, &utf16);
    assert_eq!(sent(&of, Shape::Json, "{\r\n  \"a\": \"ß\"\r\n}"), utf16, "nothing changed");
    let changed: Vec<u8> = "\u{feff}{\"a\":1}".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(sent(&of, Shape::Json, "{\"a\": 1}"), changed);
}
