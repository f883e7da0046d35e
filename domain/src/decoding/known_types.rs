//! The message types that are known while a body is read, and which of them its sender names.

use super::formats::protobuf::{MessageId, MessageTypes, Ranked, is_likely, rank};
use crate::wire::{FieldTable, FieldValue, WireText};

/// Parameters of a media type that name a message type.
const PARAMETERS: [&str; 5] = ["proto", "messagetype", "message", "msg", "type"];

/// Headers that name a message type, in small letters without what stands between words. Those of CloudEvents come
/// with several prefixes.
const HEADERS: [&str; 16] = [
    "messagetype",
    "xmessagetype",
    "protobufmessage",
    "xprotobufmessage",
    "protobuftype",
    "xprotobuftype",
    "protomessage",
    "prototype",
    "typeid",
    "eventtype",
    "cedataschema",
    "cloudeventsdataschema",
    "dataschema",
    "cetype",
    "cloudeventstype",
    "type",
];

/// The message types that are known, and the one that a body's sender names.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownTypes<'a> {
    types: Option<&'a MessageTypes>,
    named: Option<MessageId>,
}

impl<'a> KnownTypes<'a> {
    /// None is known.
    pub const NONE: Self = Self { types: None, named: None };

    /// Of a message: its media type, its `type` and its headers may name one of the types.
    #[must_use]
    pub fn of(
        types: &'a MessageTypes,
        content_type: Option<&str>,
        kind: Option<&WireText>,
        headers: &FieldTable,
    ) -> Self {
        if types.is_empty() {
            return Self::default();
        }
        let told = names_in_media_type(content_type.unwrap_or_default());
        let kind = kind.and_then(WireText::as_str);
        let named = told.chain(kind).find_map(|name| types.named(name));
        let named = named.or_else(|| {
            let fields = headers.0.iter().filter(|field| names_type(&field.name));
            fields.filter_map(|field| text_of(&field.value)).find_map(|name| types.named(name))
        });
        Self { types: Some(types), named }
    }

    /// The same for a message within another one, which its sender says less of.
    #[must_use]
    pub fn within(self) -> Self {
        Self { named: None, ..self }
    }

    /// The type that the sender names.
    pub(super) fn named(self) -> Option<(&'a MessageTypes, MessageId)> {
        self.types.zip(self.named)
    }

    /// The types that bytes are likeliest of.
    pub(super) fn ranked(self, bytes: &[u8], is_protobuf: bool) -> Vec<Ranked> {
        self.types.map(|types| rank(types, bytes, is_protobuf)).unwrap_or_default()
    }

    /// The first of these, if the bytes are likelier of one of them than of none.
    pub(super) fn likely(self, ranked: &[Ranked]) -> Option<(&'a MessageTypes, MessageId)> {
        let first = ranked.first().filter(|_| is_likely(ranked))?;
        self.types.zip(Some(first.id))
    }

    /// All types.
    pub(super) fn types(self) -> Option<&'a MessageTypes> {
        self.types
    }
}

fn names_in_media_type(content_type: &str) -> impl Iterator<Item = &str> {
    let mut parts = content_type.split(';');
    let kind = parts.next().unwrap_or_default();
    let kind = kind.split_once('/').map_or("", |(_, kind)| kind);
    // As in `application/vnd.shop.v1.OrderPlaced+proto`.
    let vendor = kind.split_once('+').and_then(|(name, _)| name.strip_prefix("vnd."));
    let named = parts.filter_map(|part| {
        let (name, value) = part.split_once('=')?;
        let name = plain_name(name.trim());
        PARAMETERS.contains(&&*name).then(|| value.trim().trim_matches('"'))
    });
    named.chain(vendor)
}

fn names_type(name: &WireText) -> bool {
    name.as_str().is_some_and(|name| HEADERS.contains(&&*plain_name(name)))
}

/// A name in small letters, without what stands between its words.
fn plain_name(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn text_of(value: &FieldValue) -> Option<&str> {
    value.as_text()?.as_str()
}
