use proptest::prelude::*;
use serde_json::json;

use super::super::tests::packed;
use super::*;

const MOST: usize = 100_000;

fn labels<'a>(content_type: &'a str, content_encoding: &'a str) -> Labels<'a> {
    let given = |name: &'a str| (!name.is_empty()).then_some(name);
    Labels {
        content_type: given(content_type),
        content_encoding: given(content_encoding),
        ..Labels::default()
    }
}

/// A body with these values in it instead of its own.
fn rewritten(content_type: &str, body: &[u8], json: &str) -> Result<Vec<u8>, String> {
    Rewritable::read(labels(content_type, ""), body, MOST).expect("small").with_values(json)
}

#[test]
fn each_format_is_written_as_itself() {
    let other = json!({"id": "43", "of": "b"}).to_string();
    for (kind, body, wanted) in [
        ("", &b"{\"id\":\"42\"}"[..], other.as_bytes()),
        ("application/x-www-form-urlencoded", b"id=42&of=a", b"id=43&of=b"),
        ("application/msgpack", b"\x82\xa2id\xa242\xa2of\xa1a", b"\x82\xa2id\xa243\xa2of\xa1b"),
        (
            "",
            b"a:2:{s:2:\"id\";s:2:\"42\";s:2:\"of\";s:1:\"a\";}",
            b"a:2:{s:2:\"id\";s:2:\"43\";s:2:\"of\";s:1:\"b\";}",
        ),
        ("application/cbor", b"\xa2\x62id\x6242\x62of\x61a", b"\xa2\x62id\x6243\x62of\x61b"),
    ] {
        assert_eq!(rewritten(kind, body, &other).as_deref(), Ok(wanted), "{kind}");
    }
    let lines = b"{\"id\":1}\n{\"id\":2}\n";
    assert_eq!(rewritten("", lines, "[{\"id\":1}]"), Ok(b"{\"id\":1}\n".to_vec()));
}

#[test]
fn what_was_packed_is_packed_again() {
    let plain = b"{\"id\":1,\"text\":\"a text, a text, a text\"}";
    let both = packed(Format::Base64, &packed(Format::Gzip, plain));
    for encoding in ["gzip, base64", ""] {
        let of = Rewritable::read(labels("", encoding), &both, MOST).expect("small");
        assert_eq!(
            (of.bytes(), of.packed_in(), of.format()),
            (&plain[..], vec!["base64", "gzip"], Some(Format::Json))
        );
        let again = of.with_values("{\"id\":2}").expect("written");
        let read = Rewritable::read(labels("", "gzip, base64"), &again, MOST).expect("small");
        assert_eq!(read.values().as_deref(), Some("{\"id\":2}"));
    }
}

#[test]
fn json_is_the_text_that_it_is() {
    for (kind, body) in [
        ("", "{\"a\": 1.10, \"a\": 12345678901234567890123}"),
        ("application/msgpack", "[1]"),
        ("", "7"),
        ("", "\u{feff}{\"a\":1}"),
    ] {
        let of = Rewritable::read(labels(kind, ""), body.as_bytes(), MOST).expect("small");
        assert_eq!((of.format(), of.values().as_deref()), (Some(Format::Json), Some(body)));
    }
    let form = Rewritable::read(labels("application/x-www-form-urlencoded", ""), b"{}", MOST);
    assert_eq!(form.expect("small").format(), Some(Format::Form));
}

#[test]
fn what_cannot_be_written_says_why() {
    for (kind, body, says) in [
        ("", &b"\x80\x04}\x94\x8c\x01a\x94K\x01s."[..], "pickle can be read"),
        ("application/protobuf", b"\x08\x96\x01\x12\x02hi", "upload its schema"),
        ("", b"some words", "neither JSON nor in another format"),
        ("application/json", b"{\"a\":", "The sender calls it JSON, but it is not"),
    ] {
        let of = Rewritable::read(labels(kind, ""), body, MOST).expect("small");
        let why = of.can_be_rewritten().expect_err(kind);
        assert!(why.contains(says) && !why.ends_with('.'), "{why}");
        assert_eq!(of.with_values("{}"), Err(why));
    }
    let msgpack = b"\x82\xa2id\xa242\xa2of\xa1a";
    let why = rewritten("", msgpack, "{\"id\":").expect_err("not JSON");
    assert!(why.starts_with("it is not JSON"), "{why}");
    assert_eq!(rewritten("", b"a=1&b=2", "{\"a\":7,\"b\":[\"2\"]}"), Ok(b"a=7&b=2".to_vec()));
    let form = "application/x-www-form-urlencoded";
    let why = rewritten(form, b"a=\xff&b=2", "{\"b\":\"3\"}").expect_err("would lose an octet");
    assert!(why.contains("cannot be written as form: it is not UTF-8"), "{why}");
}

#[test]
fn writing_is_bounded() {
    // Of one large item no other is made.
    let large = [&b"\x91\xdb\0\x01\0\0"[..], &b"a".repeat(0x1_0000)].concat();
    let many = json!(vec![1; 90_000]).to_string();
    assert!(rewritten("application/msgpack", &large, &many).is_ok());
    let too_many = json!(vec![1; 100_001]).to_string();
    let why = rewritten("application/msgpack", &large, &too_many).expect_err("refused");
    assert_eq!(why, "it has more than 100,000 values");
}

