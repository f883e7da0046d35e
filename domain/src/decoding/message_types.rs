//! The message types that schemas tell of.

use prost_reflect::DescriptorPool;

use super::formats::avro::{AvroSchema, AvroTypes};
use super::formats::protobuf::ProtobufTypes;

/// Message types by the format that they are written in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MessageTypes {
    /// Those of Protobuf.
    pub protobuf: ProtobufTypes,
    /// Those of Avro.
    pub avro: AvroTypes,
}

impl MessageTypes {
    /// The types of all files of these pools, and these schemas, the newest first.
    #[must_use]
    pub fn new(pools: &[DescriptorPool], schemas: Vec<AvroSchema>) -> Self {
        Self { protobuf: ProtobufTypes::described_by(pools), avro: AvroTypes::new(schemas) }
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.protobuf.is_empty() && self.avro.is_empty()
    }
}
