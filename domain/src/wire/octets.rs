//! Reads the octets of a message, also where a stricter reader refuses them. Whatever can be read is read,
//! every octet is kept, and each deviation is reported as a [`WireFault`].
//!
//! Nothing here recurses deeper than [`MOST_LEVELS`](super::MOST_LEVELS), whatever the octets say.

mod cursor;
mod fault;
mod header;
mod table;

pub use fault::WireFault;
pub use header::ContentHeader;
pub(super) use table::{put_long, put_short};

#[cfg(test)]
mod tests;
