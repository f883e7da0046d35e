//! A body made readable, for looking only: a replay always sends the bytes themselves.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::{ShownBudget, json_cost};
use crate::decoding::{
    Document, Evidence, Format, Inside, KnownTypes, Labels, Step, read_document, read_text,
    take_apart, unknown_names, unpack,
};

/// Bodies above this are shown in part.
pub const MOST_SHOWN_BYTES: usize = 256 * 1024;

/// How many bytes of a stored body are read at a time, when all of it is wanted: 1 MiB, or a sixteenth of one that is
/// larger than 16 MiB, since the database unpacks it from its beginning each time.
#[must_use]
pub const fn bytes_at_a_time(size: u32) -> u32 {
    const MIB: u32 = 1024 * 1024;
    if size / 16 > MIB { size.div_ceil(16) } else { MIB }
}

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
    /// Values, as JSON whatever they are written in: the last step names that.
    Json(Value),
    /// Text (perhaps JSON that is broken or too large to be shown as a tree).
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
    let labels = Labels { known: unpacked.known, ..labels };
    let (mut steps, plain) = (unpacked.steps, unpacked.bytes);
    let of_packed = says_unpacked(&steps, size_bytes, unpacked.is_whole);
    let in_charset = steps.iter().filter(|step| step.format == Format::Text);
    notes.extend(in_charset.map(|step| format!("It is read as {}.", step.says())));
    let read_bytes =
        if steps.is_empty() { size_bytes } else { i64::try_from(plain.len()).unwrap_or(i64::MAX) };
    let (step, content) = read_content((&plain, unpacked.is_whole), labels, as_text, &mut notes);
    notes.extend(step.says_type());
    add_step(&mut steps, step);
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
    let whole = unpacked.is_whole && (shown == plain.len() || content == Content::Binary);
    let content = match content {
        Content::Json(value) => open_envelope(value, labels.known, &mut steps, &mut notes),
        other => other,
    };
    Payload {
        size_bytes,
        first_bytes_hex: hex::encode(first_bytes),
        whole,
        steps,
        content,
        shown_bytes,
        read_bytes,
        notes,
    }
}

/// What is inside of an envelope; the value itself where it is none.
fn open_envelope(
    mut value: Value,
    known: KnownTypes<'_>,
    steps: &mut Vec<Step>,
    notes: &mut Vec<String>,
) -> Content {
    let Some(inside) = Inside::of(&value) else {
        if let Some(member) = take_apart(&mut value, known) {
            notes.extend(member.steps.iter().filter_map(Step::says_type));
            let what: Vec<String> = member.steps.iter().map(Step::says).collect();
            notes.push(format!(
                "Its `{}` is taken apart here ({}). A replay sends it as it came.",
                member.name,
                what.join("; in it ")
            ));
            steps.extend(member.steps);
        }
        return Content::Json(value);
    };
    let unpacked = unpack(inside.labels(), &inside.body, true, MOST_SHOWN_BYTES);
    steps.extend(inside.steps());
    steps.extend(unpacked.steps);
    notes.extend(unpacked.faults);
    let bytes = (&*unpacked.bytes, unpacked.is_whole);
    let (step, content) = read_content(bytes, inside.labels(), false, notes);
    notes.extend(step.says_type());
    add_step(steps, step);
    notes.push(format!(
        "It is an envelope of {} around the message that failed, which is read here. A replay sends the envelope as \
         it came.",
        inside.envelope.name()
    ));
    content
}

/// Adds the last step, unless that says no more than the charset of a text, which is a step already.
fn add_step(steps: &mut Vec<Step>, step: Step) {
    let is_text = |step: &Step| step.format == Format::Text;
    if !is_text(&step) || !steps.last().is_some_and(is_text) {
        steps.push(step);
    }
}

/// What a body was packed in, as a sentence.
fn says_unpacked(steps: &[Step], size_bytes: i64, is_whole: bool) -> Option<String> {
    let packed: Vec<&Step> = steps.iter().filter(|step| step.format != Format::Text).collect();
    let unpacked = packed.last()?.bytes;
    let about = if is_whole { "" } else { "at least " };
    let steps: Vec<String> = packed.into_iter().map(Step::says).collect();
    let packed = steps.join("; in it ");
    Some(format!(
        "Shown unpacked ({packed}): {size_bytes} bytes hold {about}{unpacked}. A replay sends it as \
             it came."
    ))
}

/// As much of a text as a page shows.
#[must_use]
pub fn shown_text(text: &str) -> &str {
    ShownBudget::new(TEXT_BUDGET).take_text(text)
}

/// What unpacked bytes say, and the step by which they were read.
fn read_content(
    unpacked: (&[u8], bool),
    labels: Labels<'_>,
    as_text: bool,
    notes: &mut Vec<String>,
) -> (Step, Content) {
    let (bytes, whole) = unpacked;
    let rest = || Step::new(Format::Binary, Evidence::Rest, bytes.len());
    if bytes.is_empty() {
        return (rest(), Content::Empty);
    }
    let values = if whole { read_values(labels, bytes, notes) } else { None };
    let (step, value) = values.map_or((None, None), |(step, value)| (Some(step), value));
    if let (Some(step), Some(value), false) = (&step, value, as_text) {
        return (step.clone(), Content::Json(value));
    }
    match read_text(labels, bytes, whole) {
        Some(text) => (step.unwrap_or(text.step), as_shown(&text.text)),
        None if as_text => (step.unwrap_or_else(rest), as_shown(&String::from_utf8_lossy(bytes))),
        None => (step.unwrap_or_else(rest), Content::Binary),
    }
}

/// The values of bytes and the format that they are in, without the values where there are too many for a tree.
fn read_values(
    labels: Labels<'_>,
    bytes: &[u8],
    notes: &mut Vec<String>,
) -> Option<(Step, Option<Value>)> {
    const TOO_MANY: &str = "Too many values for a tree; shown as text.";
    let is_json =
        bytes.trim_ascii_start().starts_with(b"{") || bytes.trim_ascii_start().starts_with(b"[");
    // Counted before they are made, where that can be.
    if is_json && json_cost(bytes) > MOST_TREE_COST {
        notes.push(TOO_MANY.to_owned());
        return Some((Step::new(Format::Json, Evidence::Shape, bytes.len()), None));
    }
    let attempt = read_document(labels, bytes);
    notes.extend(attempt.fault);
    let Document { step, value, .. } = attempt.document?;
    if !is_json && json_cost(value.to_string().as_bytes()) > MOST_TREE_COST {
        notes.push(TOO_MANY.to_owned());
        return Some((step, None));
    }
    Some((step, Some(value)))
}

fn as_shown(text: &str) -> Content {
    Content::Text(shown_text(text).to_owned())
}

#[cfg(test)]
mod tests;
