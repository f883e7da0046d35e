//! The entries of tables and arrays, one after the other.

use std::fmt;

use serde::Deserializer;
use serde::de::{self, DeserializeSeed, SeqAccess, Visitor};

use super::WireJsonError;
use super::reading::Members;
use crate::wire::WireText;
use crate::wire::value::{Field, FieldTable, FieldValue};

/// An entry of a table, or of an array, where it has no name.
pub(super) struct Entry {
    pub(super) name: Option<WireText>,
    pub(super) value: FieldValue,
}

impl Entry {
    /// A field of a table, which needs a name.
    pub(super) fn field<E: de::Error>(self) -> Result<Field, E> {
        let missing = || E::custom(WireJsonError::Missing("name"));
        Ok(Field { name: self.name.ok_or_else(missing)?, value: self.value })
    }
}

/// The fields of a table whose values are of this level.
pub(super) struct Fields {
    pub(super) level: usize,
}

impl<'de> DeserializeSeed<'de> for Fields {
    type Value = FieldTable;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<FieldTable, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Fields {
    type Value = FieldTable;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence of named field values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<FieldTable, A::Error> {
        let mut table = FieldTable::default();
        while let Some(entry) = seq.next_element_seed(Members { level: self.level })? {
            table.0.push(entry.field()?);
        }
        Ok(table)
    }
}

/// The values of an array, which are of this level.
pub(super) struct Values {
    pub(super) level: usize,
}

impl<'de> DeserializeSeed<'de> for Values {
    type Value = Vec<FieldValue>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Vec<FieldValue>, D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Values {
    type Value = Vec<FieldValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence of field values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<FieldValue>, A::Error> {
        let mut values = Vec::new();
        while let Some(entry) = seq.next_element_seed(Members { level: self.level })? {
            values.push(entry.value);
        }
        Ok(values)
    }
}
