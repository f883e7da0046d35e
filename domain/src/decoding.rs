//! Bodies made readable, step by step, for looking and searching: a replay sends the bytes themselves.
//!
//! What was packed is unpacked first: as the sender says, unless the bytes say otherwise. Each step says what was
//! undone and by what it was known. All of it is bounded, whatever a body claims to be.

mod coding;
mod labels;
mod step;
mod unpacking;

pub(crate) use labels::unknown_names;
pub use labels::{Labels, remarks};
pub use step::{Certainty, Evidence, Format, Step};
pub use unpacking::{Unpacked, unpack, unpack_named};

#[cfg(test)]
mod tests;
