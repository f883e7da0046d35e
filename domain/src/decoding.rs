//! Bodies made readable, step by step, for looking and searching: a replay sends the bytes themselves.
//!
//! What was packed is unpacked first (`unpacking`), then read as values (`document`) or as text (`charset`): as the
//! sender says, unless the bytes say otherwise. What a framework put around a message that failed is opened (`envelope`). Each step says what was done and by what it was known. All of it is
//! bounded, whatever a body claims to be.

mod charset;
mod coding;
mod contents;
mod document;
mod envelope;
mod formats;
mod labels;
mod step;
mod unpacking;

pub use charset::{ReadText, read_text};
pub use contents::{Contents, MOST_EXCERPT_BYTES, MOST_VALUE_BYTES};
pub use document::{Attempt, Document, read_document};
pub use envelope::{Envelope, Inside, take_apart_command};
pub use labels::Labels;
pub(crate) use labels::unknown_names;
pub use step::{Certainty, Evidence, Format, Step};
pub use unpacking::{Unpacked, unpack, unpack_named};

#[cfg(test)]
mod tests;
