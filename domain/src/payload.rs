//! A body made readable, for looking only: a replay always sends the bytes themselves.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::{ShownBudget, json_cost};
use crate::decoding::{Evidence, Format, Labels, Step, unknown_names, unpack};

/// Bodies above this are shown in part.
pub const MOST_SHOWN_BYTES: usize = 256 * 1024;

/// What a text may take on a page, in bytes: one that is written out longer than usual is cut earlier.
const TEXT_BUDGET: usize = 700_000;

/// The memory that a body may take as a tree of JSON values, in bytes.
const MOST_TREE_COST: usize = 6 * 1024 * 1024;

/// The beginning of an arrival's body, or another part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyPart {
    /// Which arrival it is of.
    pub ordinal: i32,
    /// The size of the whole body in bytes.
    pub size_bytes: i64,
    /// SHA-256 of the whole body.
    pub sha256: Vec<u8>,
    /// The bytes of this part.
    pub bytes: Vec<u8>,
}

/// Which bytes of a body are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyRange {
    /// The first, from 0.
    pub from: u32,
    /// How many.
    pub most: u32,
}

/// Bytes of a body that are shown in hexadecimal.
pub const MOST_HEX_BYTES: usize = 4 * 1024;

/// What a body turned out to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum Content {
    /// No bytes.
    Empty,
    /// A JSON document.
    Json(Value),
    /// UTF-8 text (perhaps JSON that is broken or too large to be shown as a tree).
    Text(String),
    /// Neither.
    Binary,
}

/// A body as shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Payload {
    /// Size of the body in bytes.
    pub size_bytes: i64,
    /// How it was read, in order: what it was packed in, and what came out of that.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// What it turned out to be.
    pub content: Content,
    /// The first bytes as they are, up to `MOST_HEX_BYTES`, in hexadecimal.
    pub first_bytes_hex: String,
    /// Whether `content` holds the whole body.
    pub whole: bool,
    /// How many of the first bytes of what was read are shown.
    #[serde(default)]
    pub shown_bytes: i64,
    /// The size of what was read, in bytes: of the body, or of what was unpacked of it.
    #[serde(default)]
    pub read_bytes: i64,
    /// What was done or could not be done, for people.
    pub notes: Vec<String>,
}

/// Reads the beginning of a body.
///
/// `bytes` are its first bytes, at least `MOST_SHOWN_BYTES` of them or all; `size_bytes` is the
/// size of the whole. `as_text` asks for text, whatever it is: bytes that are not UTF-8 become U+FFFD.
#[must_use]
pub fn read_payload(bytes: &[u8], size_bytes: i64, labels: Labels<'_>, as_text: bool) -> Payload {
    let all_is_here = usize::try_from(size_bytes).is_ok_and(|size| size <= MOST_SHOWN_BYTES);
    let begin = &bytes[..bytes.len().min(MOST_SHOWN_BYTES)];
    let unpacked = unpack(labels, begin, all_is_here, MOST_SHOWN_BYTES);
    let mut notes = unpacked.faults;
    notes.extend(unknown_names(labels));
    let (mut steps, plain) = (unpacked.steps, unpacked.bytes);
    let of_packed = says_unpacked(&steps, size_bytes, unpacked.is_whole);
    let read_bytes =
        if steps.is_empty() { size_bytes } else { i64::try_from(plain.len()).unwrap_or(i64::MAX) };
    let (format, evidence, content) =
        read_content(&plain, unpacked.is_whole, labels, as_text, &mut notes);
    steps.push(Step::new(format, evidence, plain.len()));
    let first_bytes = &begin[..begin.len().min(MOST_HEX_BYTES)];
    let shown = match &content {
        Content::Binary => plain.len().min(MOST_HEX_BYTES),
        Content::Text(text) => text.len().min(plain.len()),
        Content::Empty | Content::Json(_) => plain.len(),
    };
    let shown_bytes = i64::try_from(shown).unwrap_or(i64::MAX);
    if shown_bytes < read_bytes {
        notes.push(format!(
            "The first {shown_bytes} of {read_bytes} bytes are shown; the download has them all."
        ));
    }
    notes.extend(of_packed);
    Payload {
        size_bytes,
        first_bytes_hex: hex::encode(first_bytes),
        whole: unpacked.is_whole && (shown == plain.len() || content == Content::Binary),
        steps,
        content,
        shown_bytes,
        read_bytes,
        notes,
    }
}

