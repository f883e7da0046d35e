//! Schemas by the numbers that a schema registry gave them.

use std::collections::HashMap;

use super::formats::avro::{AvroId, AvroSchema, AvroTypes};
use super::formats::protobuf::{MessageId, ProtobufTypes};

/// A schema that a registry told of.
#[derive(Debug, Clone, PartialEq)]
pub enum RegisteredSchema {
    /// A type of Avro, whatever it is.
    Avro(AvroSchema),
    /// A file of Protobuf: the full names of its message types by their places, the outermost first.
    Protobuf(HashMap<Vec<i64>, String>),
    /// A JSON Schema: what stands behind its number is JSON.
    Json,
}

/// A message type that a number, and for Protobuf a place, stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RegisteredType {
    Avro(AvroId),
    Protobuf(HashMap<Vec<i64>, MessageId>),
    Json,
}

/// Schemas by their numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Registry(HashMap<u32, RegisteredType>);

impl Registry {
    /// Of these schemas, whose types are among the known ones.
    pub(super) fn new(
        schemas: impl IntoIterator<Item = (u32, RegisteredSchema)>,
        protobuf: &ProtobufTypes,
        avro: &AvroTypes,
    ) -> Self {
        let registered = schemas.into_iter().filter_map(|(number, schema)| {
            let registered = match schema {
                RegisteredSchema::Avro(schema) => {
                    RegisteredType::Avro(*avro.with_fingerprint(schema.fingerprint())?)
                }
                RegisteredSchema::Protobuf(places) => {
                    let known = places.into_iter();
                    let known =
                        known.filter_map(|(place, name)| Some((place, protobuf.named(&name)?)));
                    RegisteredType::Protobuf(known.collect())
                }
                RegisteredSchema::Json => RegisteredType::Json,
            };
            Some((number, registered))
        });
        Self(registered.collect())
    }

    /// The schema of a number.
    pub(super) fn get(&self, number: u32) -> Option<&RegisteredType> {
        self.0.get(&number)
    }
}
