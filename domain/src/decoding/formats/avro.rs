//! Apache Avro (specification 1.12): object container files, which have their schema with them.
//!
//! Values are read by our own reader, because it has to be bounded: a schema may refer to itself, and the official
//! library follows that as deep as the bytes say, until its stack ends.

mod binary;
mod container;
mod logical;
mod schema;

pub use container::{Container, MAGIC, read};

#[cfg(test)]
mod tests;
