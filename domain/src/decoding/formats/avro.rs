//! Apache Avro (specification 1.12): object container files, which have their schema with them, and bare values, which
//! are read by the schemas that people uploaded.
//!
//! Values are read by our own reader, because it has to be bounded: a schema may refer to itself, and the official
//! library follows that as deep as the bytes say, until its stack ends.

mod binary;
mod container;
mod fingerprint;
mod fit;
mod logical;
mod schema;
mod types;
mod writing;

pub use binary::Bytes;
pub use container::{Container, MAGIC, read, write};
pub use types::{AvroId, AvroSchema, AvroTypes};

#[cfg(test)]
mod known_tests;
#[cfg(test)]
mod random_values;
#[cfg(test)]
mod tests;
