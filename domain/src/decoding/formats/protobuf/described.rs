//! Message types as descriptors tell of them: what compilers of `.proto` files write.

use std::collections::{HashMap, HashSet};

use prost_reflect::{
    Cardinality, DescriptorPool, EnumDescriptor, FieldDescriptor, Kind as Described,
    MessageDescriptor,
};

use super::types::{
    EnumId, EnumType, FieldType, Kind, MessageId, MessageType, Occurs, Place, ProtobufTypes,
};

/// Packages of what Google brings for others to build upon: nothing is sent as one of these types.
const WELL_KNOWN: [&str; 2] = ["google.protobuf", "google.api"];

impl ProtobufTypes {
    /// The types of all files of these pools. Of several types of the same name the first one counts.
    #[must_use]
    pub fn described_by(pools: &[DescriptorPool]) -> Self {
        let (mut messages, mut enums) = (Vec::new(), Vec::new());
        for pool in pools {
            let ids = Ids::of(pool, (messages.len(), enums.len()));
            let held = held(pool);
            messages.extend(pool.all_messages().map(|message| ids.message(&message, &held)));
            enums.extend(pool.all_enums().map(|described| enum_type(&described)));
        }
        Self::new(messages, enums)
    }
}

/// The places of types by their full names.
struct Ids {
    messages: HashMap<String, MessageId>,
    enums: HashMap<String, EnumId>,
}

impl Ids {
    /// Those of a pool, behind so many others.
    fn of(pool: &DescriptorPool, (before, enums_before): (usize, usize)) -> Self {
        let messages = pool.all_messages().enumerate();
        let enums = pool.all_enums().enumerate();
        Self {
            messages: messages
                .map(|(at, message)| (message.full_name().to_owned(), MessageId(before + at)))
                .collect(),
            enums: enums
                .map(|(at, described)| {
                    (described.full_name().to_owned(), EnumId(enums_before + at))
                })
                .collect(),
        }
    }

    fn message(&self, message: &MessageDescriptor, held: &HashSet<String>) -> MessageType {
        let name = message.full_name().to_owned();
        let place = if message.is_map_entry() || WELL_KNOWN.contains(&message.package_name()) {
            Place::Never
        } else if held.contains(&name) || message.parent_message().is_some() {
            Place::Within
        } else {
            Place::Outermost
        };
        let mut fields: Vec<FieldType> =
            message.fields().map(|field| self.field(message, &field)).collect();
        fields.sort_by_key(|field| field.number);
        MessageType { name, fields, place }
    }

    fn field(&self, message: &MessageDescriptor, field: &FieldDescriptor) -> FieldType {
        let one_of = field.containing_oneof().filter(|one_of| !one_of.is_synthetic());
        let place = one_of.and_then(|one_of| {
            message.oneofs().position(|other| other.full_name() == one_of.full_name())
        });
        let occurs = match (field.cardinality(), place) {
            _ if field.is_map() => Occurs::Map,
            (Cardinality::Repeated, _) => Occurs::Repeated,
            (Cardinality::Required, _) => Occurs::Required,
            (Cardinality::Optional, Some(place)) => Occurs::OneOf(place),
            (Cardinality::Optional, None) => Occurs::Optional,
        };
        FieldType {
            number: field.number(),
            name: field.name().to_owned(),
            kind: self.kind(field),
            occurs,
            writes_nothing: field.supports_presence() || field.is_list() || message.is_map_entry(),
            is_packed: field.is_packed(),
        }
    }

    fn kind(&self, field: &FieldDescriptor) -> Kind {
        match field.kind() {
            Described::Bool => Kind::Bool,
            Described::Int32 => Kind::Int32,
            Described::Int64 => Kind::Int64,
            Described::Uint32 => Kind::Uint32,
            Described::Uint64 => Kind::Uint64,
            Described::Sint32 => Kind::Sint32,
            Described::Sint64 => Kind::Sint64,
            Described::Fixed32 => Kind::Fixed32,
            Described::Fixed64 => Kind::Fixed64,
            Described::Sfixed32 => Kind::Sfixed32,
            Described::Sfixed64 => Kind::Sfixed64,
            Described::Float => Kind::Float,
            Described::Double => Kind::Double,
            Described::String => Kind::String,
            Described::Bytes => Kind::Bytes,
            Described::Enum(described) => Kind::Enum(self.enums[described.full_name()]),
            Described::Message(message) => {
                let id = self.messages[message.full_name()];
                if field.is_group() { Kind::Group(id) } else { Kind::Message(id) }
            }
        }
    }
}

/// The types of which another type has fields.
fn held(pool: &DescriptorPool) -> HashSet<String> {
    let fields = pool.all_messages().flat_map(|message| {
        let own = message.full_name().to_owned();
        let fields: Vec<_> = message.fields().filter_map(|field| of_message(&field)).collect();
        fields.into_iter().filter(move |name| *name != own)
    });
    fields.collect()
}

fn of_message(field: &FieldDescriptor) -> Option<String> {
    field.kind().as_message().map(|message| message.full_name().to_owned())
}

fn enum_type(described: &EnumDescriptor) -> EnumType {
    let mut values: Vec<(i32, String)> =
        described.values().map(|value| (value.number(), value.name().to_owned())).collect();
    values.sort_by_key(|(number, _)| *number);
    values.dedup_by_key(|(number, _)| *number);
    EnumType { values }
}
