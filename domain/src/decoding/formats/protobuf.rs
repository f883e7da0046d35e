//! Protobuf: messages of which a schema tells what they are, and those of which none does.
//!
//! Bytes do not say of what type they are. The sender may; else all known types are ranked by how well the bytes fit
//! them. Without a schema the tree of numbered fields is shown.

mod described;
mod fit;
mod ranking;
mod typed;
mod types;
mod untyped;
mod well_known;
mod wire;
mod writing;

pub use fit::fits;
pub use ranking::rank;
pub use typed::read as read_typed;
pub use types::{MessageId, ProtobufTypes};
pub use untyped::{evidence, is_written_text as is_text, read as read_untyped};
pub use writing::write;

#[cfg(test)]
mod tests;
