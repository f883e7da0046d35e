//! What intake looks for in a body: its values, its beginning as text, and what its sender says that does not hold.

use serde_json::Value;

use super::charset::read_text;
use super::document::read_document;
use super::envelope::{Inside, take_apart_command};
use super::labels::{Labels, unknown_names};
use super::unpacking::unpack_named;
use crate::arrival::Delivered;
use crate::wire::WireText;

/// The largest body that is read as values, in bytes, once it is unpacked.
pub const MOST_VALUE_BYTES: usize = 64 * 1024;

/// The longest beginning that is kept as text, in bytes.
pub const MOST_EXCERPT_BYTES: usize = 2 * 1024;

/// The most that is unpacked, in bytes.
const MOST_UNPACKED_BYTES: usize = 256 * 1024;

/// What a body has in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contents {
    /// Its values; `None` where it has no structure that is known, or is too large.
    pub value: Option<Value>,
    /// The envelope that a framework put around it, which was opened: the rest is of what is inside.
    pub envelope: Option<Value>,
    /// Its beginning as text; `None` where it is none, or empty.
    pub excerpt: Option<String>,
    /// What its sender says of it that does not hold, as sentences.
    pub remarks: Vec<String>,
}

impl Contents {
    /// Reads the body of a message.
    #[must_use]
    pub fn of(delivered: &Delivered) -> Self {
        Self::up_to(delivered, MOST_VALUE_BYTES)
    }

    /// The same for bodies of up to `most` bytes, once they are unpacked.
    #[must_use]
    pub fn up_to(delivered: &Delivered, most: usize) -> Self {
        let properties = &delivered.properties;
        let content_type = properties.content_type.as_ref().map(WireText::to_display);
        let content_encoding = properties.content_encoding.as_ref().map(WireText::to_display);
        let labels = Labels {
            content_type: content_type.as_deref(),
            content_encoding: content_encoding.as_deref(),
        };
        let plain = unpack_named(labels, &delivered.body, true, most.max(MOST_UNPACKED_BYTES));
        let mut remarks = plain.faults;
        remarks.extend(unknown_names(labels));
        let is_small = plain.is_whole && plain.bytes.len() <= most;
        let value = if is_small { read_value(labels, &plain.bytes) } else { None };
        let Some(inside) = value.as_ref().and_then(Inside::of) else {
            return Self { remarks, ..Self::of_plain(labels, &plain.bytes, value) };
        };
        let labels = inside.labels();
        let plain = unpack_named(labels, &inside.body, true, most);
        let within = if plain.is_whole { read_value(labels, &plain.bytes) } else { None };
        Self { remarks, envelope: value, ..Self::of_plain(labels, &plain.bytes, within) }
    }

    /// What is told, by its envelope where it has one.
    #[must_use]
    pub fn told(&self) -> Option<&Value> {
        self.envelope.as_ref().or(self.value.as_ref())
    }

    fn of_plain(labels: Labels<'_>, bytes: &[u8], value: Option<Value>) -> Self {
        let excerpt = excerpt(labels, bytes).or_else(|| value.as_ref().map(written));
        Self { value, excerpt: excerpt.filter(|text| !text.is_empty()), ..Self::default() }
    }
}

fn read_value(labels: Labels<'_>, bytes: &[u8]) -> Option<Value> {
    let mut value = read_document(labels, bytes).document?.value;
    take_apart_command(&mut value);
    Some(value)
}

/// The beginning of bytes, where that is text.
fn excerpt(labels: Labels<'_>, bytes: &[u8]) -> Option<String> {
    let begin = &bytes[..bytes.len().min(MOST_EXCERPT_BYTES)];
    let is_whole = begin.len() == bytes.len();
    Some(read_text(labels, begin, is_whole)?.text.into_owned())
}

/// The beginning of values that are not written as text.
fn written(value: &Value) -> String {
    let mut text = value.to_string();
    text.truncate(text.floor_char_boundary(MOST_EXCERPT_BYTES));
    text
}
