use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(content_type: Option<&str>, bytes: &[u8]) -> Option<(Format, Evidence, Value)> {
    let labels = Labels { content_type, ..Labels::default() };
    let document = read_document(labels, bytes).document?;
    Some((document.step.format, document.step.evidence, document.value))
}

#[test]
fn each_format_is_known_by_its_name_and_by_its_form() {
    let id = json!({"id": "42", "of": "a"});
    let cbor = b"\xa2\x62id\x6242\x62of\x61a";
    for (kind, format, bytes) in [
        ("application/json; charset=utf-8", Format::Json, &b"{\"id\":\"42\",\"of\":\"a\"}"[..]),
        ("application/vnd.acme.v2+json", Format::Json, b" {\"id\":\"42\",\"of\":\"a\"}"),
        ("application/x-www-form-urlencoded", Format::Form, b"id=42&of=a"),
        ("application/x-msgpack", Format::MessagePack, b"\x82\xa2id\xa242\xa2of\xa1a"),
        ("application/cbor", Format::Cbor, cbor),
        (
            "application/vnd.php.serialized",
            Format::Php,
            b"a:2:{s:2:\"id\";s:2:\"42\";s:2:\"of\";s:1:\"a\";}",
        ),
    ] {
        assert_eq!(read(Some(kind), bytes), Some((format, Evidence::Label, id.clone())), "{kind}");
        assert_eq!(read(None, bytes), Some((format, Evidence::Shape, id.clone())), "{kind}");
    }
    let magic = [&[0xd9, 0xd9, 0xf7], &cbor[..]].concat();
    assert_eq!(read(None, &magic), Some((Format::Cbor, Evidence::Magic, id.clone())));
    let xml = b"<a><id>42</id></a>";
    for kind in [None, Some("text/xml"), Some("application/soap+xml")] {
        let (format, _, value) = read(kind, xml).expect("read");
        assert_eq!((format, value), (Format::Xml, json!({"a": {"id": "42"}})));
    }
    let (format, _, value) = read(None, b"{\"id\":1}\n{\"id\":2}\n").expect("read");
    assert_eq!((format, value), (Format::Ndjson, json!([{"id": 1}, {"id": 2}])));
}

#[test]
fn avro_is_read_where_its_schema_is_with_it() {
    let file = include_str!("../../../tests/avro/order.null.hex").replace('\n', "");
    let file = hex::decode(file).expect("hexadecimal");
    for kind in [None, Some("avro/binary"), Some("application/vnd.apache.avro+binary")] {
        let labels = Labels { content_type: kind, ..Labels::default() };
        let document = read_document(labels, &file).document.expect("read");
        let by = (document.step.format, document.step.evidence);
        assert_eq!(by, (Format::Avro, Evidence::Magic));
        assert_eq!(document.step.sure_type(), Some("shop.events.Order"));
        assert_eq!(document.value["total"], "-20.50");
    }
    let labels = Labels { content_type: Some("avro/binary"), ..Labels::default() };
    let attempt = read_document(labels, b"\x02\x06abc");
    let fault = attempt.fault.expect("a fault");
    assert!(fault.contains("none is known: upload one"), "{fault}");
    let attempt = read_document(labels, &file[..200]);
    let fault = attempt.fault.expect("a fault");
    assert!(fault.contains("it is not: it ends too early"), "{fault}");
}

#[test]
fn a_name_that_does_not_hold_is_told_and_the_bytes_are_read_as_what_they_are() {
    let labels = Labels { content_type: Some("application/json"), ..Labels::default() };
    let attempt = read_document(labels, b"\x81\xa2id\xa242");
    let fault = attempt.fault.expect("a fault");
    assert!(fault.starts_with("The sender calls it JSON, but it is not: "), "{fault}");
    let document = attempt.document.expect("read");
    assert_eq!(document.step.says(), "MessagePack, as it seems by its form");
    let attempt = read_document(labels, b"{\"a\":");
    assert!(attempt.document.is_none() && attempt.fault.is_some());
}

