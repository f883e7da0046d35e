//! Schemas that people upload: what the message types of Protobuf and Avro are. What is known of them is in force for
//! all letters, as long as it is not removed.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The longest name, in bytes.
pub const MOST_NAME_BYTES: usize = 100;

/// Files of one schema.
pub const MOST_FILES: usize = 1_000;

/// All files of one schema, or its descriptor set, in bytes.
pub const MOST_BYTES: usize = 8 * 1024 * 1024;

/// Message types that one schema can have.
pub const MOST_MESSAGE_TYPES: usize = 5_000;

/// A schema as it is uploaded: `.proto` files, or what a compiler made of them, or `.avsc` files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewSchema {
    /// Its name: letters, digits, `.`, `-` and `_`. If it is in use, this is its next version.
    #[cfg_attr(
        feature = "openapi",
        schema(min_length = 1, max_length = 100, pattern = "^[A-Za-z0-9._-]+$")
    )]
    pub name: String,
    /// The text of `.proto` files by their paths, as other files import them; Google's well-known types need not be
    /// among them. Or that of `.avsc` files, each with a type of Avro or a list of them: they may refer to each other.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// A `google.protobuf.FileDescriptorSet` in base64, in place of files: `protoc --include_imports
    /// --descriptor_set_out=…` writes one.
    #[serde(default)]
    pub descriptor_set: Option<String>,
}

/// A version of a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Schema {
    /// Its name.
    pub name: String,
    /// Counts from 1 on for each name.
    pub version: i32,
    /// The paths of its files; empty for a descriptor set.
    pub files: Vec<String>,
    /// The full names of the message types in it, without those of imports that the product brings itself.
    pub message_types: Vec<String>,
    /// Who uploaded it.
    pub uploaded_by: String,
    /// When.
    pub uploaded_at: DateTime<Utc>,
    /// Whether letters are read by it: it is not removed, and the newest of its name. Senders may still write by an older
    /// one of Avro, so that is used, too.
    pub is_used: bool,
}

/// A version of a schema, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WholeSchema {
    /// The version.
    #[serde(flatten)]
    pub schema: Schema,
    /// The text of its files by their paths.
    pub texts: BTreeMap<String, String>,
    /// All versions of its name, the newest first.
    pub versions: Vec<i32>,
}

/// A schema of a schema registry, whose number stands before messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RegistrySchema {
    /// Its number.
    pub number: i32,
    /// When it was first seen.
    pub first_seen_at: DateTime<Utc>,
    /// `avro`, `protobuf` or `json`, once the registry told.
    pub format: Option<String>,
    /// The full names of the message types in it.
    pub message_types: Vec<String>,
    /// How often the registry was asked.
    pub asked: i32,
    /// Why it is not known yet.
    pub fault: Option<String>,
    /// When the registry is asked again, where one is configured; absent once it told.
    pub due_at: Option<DateTime<Utc>>,
}

/// Why a schema cannot be used. Nothing of it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaFault {
    /// The name is empty, too long, or holds other characters.
    Name,
    /// There are files and a descriptor set, or neither.
    Contents,
    /// It is too large.
    TooLarge,
    /// More message types than are taken.
    TooManyTypes(usize),
    /// Files of Protobuf and of Avro at once.
    Mixed,
    /// A path that no file has.
    Path(String),
    /// It cannot be read: what the compiler says.
    Unreadable(String),
    /// Nothing in it is a message type.
    NoTypes,
}

/// Whether files are of Avro, as their names say.
#[must_use]
pub fn is_avro(files: &BTreeMap<String, String>) -> bool {
    !files.is_empty() && files.keys().all(|path| is_avro_path(path))
}

/// Whether a file is of Avro, as its name says.
#[must_use]
pub fn is_avro_path(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("avsc"))
}

