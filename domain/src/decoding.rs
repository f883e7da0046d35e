//! Bodies made readable, step by step, for looking and searching: a replay sends the bytes themselves, unless a person
//! asks for other values (`rewritable`), which are written and packed as those before were (`layer`).
//!
//! What was packed is unpacked first (`unpacking`), then read as values (`document`) or as text (`charset`): as the
//! sender says, unless the bytes say otherwise. A message of Protobuf or Avro is read by the message types that are
//! known (`message`), which what stands before it may name (`frame`). What a framework put around a message that failed
//! is opened (`envelope`). Of JSON, intake reads the outer members, and the rest where somebody asks (`values`). Each step says what was done and by what it was known. All of it is bounded, whatever a body
//! claims to be.

mod charset;
mod coding;
mod contents;
mod document;
mod envelope;
mod formats;
mod frame;
mod known_types;
mod labels;
mod layer;
mod message;
mod message_types;
mod registry;
mod rewritable;
mod step;
mod unpacking;
mod values;

pub use charset::{ReadText, read_text};
pub use contents::{Contents, MOST_EXCERPT_BYTES, MOST_VALUE_BYTES};
pub use document::{Attempt, Document, read_document};
pub use envelope::{Envelope, Inside, PackedMember, failure_envelope, open_envelope, take_apart};
pub use formats::avro::{AvroId, AvroSchema, AvroTypes};
pub(crate) use formats::json::at;
pub use formats::protobuf::{MessageId, ProtobufTypes, rank};
pub use formats::ranked::{Ranked, is_likely};
pub use known_types::KnownTypes;
pub(crate) use labels::unknown_names;
pub use labels::{BodyHead, Labels};
pub use message_types::MessageTypes;
pub use registry::{RegisteredSchema, Registry};
pub use rewritable::{Rewritable, TooLarge};
pub use step::{Certainty, Evidence, Format, RankedType, Step};
pub use unpacking::{Unpacked, unpack, unpack_named};
pub use values::{BodyValues, Values};

#[cfg(test)]
pub(crate) mod tests;
