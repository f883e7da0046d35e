//! The message types that schemas tell of, as reading and ranking want them.

use super::super::names::TypeNames;

/// Message types by their names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProtobufTypes {
    messages: Vec<MessageType>,
    enums: Vec<EnumType>,
    sendable: Vec<MessageId>,
    names: TypeNames,
}

/// Which of the message types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub(super) usize);

/// Which of the enums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnumId(pub(super) usize);

/// A message type.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageType {
    /// Its full name: `shop.orders.OrderPlaced`.
    pub name: String,
    /// Its fields in the order of their numbers.
    pub fields: Vec<FieldType>,
    /// Where it can stand.
    pub place: Place,
}

/// Where a message type can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// No other type has it: it is sent by itself.
    Outermost,
    /// A field of another type is of it, or it is declared within one.
    Within,
    /// It is an entry of a map, or one of Google's well-known types: nothing is sent as one.
    Never,
}

/// A field of a message type.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldType {
    /// Its number, from 1 on.
    pub number: u32,
    /// Its name as it is declared.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// How often it stands.
    pub occurs: Occurs,
    /// Whether senders write one that is nothing: 0, `false` or an empty text. Proto3 leaves them out.
    pub writes_nothing: bool,
    /// Whether its numbers stand together without keys.
    pub is_packed: bool,
}

/// How often a field stands in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurs {
    /// Once, or not at all.
    Optional,
    /// Once (proto2).
    Required,
    /// One of several does: which group of them, by its place in the message type.
    OneOf(usize),
    /// As often as there are values.
    Repeated,
    /// A map: its entries are messages of a key and a value.
    Map,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Float,
    Double,
    String,
    Bytes,
    Enum(EnumId),
    Message(MessageId),
    Group(MessageId),
}

/// An enum: its values by number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnumType {
    /// Names by numbers, in the order of the numbers.
    pub values: Vec<(i32, String)>,
}

impl ProtobufTypes {
    /// Types whose ids are their places in these lists.
    pub(super) fn new(mut messages: Vec<MessageType>, enums: Vec<EnumType>) -> Self {
        let mut names = TypeNames::default();
        for (at, message) in messages.iter_mut().enumerate() {
            if names.place_of(&message.name, at) != at {
                // The fields of its own schema still have it.
                message.place = Place::Never;
            }
        }
        let sendable = messages.iter().enumerate();
        let sendable = sendable.filter(|(_, message)| message.place != Place::Never);
        let sendable: Vec<MessageId> = sendable.map(|(at, _)| MessageId(at)).collect();
        for id in &sendable {
            names.add_endings(&messages[id.0].name, id.0);
        }
        Self { messages, enums, sendable, names }
    }

    /// How many types a message can be of.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sendable.len()
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The types that a message can be of.
    pub fn sendable(&self) -> impl Iterator<Item = MessageId> {
        self.sendable.iter().copied()
    }

    /// The type that a name means: its full name, also behind a `/` as in `type.googleapis.com/`, or the last part of
    /// it where no other type ends so.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<MessageId> {
        self.names.named(name).map(MessageId)
    }

    /// The full name of a type.
    #[must_use]
    pub fn name(&self, id: MessageId) -> &str {
        &self.message(id).name
    }

    pub(super) fn message(&self, id: MessageId) -> &MessageType {
        &self.messages[id.0]
    }

    pub(super) fn enum_type(&self, id: EnumId) -> &EnumType {
        &self.enums[id.0]
    }
}

impl MessageType {
    /// The place of a field by its number.
    pub(super) fn place_of(&self, number: u32) -> Option<usize> {
        // Most types number their fields from 1 on without a gap.
        let guess = usize::try_from(number).ok()?.checked_sub(1)?;
        if self.fields.get(guess).is_some_and(|field| field.number == number) {
            return Some(guess);
        }
        self.fields.binary_search_by_key(&number, |field| field.number).ok()
    }

    pub(super) fn field(&self, number: u32) -> Option<&FieldType> {
        self.place_of(number).map(|place| &self.fields[place])
    }
}

impl FieldType {
    /// Whether it can stand several times.
    pub(super) fn is_repeated(&self) -> bool {
        matches!(self.occurs, Occurs::Repeated | Occurs::Map)
    }
}

impl EnumType {
    /// The name of a value.
    pub(super) fn name(&self, number: i32) -> Option<&str> {
        let place = self.values.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&self.values[place].1)
    }
}

impl Kind {
    /// The wire type by which a value of it is written.
    pub(super) fn wire_type(self) -> u8 {
        match self {
            Self::Fixed64 | Self::Sfixed64 | Self::Double => 1,
            Self::String | Self::Bytes | Self::Message(_) => 2,
            Self::Group(_) => 3,
            Self::Fixed32 | Self::Sfixed32 | Self::Float => 5,
            _ => 0,
        }
    }
}
