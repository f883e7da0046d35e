//! What is inside an envelope: a message with its own properties and headers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::written::{self, Names};
use super::{Envelope, expected};
use crate::decoding::formats::json;
use crate::decoding::labels::Labels;
use crate::decoding::step::{Evidence, Format, Step};
use crate::decoding::unpacking::unpack;
use crate::wire::{FieldTable, Properties, WireText};

const UNREADABLE_PROPERTIES: &str = "the properties in its Sneakers envelope cannot be read";

/// EasyNetQ writes a body as text: each byte that is not UTF-8 is U+FFFD in it.
const LOST_BYTES: &str =
    "EasyNetQ kept the message as text, and its bytes that are not UTF-8 are lost";

/// The message within an envelope.
#[derive(Debug, Clone, PartialEq)]
pub struct Inside {
    /// Whose envelope it is in.
    pub envelope: Envelope,
    /// Its body.
    pub body: Vec<u8>,
    /// Its properties.
    pub properties: Properties,
    /// Its headers.
    pub headers: FieldTable,
    /// Why it is not what its sender sent, and must not be sent in its place; `None` if it is whole.
    pub damage: Option<&'static str>,
}

/// Opens the envelope that a body is, to have what is inside as its sender sent it. At most `most` bytes are
/// unpacked. `None` if it is not an envelope, or what is in it cannot be read.
#[must_use]
pub fn open_envelope(labels: Labels<'_>, body: &[u8], most: usize) -> Option<Inside> {
    let plain = unpack(labels, body, true, most);
    if !plain.is_whole {
        return None;
    }
    // Of what is not an envelope, which is known by its outer members, no value is built: it may be millions.
    Envelope::of(&json::outline(&plain.bytes).ok()?.value)?;
    let value: Value = serde_json::from_slice(&plain.bytes).ok()?;
    match Envelope::of(&value)? {
        Envelope::Sneakers | Envelope::EasyNetQ => Inside::of(&value),
        Envelope::MassTransit => expected::of_mass_transit(&value, &plain.bytes),
        Envelope::CloudEvents => expected::of_event(&value, &plain.bytes),
        Envelope::Debezium => expected::of_change(&value, &plain.bytes),
        Envelope::Attune => expected::of_attune(&value, &plain.bytes),
        Envelope::Laravel => expected::of_job(&value),
    }
}

/// Whose envelope a body is, if that was put around a message that failed. At most `most` bytes are unpacked, and the
/// outer members alone are read. `None` if it is none, or what is in it cannot be read.
#[must_use]
pub fn failure_envelope(labels: Labels<'_>, body: &[u8], most: usize) -> Option<Envelope> {
    let plain = unpack(labels, body, true, most);
    if !plain.is_whole {
        return None;
    }
    let inside = Inside::of(&json::outline(&plain.bytes).ok()?.value)?;
    Some(inside.envelope)
}

impl Inside {
    /// Opens what a framework put around a message that failed. `None` if the value is not that, or what is in it cannot
    /// be read.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        let envelope = Envelope::of(value)?;
        let text = |name| value.get(name).and_then(Value::as_str);
        match envelope {
            Envelope::Sneakers => {
                let listed = match text("properties") {
                    Some(packed) => {
                        base64(packed).and_then(|json| serde_json::from_slice(&json).ok())
                    }
                    None => Some(Value::Null),
                };
                let damage = listed.is_none().then_some(UNREADABLE_PROPERTIES);
                let (properties, headers) =
                    written::read(&listed.unwrap_or_default(), Names::Snake);
                Some(Self {
                    envelope,
                    body: base64(text("payload")?)?,
                    properties,
                    headers,
                    damage,
                })
            }
            Envelope::EasyNetQ => {
                let listed = value.get("BasicProperties")?;
                let (properties, headers) = written::read(listed, Names::Pascal);
                let body = text("Message")?;
                let damage = body.contains('\u{fffd}').then_some(LOST_BYTES);
                Some(Self { envelope, body: body.as_bytes().to_vec(), properties, headers, damage })
            }
            Envelope::MassTransit
            | Envelope::CloudEvents
            | Envelope::Debezium
            | Envelope::Attune
            | Envelope::Laravel => None,
        }
    }

    /// What its sender says of the body.
    #[must_use]
    pub fn labels(&self) -> Labels<'_> {
        let Properties { content_type, content_encoding, .. } = &self.properties;
        Labels {
            content_type: content_type.as_ref().and_then(WireText::as_str),
            content_encoding: content_encoding.as_ref().and_then(WireText::as_str),
            ..Labels::default()
        }
    }

    /// The steps by which it was opened.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        let mut opened = Step::new(Format::Envelope, Evidence::Shape, self.body.len());
        opened.detail = Some(self.envelope.name().to_owned());
        let packed = (self.envelope == Envelope::Sneakers)
            .then(|| Step::new(Format::Base64, Evidence::Label, self.body.len()));
        std::iter::once(opened).chain(packed).collect()
    }
}

/// Base64, also with line breaks.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let letters: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    STANDARD.decode(letters).ok()
}
