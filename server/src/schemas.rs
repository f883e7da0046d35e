//! Schemas: what people upload is compiled, a schema registry is asked for what it has, and what is known of message
//! types is made of it.
//!
//! Whoever reads letters asks the judge for the types (`judging`): a schema changes what is read as a rule changes how
//! it is judged, and stored letters are read again by the same walk.

mod asking;
mod compiling;
mod imports;
mod keeping;
mod registry;
mod type_rules;

use std::collections::HashMap;

use dlo_domain::decoding::{AvroSchema, MessageTypes, RegisteredSchema};
use prost_reflect::{DescriptorPool, MessageDescriptor};

use crate::store::registry_schemas::{Definition as Told, ToldSchema};
use crate::store::schemas::{Definition, UsedSchema};

pub use asking::{Asker, LOOK_EVERY};
pub use compiling::{Compiled, compile};
pub use keeping::{Change, add, remove};
pub use registry::SchemaRegistry;
pub use type_rules::{AddTypeRuleError, add_type_rule, remove_type_rule};

/// By what the text of a schema of the registry stands among those that it refers to.
#[must_use]
pub fn registry_path(number: i32) -> String {
    format!("registry/{number}")
}

/// The message types of schemas, the newest first: where two have a type of the same name, the newer one counts; of
/// Avro the older one, too, as senders may still write by it. Those of the registry come last. What cannot be read is
/// left out and logged, by its name.
#[must_use]
pub fn message_types(used: &[UsedSchema], told: &[ToldSchema]) -> MessageTypes {
    let (mut pools, mut schemas, mut registered) = (Vec::new(), Vec::new(), Vec::new());
    for UsedSchema { name, definition } in used {
        let read = match definition {
            Definition::Protobuf(set) => pool_of(set).map(|pool| pools.push(pool)),
            Definition::Avro(files) => {
                AvroSchema::read_files(files).map(|read| schemas.extend(read))
            }
        };
        if let Err(why) = read {
            tracing::warn!(schema = name, %why, "a schema cannot be read and is left out");
        }
    }
    for schema in told {
        match registered_schema(schema, &mut pools) {
            Ok(read) => {
                registered.extend(u32::try_from(schema.number).map(|number| (number, read)));
            }
            Err(why) => {
                tracing::warn!(schema.number, %why, "a schema of the registry cannot be read and is left out");
            }
        }
    }
    MessageTypes::with_registry(&pools, schemas, registered)
}

fn pool_of(set: &[u8]) -> Result<DescriptorPool, String> {
    DescriptorPool::decode(set).map_err(|why| why.to_string())
}

/// What the registry told of a schema; a descriptor set of it comes to the others.
fn registered_schema(
    schema: &ToldSchema,
    pools: &mut Vec<DescriptorPool>,
) -> Result<RegisteredSchema, String> {
    let path = registry_path(schema.number);
    Ok(match &schema.definition {
        Told::Avro(files) => RegisteredSchema::Avro(AvroSchema::read_one(&path, files)?),
        Told::Protobuf(set) => {
            let pool = pool_of(set)?;
            let mut places = HashMap::new();
            let file = pool.get_file_by_name(&path).ok_or("its own file is not in it")?;
            note_places(file.messages(), &[], &mut places);
            pools.push(pool);
            RegisteredSchema::Protobuf(places)
        }
        Told::Json => RegisteredSchema::Json,
    })
}

/// Which message type stands at which place of a file, and within which other.
fn note_places(
    messages: impl Iterator<Item = MessageDescriptor>,
    around: &[i64],
    places: &mut HashMap<Vec<i64>, String>,
) {
    for (place, message) in (0..).zip(messages) {
        let place = [around, &[place]].concat();
        note_places(message.child_messages(), &place, places);
        places.insert(place, message.full_name().to_owned());
    }
}