/// Each key is quoted once more in the one around it, which doubles what is quoted already.
#[test]
fn keys_within_keys_do_not_grow_without_end() {
    for (kind, begin, end) in [
        ("application/msgpack", &b"\x81"[..], &b"\x01"[..]),
        ("application/cbor", b"\xa1", b"\x01"),
        ("application/x-python-serialize", b"}(", b"K\x01u"),
        ("application/php-serialized", b"a:1:{", b"i:1;}"),
    ] {
        let labels = Labels { content_type: Some(kind), ..Labels::default() };
        let of = |levels: usize| {
            let inmost = match kind {
                "application/php-serialized" => &b"i:7;"[..],
                "application/x-python-serialize" => b"K\x07",
                _ => b"\x07",
            };
            let mut body = [&begin.repeat(levels), inmost, &end.repeat(levels)].concat();
            if kind == "application/x-python-serialize" {
                body = [&b"\x80\x02"[..], &body, b"."].concat();
            }
            read_document(labels, &body)
        };
        assert!(of(1).document.is_some(), "{kind}");
        assert!(of(60).document.is_none(), "{kind}");
    }
}

/// A sample of each format, by a type that names it.
fn samples() -> [(&'static str, Vec<u8>); 9] {
    let pickle = b"\x80\x04\x95\x0c\0\0\0\0\0\0\0}\x94\x8c\x02id\x94K\x07s.";
    let java = b"\xac\xed\0\x05ur\0\x02[J\x78\x20\x04\xb5\x12\xb1\x75\x93\x02\0\0xp\0\0\0\x01\0\0\0\0\0\0\0\x07";
    [
        ("application/json", b"{\"id\": [1, 2.5, \"x\"]}".to_vec()),
        ("application/x-ndjson", b"{\"id\":1}\n{\"id\":2}\n".to_vec()),
        ("text/xml", b"<a b=\"1\"><c>x</c><c/></a>".to_vec()),
        ("application/x-www-form-urlencoded", b"id=42&of=a%20b".to_vec()),
        ("application/msgpack", b"\x82\xa2id\xcd\x01\x00\xa2of\x92\xc0\xc3".to_vec()),
        ("application/cbor", b"\xa2\x62id\x19\x01\x00\x62of\x82\xf6\xf5".to_vec()),
        ("application/php-serialized", b"a:1:{s:2:\"id\";O:1:\"X\":1:{s:1:\"a\";d:1.5;}}".to_vec()),
        ("application/x-python-serialize", pickle.to_vec()),
        ("application/x-java-serialized-object", java.to_vec()),
    ]
}

#[test]
fn each_sample_is_read() {
    for (kind, bytes) in samples() {
        let labels = Labels { content_type: Some(kind), ..Labels::default() };
        let attempt = read_document(labels, &bytes);
        let document = attempt.document.expect(kind);
        assert_eq!((document.step.evidence, attempt.fault), (Evidence::Label, None), "{kind}");
        assert!(document.step.format.has_values(), "{kind}");
    }
}

proptest! {
    #[test]
    fn what_was_changed_is_read_or_not_and_ends(
        which in 0..9_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        behind in prop::collection::vec(any::<u8>(), 0..16),
    ) {
        let (kind, mut bytes) = samples()[which].clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.extend(behind);
        for content_type in [Some(kind), None] {
            let _ = read_document(Labels { content_type, ..Labels::default() }, &bytes);
        }
    }
}

#[test]
fn what_has_no_structure_is_none() {
    let noise: Vec<u8> = (0..=255).cycle().take(1_000).collect();
    for bytes in
        [&b""[..], b"some words", b"42", b"\x81\x01\x02", b"\x91\x01", b"\xa1\x01\x02", &noise]
    {
        assert_eq!(read(None, bytes), None, "{bytes:?}");
    }
}
