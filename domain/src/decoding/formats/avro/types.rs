//! The schemas of Avro that people uploaded, as reading and ranking want them.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::super::names::TypeNames;
use super::super::ranked::{Others, Ranked};
use super::super::{BYTES_BEHIND, Gauge};
use super::binary::Bytes;
use super::fingerprint::fingerprint;
use super::fit::fit;
use super::schema::{Declared, Node, Schema, declared_name};
use super::writing;

/// Bytes that are read for one ranking, for all schemas together.
const MOST_READ_BYTES: usize = 512 * 1024;

/// A schema.
#[derive(Debug, Clone, PartialEq)]
pub struct AvroSchema {
    pub(super) schema: Schema,
    /// Its full name, if it has one.
    name: Option<String>,
    fingerprint: u64,
    /// Few bytes are an enum or a number, which proves nothing: values are found to be of records alone, and of others
    /// where a number or a fingerprint says so.
    is_record: bool,
}

/// Schemas by their names and fingerprints. A name may have several: senders go on writing by an older version.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AvroTypes {
    schemas: Vec<AvroSchema>,
    names: TypeNames,
    /// The schemas of each name, the newest first.
    of_name: Vec<Vec<AvroId>>,
    by_fingerprint: HashMap<u64, AvroId>,
}

/// Which of the schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AvroId(usize);

impl AvroSchema {
    /// Reads the records of files that may refer to each other: each file has a type, or a list of them.
    ///
    /// # Errors
    /// Returns why one of them cannot be used, with its path.
    pub fn read_files(files: &BTreeMap<String, String>) -> Result<Vec<Self>, String> {
        let mut types = Vec::new();
        for (path, text) in files {
            match json_of(path, text)? {
                Value::Array(all) => types.extend(all.into_iter().map(|json| (&**path, json))),
                one => types.push((&**path, one)),
            }
        }
        let others = declared(&types)?;
        let read = types.iter().map(|(path, json)| Self::read(path, json, &others));
        read.filter(|read| read.as_ref().map_or(true, |schema| schema.is_record)).collect()
    }

    /// Reads the type that one of the files is, whatever type that is. It may refer to types of the others.
    ///
    /// # Errors
    /// Returns why it cannot be used.
    pub fn read_one(path: &str, files: &BTreeMap<String, String>) -> Result<Self, String> {
        let types = files.iter().map(|(path, text)| Ok((&**path, json_of(path, text)?)));
        let types = types.collect::<Result<Vec<_>, String>>()?;
        let others = declared(&types)?;
        let own = types.iter().find(|(other, _)| *other == path);
        own.map_or_else(
            || Err(format!("{path} is not there")),
            |(path, json)| Self::read(path, json, &others),
        )
    }

    fn read(path: &str, json: &Value, others: &Declared<'_>) -> Result<Self, String> {
        let schema = Schema::of(json, others).map_err(|why| format!("{path}: {why}"))?;
        let root = schema.node(schema.root());
        let is_record = matches!(root, Node::Record(_));
        let name = schema.name(schema.root()).map(ToOwned::to_owned);
        Ok(Self { fingerprint: fingerprint(&schema), schema, name, is_record })
    }

    /// Its full name; what it is, where it has none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.schema.node(self.schema.root()).kind())
    }

    /// Its fingerprint (CRC-64-AVRO).
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

fn json_of(path: &str, text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|why| format!("{path} is not JSON: {why}"))
}

/// Types by their names, each of which one alone may have.
fn declared<'a>(types: &'a [(&str, Value)]) -> Result<Declared<'a>, String> {
    let mut others = Declared::new();
    for (path, json) in types {
        if let Some(name) = declared_name(json)
            && others.insert(name.clone(), json).is_some()
        {
            return Err(format!("{path} says what `{name}` is, and so does another type"));
        }
    }
    Ok(others)
}

impl AvroTypes {
    /// Of these schemas, the newest first.
    #[must_use]
    pub fn new(schemas: Vec<AvroSchema>) -> Self {
        let mut types = Self::default();
        for schema in schemas {
            let id = AvroId(types.schemas.len());
            if types.by_fingerprint.contains_key(&schema.fingerprint) {
                continue;
            }
            types.by_fingerprint.insert(schema.fingerprint, id);
            let Some(name) = schema.name.clone().filter(|_| schema.is_record) else {
                types.schemas.push(schema);
                continue;
            };
            let next = types.of_name.len();
            let place = types.names.place_of(&name, next);
            if place == next {
                types.of_name.push(Vec::new());
                types.names.add_endings(&name, place);
            }
            types.of_name[place].push(id);
            types.schemas.push(schema);
        }
        types
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.schemas.is_empty()
    }

    /// The schemas that a name means, the newest first: its full name, also behind a `/`, or the last part of it where
    /// no other one ends so.
    #[must_use]
    pub fn named(&self, name: &str) -> &[AvroId] {
        self.names.named(name).map_or(&[], |place| &self.of_name[place])
    }

    /// The schema that has this fingerprint (CRC-64-AVRO).
    #[must_use]
    pub fn with_fingerprint(&self, fingerprint: u64) -> Option<&AvroId> {
        self.by_fingerprint.get(&fingerprint)
    }

    /// The full name of a schema, if it has one.
    #[must_use]
    pub fn name(&self, id: AvroId) -> Option<&str> {
        self.schemas[id.0].name.as_deref()
    }

    /// Reads bytes that were written by a schema.
    ///
    /// # Errors
    /// Returns why they were not.
    pub fn read(&self, id: AvroId, bytes: &[u8]) -> Result<Value, String> {
        let schema = &self.schemas[id.0].schema;
        let mut bytes = Bytes(bytes);
        let value = bytes.value(schema, schema.root(), &mut Gauge::default())?;
        if bytes.0.is_empty() { Ok(value) } else { Err(BYTES_BEHIND.to_owned()) }
    }

    /// Writes another value in the place of one that was written by a schema.
    ///
    /// # Errors
    /// Returns why the schema does not allow that.
    pub fn write(&self, id: AvroId, original: &[u8], after: &Value) -> Result<Vec<u8>, String> {
        writing::write(&self.schemas[id.0].schema, original, after)
    }

    /// The schemas that bytes are likeliest of, the likeliest first, one of each name. `is_avro` says that the bytes are
    /// known to be of Avro.
    #[must_use]
    pub fn rank(&self, bytes: &[u8], is_avro: bool) -> Vec<Ranked<AvroId>> {
        let mut gauge = Gauge::default();
        let mut left = MOST_READ_BYTES.max(bytes.len());
        let mut fits = Vec::new();
        for versions in &self.of_name {
            let mut best: Option<(AvroId, f64)> = None;
            for id in versions {
                let fit = fit(&self.schemas[id.0].schema, bytes, &mut gauge);
                if let Some(bits) = fit.bits
                    && best.is_none_or(|(_, most)| bits > most)
                {
                    best = Some((*id, bits));
                }
                left = left.saturating_sub(fit.read);
            }
            fits.extend(best);
            if left == 0 {
                break;
            }
        }
        let others = Others { known: self.of_name.len(), is_format: is_avro, untyped: 0.0 };
        Ranked::among(fits, others)
    }
}