/// What a body was packed in, as a sentence.
fn says_unpacked(steps: &[Step], size_bytes: i64, is_whole: bool) -> Option<String> {
    let unpacked = steps.last()?.bytes;
    let about = if is_whole { "" } else { "at least " };
    let steps: Vec<String> = steps.iter().map(Step::says).collect();
    let packed = steps.join("; in it ");
    Some(format!(
        "It is packed ({packed}): {size_bytes} bytes hold {about}{unpacked}, which are read here. A replay sends it \
         as it came."
    ))
}

/// As much of a text as a page shows.
#[must_use]
pub fn shown_text(text: &str) -> &str {
    ShownBudget::new(TEXT_BUDGET).take_text(text)
}

fn read_content(
    shown: &[u8],
    whole: bool,
    labels: Labels<'_>,
    as_text: bool,
    notes: &mut Vec<String>,
) -> (Format, Evidence, Content) {
    if shown.is_empty() {
        return (Format::Binary, Evidence::Rest, Content::Empty);
    }
    let text = match std::str::from_utf8(shown) {
        Ok(text) => text,
        // A cut may fall within a character, which is no reason to call it binary.
        Err(fault) if !whole && fault.error_len().is_none() => {
            std::str::from_utf8(&shown[..fault.valid_up_to()]).unwrap_or_default()
        }
        Err(_) if as_text => {
            let text = String::from_utf8_lossy(shown);
            return (Format::Binary, Evidence::Rest, as_shown(&text));
        }
        Err(_) => return (Format::Binary, Evidence::Rest, Content::Binary),
    };
    if whole && let Some((evidence, json)) = read_json(text, labels, notes) {
        let content = match json {
            Some(value) if !as_text => Content::Json(value),
            _ => as_shown(text),
        };
        return (Format::Json, evidence, content);
    }
    let is_binary = text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
    match (is_binary, as_text) {
        (true, false) => (Format::Binary, Evidence::Rest, Content::Binary),
        (true, true) => (Format::Binary, Evidence::Rest, as_shown(text)),
        (false, _) => (Format::Text, Evidence::Rest, as_shown(text)),
    }
}

/// A JSON document and by what it was known, without its value where that is too large; `None` if it is none.
fn read_json(
    text: &str,
    labels: Labels<'_>,
    notes: &mut Vec<String>,
) -> Option<(Evidence, Option<Value>)> {
    let says_json = labels.says_json();
    if !says_json && !text.trim_start().starts_with(['{', '[', '"']) {
        return None;
    }
    let evidence = if says_json { Evidence::Label } else { Evidence::Shape };
    if json_cost(text.as_bytes()) > MOST_TREE_COST {
        let note = "It has too many values to be shown as a tree; it is shown as text.";
        notes.push(note.to_owned());
        return Some((evidence, None));
    }
    match serde_json::from_str(text) {
        Ok(value) => Some((evidence, Some(value))),
        Err(fault) => {
            if says_json {
                notes.push(format!("The sender calls it JSON, but it is not: {fault}."));
            }
            None
        }
    }
}

fn as_shown(text: &str) -> Content {
    Content::Text(shown_text(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: Labels<'_> =
        Labels { content_type: Some("application/json"), content_encoding: None };

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
        assert_eq!(content(b"a=1&b=2", None), Content::Text("a=1&b=2".into()));
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
        assert!(payload.notes[0].contains("too many values"), "{:?}", payload.notes);
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
}
