//! The message types that are known while a body is read, and which of them its sender names.

use super::formats::avro::{AvroId, AvroTypes};
use super::formats::protobuf::{MessageId, ProtobufTypes};
use super::message_types::MessageTypes;
use super::registry::RegisteredType;
use super::step::Evidence;
use crate::origin::Origin;
use crate::wire::{FieldTable, FieldValue, WireText};

/// Parameters of a media type that name a message type.
const PARAMETERS: [&str; 6] = ["proto", "avro", "messagetype", "message", "msg", "type"];

/// Headers that name a message type, in small letters without what stands between words. Those of CloudEvents come
/// with several prefixes.
const HEADERS: [&str; 19] = [
    "messagetype",
    "xmessagetype",
    "protobufmessage",
    "xprotobufmessage",
    "protobuftype",
    "xprotobuftype",
    "protomessage",
    "prototype",
    "avroschema",
    "avrotype",
    "avroschemaname",
    "typeid",
    "eventtype",
    "cedataschema",
    "cloudeventsdataschema",
    "dataschema",
    "cetype",
    "cloudeventstype",
    "type",
];

/// The longest text in a header that can name a message type, in bytes.
const MOST_NAME_BYTES: usize = 4 * 1024;

/// The message types that are known, and the one that a body's sender names.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownTypes<'a> {
    types: Option<&'a MessageTypes>,
    protobuf: Named<ProtobufNamed>,
    avro: Named<AvroNamed<'a>>,
    is_framed: bool,
}

/// The types that are named, the one that is tried first first.
#[derive(Debug, Clone, Copy)]
struct Named<T> {
    /// By a rule for the queue.
    by_rule: Option<T>,
    /// By what is told with the message.
    told: Option<T>,
}

impl<T> Named<T> {
    const NONE: Self = Self { by_rule: None, told: None };

    fn told(one: T) -> Self {
        Self { by_rule: None, told: Some(one) }
    }

    fn each(self) -> impl Iterator<Item = T> {
        self.by_rule.into_iter().chain(self.told)
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self::NONE
    }
}

/// The type of Protobuf that a body is said to be of, and by what that is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProtobufNamed {
    pub(super) id: MessageId,
    pub(super) evidence: Evidence,
}

/// The schemas of Avro that a body can have been written by, and by what that is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct AvroNamed<'a> {
    pub(super) types: &'a AvroTypes,
    /// The newest first.
    pub(super) schemas: &'a [AvroId],
    pub(super) evidence: Evidence,
}

impl<'a> KnownTypes<'a> {
    /// None is known.
    pub const NONE: Self =
        Self { types: None, protobuf: Named::NONE, avro: Named::NONE, is_framed: false };

    /// Of a message: its media type, its `type` and its headers may name one of the types.
    #[must_use]
    pub fn of(
        types: &'a MessageTypes,
        content_type: Option<&str>,
        kind: Option<&WireText>,
        headers: &FieldTable,
    ) -> Self {
        let fields = headers.0.iter().filter(|field| names_type(&field.name));
        let names: Vec<&str> = kind
            .and_then(WireText::as_str)
            .into_iter()
            .chain(fields.filter_map(|field| text_of(&field.value)))
            .collect();
        Self { types: Some(types), ..Self::default() }.naming(content_type, &names)
    }

    /// The same for a message that died there: the rules may name its type.
    #[must_use]
    pub fn died_in(mut self, origin: &Origin) -> Self {
        let Some(types) = self.types else { return self };
        let named = |name: &str| (types.protobuf.named(name), types.avro.named(name));
        let mut named = types.rules.types_of(origin).map(named);
        let found = named.find(|(protobuf, avro)| protobuf.is_some() || !avro.is_empty());
        let Some((protobuf, schemas)) = found else { return self };
        let evidence = Evidence::Rule;
        self.protobuf.by_rule = protobuf.map(|id| ProtobufNamed { id, evidence });
        self.avro.by_rule = AvroNamed::of(&types.avro, schemas, evidence);
        self
    }