#[test]
fn what_would_be_read_as_something_else_is_not_written() {
    // A time of CBOR counts seconds.
    let cbor = b"\xa1\x62at\xc1\x1a\x6a\xff\xff\xff";
    let at = |text: &str| rewritten("application/cbor", cbor, &json!({"at": text}).to_string());
    assert!(at("2026-11-28T00:00:00+01:00").is_ok());
    // In MessagePack a name of a map that has numbers is one, however it is written.
    let numbered = b"\x81\x01\xa1a";
    let why = rewritten("application/msgpack", numbered, "{\"1\":\"b\",\"01\":\"c\"}");
    assert!(why.expect_err("refused").contains("`01` would be nothing and not \"c\""));
}

proptest! {
    #[test]
    fn own_values_are_written_as_themselves(
        which in 0..4_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        labelled in any::<bool>(),
    ) {
        let (kind, mut body) = [
            ("application/msgpack", b"\x84\xa2id\xa242\xa1n\xca\x3f\xc0\0\0\xa1b\xc4\x02\xff\0\xa1t\xd6\xff\x6a\xff\xff\xff".to_vec()),
            ("application/cbor", b"\xa3\x62id\x19\x01\x00\x61t\xc1\x1a\x6a\xff\xff\xff\x62of\x82\xf6\xf9\x3e\x00".to_vec()),
            ("application/x-www-form-urlencoded", b"id=42&of=a%20b&of=%ff".to_vec()),
            ("application/x-ndjson", b"{\"id\":1.10}\n{\"id\": [2]}\n".to_vec()),
        ][which].clone();
        for (place, byte) in changes {
            let place = place.index(body.len());
            body[place] = byte;
        }
        let labels = labels(if labelled { kind } else { "" }, "");
        let of = Rewritable::read(labels, &body, MOST).expect("small");
        if of.can_be_rewritten().is_ok() && let Some(values) = of.values() {
            match of.with_values(&values) {
                Ok(again) => {
                    let again = Rewritable::read(labels, &again, MOST).expect("small");
                    prop_assert_eq!(again.values(), Some(values));
                }
                Err(why) => prop_assert!(why.contains("it is not UTF-8"), "{}", why),
            }
            // Whatever else is written was read again, or it is refused.
            let _ = of.with_values("{\"id\": [1, \"a\", null, {\"b\": 2.5}], \"n\": 3}");
        }
    }
}

#[test]
fn what_is_too_large_is_not_read() {
    let bomb = packed(Format::Gzip, &vec![b' '; MOST + 1]);
    for body in [&bomb[..], &vec![b'x'; MOST + 1]] {
        let read = Rewritable::read(Labels::default(), body, MOST);
        assert_eq!(read.err(), Some(TooLarge(MOST)));
    }
}

/// A body with this text in it instead of its own, in charset and packing.
fn with_text(content_type: &str, body: &[u8], text: &str) -> Result<Vec<u8>, String> {
    let read = Rewritable::read(labels(content_type, ""), body, MOST).expect("small");
    read.with_bytes(text.as_bytes().to_vec())
}

#[test]
fn text_is_written_in_its_charset() {
    let utf16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let body = utf16("{\"name\":\"Größe\"}");
    let read = Rewritable::read(labels("", ""), &body, MOST).expect("small");
    assert_eq!((read.format(), read.packed_in()), (Some(Format::Json), vec!["UTF-16LE"]));
    assert_eq!(read.values().as_deref(), Some("{\"name\":\"Größe\"}"));
    assert_eq!(read.with_values("{\"name\":\"☃\"}"), Ok(utf16("{\"name\":\"☃\"}")));

    let latin = "text/plain; charset=iso-8859-1";
    assert_eq!(with_text(latin, b"Stra\xdfe", "Gr\u{f6}\u{df}e"), Ok(b"Gr\xf6\xdfe".to_vec()));
    let missing = with_text(latin, b"Stra\xdfe", "a ☃ of snow");
    assert_eq!(missing, Err("windows-1252 has no '☃'".to_owned()));
    assert_eq!(with_text(latin, "Straße".as_bytes(), "☃"), Ok("☃".into()), "it is UTF-8");

    let xml = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xdf</a>";
    let read = Rewritable::read(labels("", ""), xml, MOST).expect("small");
    assert_eq!(read.values().as_deref(), Some("{\"a\":\"ß\"}"));
    // Nobody names this one, so that it is told by its look.
    let seems = b"Die Stra\xdfe ist gesperrt und der K\xfcnde w\xe4hlt neu";
    assert_eq!(with_text("", seems, "Künde"), Ok(b"K\xfcnde".to_vec()));
}

#[test]
fn bytes_that_are_not_text_have_no_charset() {
    let noise: Vec<u8> = (0..=255).rev().collect();
    for (kind, body) in [
        ("application/octet-stream; charset=latin1", &noise[..]),
        ("application/msgpack; charset=latin1", b"\x82\xa2id\xa242\xa2of\xa1\xe4"),
        ("", b"\xff\xfe\x00"),
        ("text/plain; charset=utf-16", b"a\xe4b"),
    ] {
        let read = Rewritable::read(labels(kind, ""), body, MOST).expect("small");
        assert_eq!((read.bytes(), read.packed_in().len()), (body, 0), "{kind}");
    }
}
