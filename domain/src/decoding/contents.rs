//! What intake looks for in a body: its values, its beginning as text, and what its sender says that does not hold.

use std::borrow::Cow;

use serde_json::Value;

use super::charset::read_text;
use super::document::{Document, read_document, read_outline};
use super::envelope::{Inside, take_apart};
use super::known_types::KnownTypes;
use super::labels::{Labels, unknown_names};
use super::message_types::MessageTypes;
use super::unpacking::{Unpacked, unpack};
use super::values::Values;
use crate::arrival::Delivered;
use crate::origin::Origin;
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
    pub values: Option<Values>,
    /// The envelope that a framework put around it, which was opened: the rest is of what is inside.
    pub envelope: Option<Value>,
    /// Its beginning as text; `None` where it is none, or empty.
    pub excerpt: Option<String>,
    /// The known message type that it is of, where that is as good as certain.
    pub message_type: Option<String>,
    /// What its sender says of it that does not hold, as sentences.
    pub remarks: Vec<String>,
    /// The number of a schema that stands before it and that nobody knows: a schema registry may.
    pub unknown_schema: Option<u32>,
}

impl Contents {
    /// Reads the body of a message, with these message types known.
    #[must_use]
    pub fn of(delivered: &Delivered, types: &MessageTypes) -> Self {
        Self::up_to(delivered, types, MOST_VALUE_BYTES)
    }

    /// The same for bodies of up to `most` bytes, once they are unpacked.
    #[must_use]
    pub fn up_to(delivered: &Delivered, types: &MessageTypes, most: usize) -> Self {
        let properties = &delivered.properties;
        let content_type = properties.content_type.as_ref().map(WireText::to_display);
        let content_encoding = properties.content_encoding.as_ref().map(WireText::to_display);
        let mut known = KnownTypes::of(
            types,
            content_type.as_deref(),
            properties.kind.as_ref(),
            &delivered.headers,
        );
        if !types.rules.is_empty() {
            known = known.died_in(&Origin::in_headers(&delivered.headers));
        }
        let labels = Labels {
            content_type: content_type.as_deref(),
            content_encoding: content_encoding.as_deref(),
            known,
        };
        let mut plain = unpack(labels, &delivered.body, true, most.max(MOST_UNPACKED_BYTES));
        let unknown_schema = plain.unknown_schema;
        let mut remarks = std::mem::take(&mut plain.faults);
        remarks.extend(unknown_names(labels));
        let labels = Labels { known: plain.known, ..labels };
        let is_small = plain.is_whole && plain.bytes.len() <= most;
        let document = if is_small { read_outer(labels, &plain.bytes) } else { None };
        let Some(inside) = document.as_ref().and_then(|document| Inside::of(&document.value))
        else {
            let contents = Self::of_plain(labels, &plain, document);
            return Self { remarks, unknown_schema, ..contents };
        };
        let envelope = document.map(|document| document.value);
        let labels = Labels { known: labels.known.within(), ..inside.labels() };
        let plain = unpack(labels, &inside.body, true, most);
        let labels = Labels { known: plain.known, ..labels };
        let within = if plain.is_whole { read_whole(labels, &plain.bytes) } else { None };
        Self { envelope, remarks, ..Self::of_plain(labels, &plain, within) }
    }

    fn of_plain(labels: Labels<'_>, plain: &Unpacked<'_>, document: Option<Document>) -> Self {
        let message_type = document.as_ref().and_then(|document| document.step.sure_type());
        let message_type = message_type.map(ToOwned::to_owned);
        let values = document.map(|document| values(document, plain));
        let excerpt = excerpt(labels, &plain.bytes)
            .or_else(|| Some(beginning(values.as_ref()?, &plain.bytes)));
        let excerpt = excerpt.filter(|text| !text.is_empty());
        Self { values, excerpt, message_type, ..Self::default() }
    }
}

/// What a body says, or its outer members: an envelope is read whole.
fn read_outer(labels: Labels<'_>, bytes: &[u8]) -> Option<Document> {
    let outer = read_outline(labels, bytes).document?;
    if outer.is_outline { Some(outer) } else { Some(taken_apart(outer, labels)) }
}

fn read_whole(labels: Labels<'_>, bytes: &[u8]) -> Option<Document> {
    Some(taken_apart(read_document(labels, bytes).document?, labels))
}

fn taken_apart(mut document: Document, labels: Labels<'_>) -> Document {
    take_apart(&mut document.value, labels.known);
    document
}

/// Values as they are kept: those of the body as it came, unless something was unpacked.
fn values(document: Document, plain: &Unpacked<'_>) -> Values {
    let Document { value, is_outline, .. } = document;
    if !is_outline {
        return Values::Read(value);
    }
    let is_unpacked = matches!(plain.bytes, Cow::Owned(_));
    let text = is_unpacked.then(|| String::from_utf8_lossy(&plain.bytes).into_owned());
    Values::Json { outline: value, text }
}

/// The beginning of bytes, where that is text.
fn excerpt(labels: Labels<'_>, bytes: &[u8]) -> Option<String> {
    let begin = &bytes[..bytes.len().min(MOST_EXCERPT_BYTES)];
    let is_whole = begin.len() == bytes.len();
    Some(read_text(labels, begin, is_whole)?.text.into_owned())
}

/// The beginning of values that are not written as text, or not as one that a person could read.
fn beginning(values: &Values, bytes: &[u8]) -> String {
    let mut text = match values {
        Values::Read(value) => value.to_string(),
        Values::Json { .. } => String::from_utf8_lossy(bytes).into_owned(),
    };
    text.truncate(text.floor_char_boundary(MOST_EXCERPT_BYTES));
    text
}
