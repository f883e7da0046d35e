//! Schemas: what people upload is compiled, and what is known of message types is made of it.
//!
//! Whoever reads letters asks the judge for the types (`judging`): a schema changes what is read as a rule changes how
//! it is judged, and stored letters are read again by the same walk.

mod compiling;
mod imports;
mod keeping;

use std::sync::Arc;

use dlo_domain::decoding::{AvroSchema, MessageTypes};
use prost_reflect::DescriptorPool;

use crate::store::schemas::{Definition, UsedSchema};

pub use compiling::{Compiled, compile};
pub use keeping::{Change, add, remove};

/// The message types of schemas, the newest first: where two have a type of the same name, the newer one counts; of
/// Avro the older one, too, as senders may still write by it. Those that cannot be read are left out and logged, by
/// their names.
#[must_use]
pub fn message_types(used: &[UsedSchema]) -> Arc<MessageTypes> {
    let (mut pools, mut schemas) = (Vec::new(), Vec::new());
    for UsedSchema { name, definition } in used {
        let read = match definition {
            Definition::Protobuf(set) => DescriptorPool::decode(&**set)
                .map(|pool| pools.push(pool))
                .map_err(|why| why.to_string()),
            Definition::Avro(files) => {
                AvroSchema::read_files(files).map(|read| schemas.extend(read))
            }
        };
        if let Err(why) = read {
            tracing::warn!(schema = name, %why, "a schema cannot be read and is left out");
        }
    }
    Arc::new(MessageTypes::new(&pools, schemas))
}
