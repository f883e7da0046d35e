//! The message types that schemas tell of.

use prost_reflect::DescriptorPool;

use super::formats::avro::{AvroSchema, AvroTypes};
use super::formats::protobuf::ProtobufTypes;
use super::registry::{RegisteredSchema, Registry};
use crate::type_rule::TypeRules;

/// Message types by the format that they are written in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MessageTypes {
    /// Those of Protobuf.
    pub protobuf: ProtobufTypes,
    /// Those of Avro.
    pub avro: AvroTypes,
    /// Those of either that a schema registry gave a number.
    pub registry: Registry,
    /// What people say that the messages of a queue are of.
    pub rules: TypeRules,
}

impl MessageTypes {
    /// The types of all files of these pools, and these schemas, the newest first.
    #[must_use]
    pub fn new(pools: &[DescriptorPool], schemas: Vec<AvroSchema>) -> Self {
        Self::with_registry(pools, schemas, Vec::new())
    }

    /// The same with schemas that a registry told of, by their numbers. The types of its files of Protobuf are among
    /// those of the pools.
    #[must_use]
    pub fn with_registry(
        pools: &[DescriptorPool],
        mut schemas: Vec<AvroSchema>,
        registered: Vec<(u32, RegisteredSchema)>,
    ) -> Self {
        schemas.extend(registered.iter().filter_map(|(_, schema)| match schema {
            RegisteredSchema::Avro(schema) => Some(schema.clone()),
            _ => None,
        }));
        let (protobuf, avro) = (ProtobufTypes::described_by(pools), AvroTypes::new(schemas));
        let registry = Registry::new(registered, &protobuf, &avro);
        Self { protobuf, avro, registry, rules: TypeRules::default() }
    }

    /// Whether a name means one of the types.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.protobuf.named(name).is_some() || !self.avro.named(name).is_empty()
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.protobuf.is_empty() && self.avro.is_empty()
    }
}
