//! A body that can be changed: its text or its values are taken out, and others are put in their place, packed and
//! written as those were.

use std::borrow::Cow;

use serde_json::Value;

use super::charset::Charset;
use super::document::{Document, TypeId, format_of, read_as, read_document};
use super::formats::rewriting::{count, means_same};
use super::formats::{
    MOST_VALUES, TOO_MANY, avro, cbor, form, msgpack, ndjson, php, protobuf, xml,
};
use super::known_types::KnownTypes;
use super::labels::Labels;
use super::step::Format;
use super::unpacking::{Unpacked, unpack};
use crate::comparing::ValueChanges;

/// What some senders write before a text in UTF-8 (a byte order mark).
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A body without what it was packed in, and what it says.
#[derive(Debug, Clone)]
pub struct Rewritable<'a> {
    unpacked: Unpacked<'a>,
    values: Values,
    fault: Option<String>,
}

/// The values of a body.
#[derive(Debug, Clone)]
enum Values {
    /// JSON, which stays the text that it is.
    Json,
    /// Those of another format.
    Other(Document),
    /// It has none.
    None,
}

/// A body has more than so many bytes, or holds more of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it has more than {0} bytes")]
pub struct TooLarge(pub usize);

impl<'a> Rewritable<'a> {
    /// Unpacks and reads a whole body of at most `most` bytes, packed and unpacked.
    ///
    /// # Errors
    /// Returns an error if it is larger.
    pub fn read(labels: Labels<'a>, body: &'a [u8], most: usize) -> Result<Self, TooLarge> {
        if body.len() > most {
            return Err(TooLarge(most));
        }
        let mut unpacked = unpack(labels, body, true, most);
        if !unpacked.is_whole {
            return Err(TooLarge(most));
        }
        let mut fault = unpacked.faults.first().cloned();
        let is_form = labels.content_type.and_then(format_of) == Some(Format::Form);
        if !is_form && is_json(&unpacked.bytes) {
            return Ok(Self { unpacked, values: Values::Json, fault });
        }
        let attempt = read_document(Labels { known: unpacked.known, ..labels }, &unpacked.bytes);
        fault = fault.or(attempt.fault);
        let values = attempt.document.map_or(Values::None, Values::Other);
        if matches!(values, Values::None)
            && let Some((charset, read)) = Charset::of(labels, &unpacked.bytes, true)
        {
            let (step, text) = (read.step, read.text.into_owned());
            unpacked.take_text(charset, step, text);
        }
        Ok(Self { unpacked, values, fault })
    }