    /// The same with the type that a media type, or the first of these names, means.
    pub(super) fn naming(mut self, content_type: Option<&str>, names: &[&str]) -> Self {
        let Some(types) = self.types.filter(|types| !types.is_empty()) else { return self };
        let told = names_in_media_type(content_type.unwrap_or_default());
        let names: Vec<&str> = told.chain(names.iter().copied()).collect();
        let evidence = Evidence::Label;
        let of_avro = |name: &&str| AvroNamed::of(&types.avro, types.avro.named(name), evidence);
        self.avro.told = names.iter().find_map(of_avro);
        let protobuf = names.iter().find_map(|name| types.protobuf.named(name));
        self.protobuf.told = protobuf.map(|id| ProtobufNamed { id, evidence });
        self
    }

    /// The same for a message within another one, which its sender says less of.
    #[must_use]
    pub fn within(mut self) -> Self {
        (self.protobuf.told, self.avro.told) = (None, None);
        Self { is_framed: false, ..self }
    }

    /// The same for what stands behind a frame that names its schema by a number which is not known.
    pub(super) fn framed(self) -> Self {
        Self { is_framed: true, ..self }
    }

    /// The same for what stands behind the fingerprint of a schema; `None` if that is not known.
    pub(super) fn with_fingerprint(self, fingerprint: u64) -> Option<Self> {
        let types = &self.types?.avro;
        let schemas = std::slice::from_ref(types.with_fingerprint(fingerprint)?);
        let avro = AvroNamed { types, schemas, evidence: Evidence::Fingerprint };
        Some(Self { avro: Named::told(avro), ..self })
    }

    /// The schema that a registry gave a number; `None` if it is not known.
    pub(super) fn registered(self, number: u32) -> Option<&'a RegisteredType> {
        self.types?.registry.get(number)
    }

    /// The same for a value of Avro by a schema of the registry.
    pub(super) fn with_avro(self, id: &'a AvroId) -> Self {
        let schemas = std::slice::from_ref(id);
        let evidence = Evidence::Registry;
        let named = |types| Named::told(AvroNamed { types, schemas, evidence });
        Self { avro: self.avro().map(named).unwrap_or_default(), ..self }
    }

    /// The same for a message of Protobuf by a schema of the registry.
    pub(super) fn with_protobuf(self, id: MessageId) -> Self {
        let named = ProtobufNamed { id, evidence: Evidence::Registry };
        Self { protobuf: Named::told(named), ..self }
    }

    /// Whether a frame stood before the body, so that it is a message of some schema.
    pub(super) fn is_framed(self) -> bool {
        self.is_framed
    }

    /// The types of Protobuf.
    pub(super) fn protobuf(self) -> Option<&'a ProtobufTypes> {
        self.types.map(|types| &types.protobuf)
    }

    /// The types of Protobuf that a rule, the sender, or the registry names.
    pub(super) fn named_protobuf(self) -> impl Iterator<Item = (&'a ProtobufTypes, ProtobufNamed)> {
        self.protobuf()
            .into_iter()
            .flat_map(move |types| self.protobuf.each().map(move |named| (types, named)))
    }

    /// The schemas of Avro.
    pub(super) fn avro(self) -> Option<&'a AvroTypes> {
        self.types.map(|types| &types.avro)
    }

    /// The schemas of Avro that a rule, the sender, or a frame names.
    pub(super) fn named_avro(self) -> impl Iterator<Item = AvroNamed<'a>> {
        self.avro.each()
    }
}

impl<'a> AvroNamed<'a> {
    /// These schemas; `None` where there is none.
    fn of(types: &'a AvroTypes, schemas: &'a [AvroId], evidence: Evidence) -> Option<Self> {
        (!schemas.is_empty()).then_some(Self { types, schemas, evidence })
    }
}

/// Of headers those that may name a message type: a message may have many others, which are not to be kept for that.
pub(super) fn naming_headers(mut headers: FieldTable) -> FieldTable {
    let is_name =
        |value: &FieldValue| text_of(value).is_some_and(|name| name.len() <= MOST_NAME_BYTES);
    headers.0.retain(|field| names_type(&field.name) && is_name(&field.value));
    headers
}

fn names_in_media_type(content_type: &str) -> impl Iterator<Item = &str> {
    let mut parts = content_type.split(';');
    let kind = parts.next().unwrap_or_default();
    let kind = kind.split_once('/').map_or("", |(_, kind)| kind);
    // As in `application/vnd.shop.v1.OrderPlaced+proto`, or `…+avro`.
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
