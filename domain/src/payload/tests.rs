use super::*;

const JSON: Labels<'_> = Labels {
    content_type: Some("application/json"),
    content_encoding: None,
    known: KnownTypes::NONE,
};

fn plain(bytes: &[u8], size: i64) -> Payload {
    read_payload(bytes, size, Labels::default(), false)
}

fn content(bytes: &[u8], content_type: Option<&str>) -> Content {
    let size = i64::try_from(bytes.len()).expect("small");
    read_payload(bytes, size, Labels { content_type, ..Labels::default() }, false).content
}

#[test]
fn bodies_are_told_apart() {
    assert_eq!(content(b"", None), Content::Empty);
    assert_eq!(content(b"{\"a\":1}", None), Content::Json(serde_json::json!({"a": 1})));
    assert_eq!(content(b"7", Some("application/json")), Content::Json(7.into()));
    let form = serde_json::json!({"a": "1", "b": "2"});
    assert_eq!(content(b"a=1&b=2", None), Content::Json(form));
    assert_eq!(content(b"a=1, b=2", None), Content::Text("a=1, b=2".into()));
    assert_eq!(content(&[0xff, 0xfe, 1], None), Content::Binary);
    assert_eq!(content(b"a\0b", None), Content::Binary);
}

#[test]
fn a_text_that_is_written_out_longer_is_cut_earlier_and_says_so() {
    let payload = plain(&b"<".repeat(200_000), 200_000);
    let Content::Text(text) = &payload.content else { panic!("text was expected") };
    assert!(text.len() < 100_000 && !payload.whole, "{}", text.len());
    let note = format!("The first {} of 200000 bytes", text.len());
    assert!(payload.notes[0].starts_with(&note), "{:?}", payload.notes);
}

#[test]
fn json_of_very_many_values_is_shown_as_text() {
    let body = format!("[{}0]", "{\"\":0},".repeat(20_000));
    let payload = plain(body.as_bytes(), i64::try_from(body.len()).unwrap());
    assert!(matches!(payload.content, Content::Text(_)));
    assert!(payload.notes[0].contains("Too many values"), "{:?}", payload.notes);
}

#[test]
fn broken_json_is_text_with_a_note() {
    let payload = read_payload(b"{\"a\":", 5, JSON, false);
    assert_eq!(payload.content, Content::Text("{\"a\":".into()));
    assert_eq!(payload.notes.len(), 1);
}

#[test]
fn a_large_body_is_shown_in_part_and_says_so() {
    let body = "ä".repeat(MOST_SHOWN_BYTES);
    let size = i64::try_from(body.len()).expect("fits");
    let payload = plain(&body.as_bytes()[..=MOST_SHOWN_BYTES], size);
    assert!(!payload.whole);
    assert_eq!(payload.notes.len(), 1);
    let Content::Text(text) = payload.content else { panic!("text was expected") };
    assert!(text.len() <= MOST_SHOWN_BYTES);
    assert_eq!(payload.first_bytes_hex.len(), 2 * MOST_HEX_BYTES);
}

#[test]
fn a_body_is_read_in_few_parts_or_small_ones() {
    let mib = 1024 * 1024;
    for size in [0, 1, mib, 16 * mib, 16 * mib + 1, 128 * mib, u32::MAX] {
        let part = bytes_at_a_time(size);
        assert!(part == mib || size.div_ceil(part) <= 16, "{size}");
        assert!(part >= mib, "{size}");
    }
    assert_eq!(bytes_at_a_time(128 * mib), 8 * mib);
}

#[test]
fn bytes_that_are_only_shown_in_hexadecimal_are_counted_as_such() {
    for (bytes, notes) in [(MOST_HEX_BYTES, 0), (MOST_HEX_BYTES + 1, 1)] {
        let size = i64::try_from(bytes).expect("fits");
        let payload = plain(&vec![0xff; bytes], size);
        assert_eq!(payload.notes.len(), notes);
        assert!(payload.notes.iter().all(|note| note.contains("4096 of 4097")));
    }
}

#[test]
fn deep_json_does_not_overflow_the_stack() {
    let deep = "[".repeat(100_000);
    assert!(matches!(content(deep.as_bytes(), None), Content::Text(_)));
}

#[test]
fn a_charset_is_told_once() {
    let utf16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    for (text, formats) in
        [("[\"\u{df}\"]", &[Format::Text, Format::Json][..]), ("\u{df}", &[Format::Text])]
    {
        let body = utf16(text);
        let payload = plain(&body, i64::try_from(body.len()).expect("small"));
        let read: Vec<Format> = payload.steps.iter().map(|step| step.format).collect();
        assert_eq!(read, formats);
        assert_eq!(payload.steps[0].bytes, i64::try_from(text.len()).expect("small"));
        assert_eq!(payload.notes, ["It is read as text (UTF-16LE), by its first bytes."]);
        assert!(payload.whole);
    }
}