    /// Its bytes without what they were packed in.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.unpacked.bytes
    }

    /// What it was packed in, by name, in the order in which that was taken off.
    #[must_use]
    pub fn packed_in(&self) -> Vec<&str> {
        let steps = self.unpacked.steps.iter().map(|step| match (step.format, &step.detail) {
            (Format::Text, Some(charset)) => charset.as_str(),
            (format, _) => format.name(),
        });
        steps.collect()
    }

    /// The format that its values are in; `None` if it has none.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        match &self.values {
            Values::Json => Some(Format::Json),
            Values::Other(document) => Some(document.step.format),
            Values::None => None,
        }
    }

    /// The first thing that its sender says of it and that does not hold, as a sentence.
    #[must_use]
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Its values as JSON. Of JSON it is the text itself; `None` if it has none.
    #[must_use]
    pub fn values(&self) -> Option<Cow<'_, str>> {
        match &self.values {
            Values::Json => std::str::from_utf8(self.bytes()).ok().map(Cow::Borrowed),
            Values::Other(document) if document.step.format == Format::Ndjson => {
                Some(Cow::Owned(ndjson::as_list(self.text()?)))
            }
            Values::Other(document) => Some(Cow::Owned(document.value.to_string())),
            Values::None => None,
        }
    }

    /// Whether other values can be written in the place of its own.
    ///
    /// # Errors
    /// Returns why not, as a sentence without its end.
    pub fn can_be_rewritten(&self) -> Result<(), String> {
        match &self.values {
            Values::Json => Ok(()),
            Values::Other(document) if can_write(document) => Ok(()),
            Values::Other(document) if document.step.format == Format::Protobuf => Err(
                "its message type is not known, so that nothing says how its fields are written: upload its schema \
                 on Schemas"
                    .to_owned(),
            ),
            Values::Other(document) => {
                Err(format!("{} can be read, and not be written again", document.step.format.name()))
            }
            Values::None => Err(match &self.fault {
                Some(fault) => fault.trim_end_matches('.').to_owned(),
                None => "it is neither JSON nor in another format that has values".to_owned(),
            }),
        }
    }

    /// The body with other bytes in it, packed as it is.
    ///
    /// # Errors
    /// Returns why it cannot be packed.
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        self.unpacked.pack(bytes)
    }

    /// The body with other values, given as JSON, in its format and packed as it is. What is the same stays as it was
    /// written. JSON is put in as it is.
    ///
    /// # Errors
    /// Returns why they cannot be written so, as a sentence without its end. What is written is read again before: it
    /// never says anything but what was asked for.
    pub fn with_values(&self, json: &str) -> Result<Vec<u8>, String> {
        self.can_be_rewritten()?;
        let bytes = match &self.values {
            Values::Other(document) => self.rewritten(document, json)?,
            Values::Json | Values::None => json.as_bytes().to_vec(),
        };
        self.with_bytes(bytes)
    }

    fn rewritten(&self, document: &Document, json: &str) -> Result<Vec<u8>, String> {
        let mut after: Value =
            serde_json::from_str(json).map_err(|why| format!("it is not JSON: {why}"))?;
        let format = document.step.format;
        if format != Format::Ndjson && count(&after) > MOST_VALUES {
            return Err(TOO_MANY.to_owned());
        }
        let before = self.bytes();
        let known = self.unpacked.known;
        let named = |why: String| format!("it cannot be written as {}: {why}", format.name());
        let text = || self.text().ok_or_else(|| "it is not UTF-8".to_owned());
        let written = match (format, document.type_id) {
            (Format::Ndjson, _) => text().and_then(|text| ndjson::write(text, json)),
            (Format::Form, _) => {
                let fitting = form::fitting(&after).map_err(named)?;
                after = Value::Object(fitting.clone());
                text().map(|text| form::write(text, fitting))
            }
            (Format::Xml, _) => {
                after = xml::fitting(&after).map_err(named)?;
                text().and_then(|text| xml::write(text, &after))
            }
            (Format::MessagePack, _) => msgpack::write(before, &after),
            (Format::Cbor, _) => cbor::write(before, &after),
            (Format::Php, _) => php::write(before, &after),
            (_, Some(TypeId::Protobuf(id))) => {
                let types = known.protobuf().ok_or(NOT_KNOWN)?;
                protobuf::write(types, id, before, &after)
            }
            (_, Some(TypeId::Avro(id))) => known.avro().ok_or(NOT_KNOWN)?.write(id, before, &after),
            _ => avro::write(before, &after),
        };
        let written = written.map_err(named)?;
        let read = read_again(document, known, &written).map_err(named)?;
        if means_same(&read, &after) {
            return Ok(written);
        }
        let first = ValueChanges::between(&after, &read).values.into_iter().next();
        let place = first.map(|first| {
            let told = |value: Option<String>| value.unwrap_or_else(|| "nothing".to_owned());
            let place = if first.path.is_empty() {
                "all of it".to_owned()
            } else {
                format!("`{}`", first.path)
            };
            format!("{place} would be {} and not {}", told(first.after), told(first.before))
        });
        Err(named(place.unwrap_or_else(|| "it would say something else".to_owned())))
    }

    fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes()).ok()
    }
}

const NOT_KNOWN: &str = "its schema is not known any more";

fn can_write(document: &Document) -> bool {
    let is_container = document.step.format == Format::Avro;
    let is_plain = matches!(
        document.step.format,
        Format::Ndjson
            | Format::Form
            | Format::Xml
            | Format::MessagePack
            | Format::Cbor
            | Format::Php
    );
    is_plain || is_container || document.type_id.is_some()
}

fn read_again(document: &Document, known: KnownTypes<'_>, bytes: &[u8]) -> Result<Value, String> {
    match document.type_id {
        Some(TypeId::Protobuf(id)) => {
            protobuf::read_typed(known.protobuf().ok_or(NOT_KNOWN)?, id, bytes)
        }
        Some(TypeId::Avro(id)) => known.avro().ok_or(NOT_KNOWN)?.read(id, bytes),
        None if document.step.format == Format::Avro => avro::read(bytes).map(|read| read.value),
        // A list of documents may have become one of them.
        None if document.step.format == Format::Ndjson => {
            let text = std::str::from_utf8(bytes).map_err(|why| why.to_string())?;
            serde_json::from_str(&ndjson::as_list(text)).map_err(|why| why.to_string())
        }
        None => read_as(document.step.format, bytes),
    }
}

/// Whether bytes are a value of JSON, whatever it is.
fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

#[cfg(test)]
mod tests;