impl NewSchema {
    /// Checks all that can be told without reading the schema.
    ///
    /// # Errors
    /// Returns the first fault.
    pub fn check(&self) -> Result<(), SchemaFault> {
        let is_character = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !(1..=MOST_NAME_BYTES).contains(&self.name.len())
            || !self.name.chars().all(is_character)
            || self.name.chars().all(|c| c == '.')
        {
            return Err(SchemaFault::Name);
        }
        if self.files.is_empty() == self.descriptor_set.is_none() {
            return Err(SchemaFault::Contents);
        }
        let bytes: usize = self.files.iter().map(|(path, text)| path.len() + text.len()).sum();
        let set = self.descriptor_set.as_ref().map_or(0, |set| set.len() / 4 * 3);
        if self.files.len() > MOST_FILES || bytes + set > MOST_BYTES {
            return Err(SchemaFault::TooLarge);
        }
        let is_any_avro = self.files.keys().any(|path| is_avro_path(path));
        if is_any_avro && !is_avro(&self.files) {
            return Err(SchemaFault::Mixed);
        }
        let is_path = |path: &&String| {
            !path.is_empty()
                && path.len() <= 500
                && !path.starts_with('/')
                && !path.contains(['\0', '\\'])
        };
        match self.files.keys().find(|path| !is_path(path)) {
            Some(path) => Err(SchemaFault::Path(path.clone())),
            None => Ok(()),
        }
    }
}

impl fmt::Display for SchemaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => write!(
                f,
                "the name of a schema has 1 to {MOST_NAME_BYTES} letters, digits, `.`, `-` and `_`"
            ),
            Self::Contents => f.write_str("give either `files` or a `descriptor_set`"),
            Self::TooLarge => write!(
                f,
                "a schema has at most {MOST_FILES} files and {} MiB: upload it in parts, each under a name of its own",
                MOST_BYTES / 1024 / 1024
            ),
            Self::TooManyTypes(types) => write!(
                f,
                "it has {types} message types, and at most {MOST_MESSAGE_TYPES} are taken: upload those that are sent"
            ),
            Self::Mixed => f.write_str(
                "`.avsc` files stand alone: upload them under one name and the files of Protobuf under another",
            ),
            Self::Path(path) => write!(
                f,
                "`{path}` is not a path as a file is imported by: `shop/v1/orders.proto` is one"
            ),
            Self::Unreadable(why) => write!(f, "the schema cannot be read: {why}"),
            Self::NoTypes => f.write_str("nothing in it is a message type"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(name: &str, path: &str) -> NewSchema {
        let files = BTreeMap::from([(path.to_owned(), "syntax = \"proto3\";".to_owned())]);
        NewSchema { name: name.to_owned(), files, descriptor_set: None }
    }

    #[test]
    fn names_paths_and_contents_are_checked() {
        assert_eq!(new("shop.v1", "shop/orders.proto").check(), Ok(()));
        for name in ["", "a b", "ä", "..", &"a".repeat(101)] {
            assert_eq!(new(name, "a.proto").check(), Err(SchemaFault::Name), "{name}");
        }
        for path in ["", "/a.proto", "a\0.proto", "a\\b.proto"] {
            assert_eq!(new("a", path).check(), Err(SchemaFault::Path(path.to_owned())));
        }
        let mut mixed = new("a", "a.proto");
        mixed.files.insert("b.AVSC".to_owned(), "\"int\"".to_owned());
        assert_eq!(mixed.check(), Err(SchemaFault::Mixed));
        let both = NewSchema { descriptor_set: Some(String::new()), ..new("a", "a.proto") };
        assert_eq!(both.check(), Err(SchemaFault::Contents));
        let neither = NewSchema { files: BTreeMap::new(), ..new("a", "a.proto") };
        assert_eq!(neither.check(), Err(SchemaFault::Contents));
        let large = NewSchema {
            files: BTreeMap::from([("a.proto".to_owned(), "x".repeat(MOST_BYTES))]),
            ..new("a", "a.proto")
        };
        assert_eq!(large.check(), Err(SchemaFault::TooLarge));
    }
}
