//! The JSON Schemas that the configuration names.

use std::path::PathBuf;

use dlo_domain::json_schema::SchemaFor;

use super::fault::Place;
use super::file::{Reader, Table};
use crate::json_schemas::{MOST_SCHEMA_BYTES, MOST_SCHEMAS, Schema, Schemas};

pub(super) fn read(reader: &mut Reader<'_>) -> Schemas {
    let mut schemas = Vec::new();
    for (number, mut table) in reader.tables("schemas").into_iter().enumerate() {
        let place = reader.place_of(&table);
        if number == MOST_SCHEMAS {
            let why = format!("there are more than {MOST_SCHEMAS} schemas: leave some out");
            reader.fault(place.clone(), why);
        }
        let schema = read_one(reader, &mut table, place);
        reader.close(table);
        schemas.extend(schema);
    }
    Schemas::new(schemas)
}

fn read_one<'a>(reader: &mut Reader<'a>, table: &mut Table<'a>, place: Place) -> Option<Schema> {
    let text = |text: &str| Ok(text.to_owned());
    let wanted = SchemaFor {
        source: reader.setting(table, "source", None, text),
        message_type: reader.setting(table, "message_type", None, text),
    };
    let file = reader.setting(table, "file", None, text);
    if wanted == SchemaFor::default() {
        let why = "[[schemas]] say which letters it is for: `source`, `message_type` or both";
        reader.fault(place.clone(), why);
    }
    let Some(file) = file else {
        reader.fault(place, "[[schemas]] name the schema's `file`");
        return None;
    };
    let schema = contents(&reader.beside(&file))
        .and_then(|text| Schema::read(&file, wanted, &text))
        .map_err(|why| reader.fault(place, format!("the schema {file} cannot be used: {why}")));
    schema.ok()
}

/// A schema's text. What is much too large is not read.
fn contents(path: &PathBuf) -> Result<Vec<u8>, String> {
    let size = std::fs::metadata(path).map_err(|why| why.to_string())?.len();
    let most = u64::try_from(MOST_SCHEMA_BYTES).unwrap_or(u64::MAX);
    if size > most {
        return Err(format!("it has {size} bytes; at most {most} are taken"));
    }
    std::fs::read(path).map_err(|why| why.to_string())
}
