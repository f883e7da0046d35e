//! Schemas: what people upload is compiled, and what is known of message types is made of it.
//!
//! Whoever reads letters asks the judge for the types (`judging`): a schema changes what is read as a rule changes how
//! it is judged, and stored letters are read again by the same walk.

mod compiling;
mod imports;
mod keeping;

use std::sync::Arc;

use dlo_domain::decoding::MessageTypes;
use prost_reflect::DescriptorPool;

pub use compiling::{Compiled, compile};
pub use keeping::{Change, add, remove};

/// The message types of descriptor sets, the newest first: where two have a type of the same name, the newer one
/// counts. Those that cannot be read are left out and logged, by their names.
#[must_use]
pub fn message_types<'a>(sets: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Arc<MessageTypes> {
    let mut pools = Vec::new();
    for (name, set) in sets {
        match DescriptorPool::decode(set) {
            Ok(pool) => pools.push(pool),
            Err(why) => {
                tracing::warn!(schema = name, %why, "a schema cannot be read and is left out");
            }
        }
    }
    Arc::new(MessageTypes::described_by(&pools))
}
