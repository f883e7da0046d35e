//! Reads tagged JSON in one pass. Replays read the headers of every letter, so that nothing is made on
//! the way that is thrown away again: where the type stands before the value, as Postgres and this
//! crate write it, the value is read as what it is. In any other order it is kept until the type is
//! known. What is nested deeper than [`MOST_LEVELS`] becomes octets ([`deep`]).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{self, DeserializeOwned, DeserializeSeed, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::entries::{Entry, Fields, Values};
use super::{WireJsonError, deep};
use crate::wire::value::{Field, FieldTable, FieldValue, MOST_LEVELS};

impl<'de> Deserialize<'de> for FieldValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Members { level: 0 }.deserialize(deserializer)?.value)
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Members { level: 0 }.deserialize(deserializer)?.field()
    }
}

impl<'de> Deserialize<'de> for FieldTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Fields { level: 0 }.deserialize(deserializer)
    }
}

/// The members of an entry of this level.
pub(super) struct Members {
    pub(super) level: usize,
}

impl<'de> DeserializeSeed<'de> for Members {
    type Value = Entry;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tagged field value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let level = self.level;
        let (mut name, mut type_name, mut value) = (None, None, None);
        let mut rest = Map::new();
        while let Some(key) = map.next_key()? {
            match (key, type_name) {
                (Key::Name, _) => name = Some(map.next_value()?),
                (Key::Type, _) => type_name = Some(map.next_value::<TypeName>()?.0),
                (Key::Value, Some(t)) if says_all(t) => {
                    let read = map.next_value_seed(Typed { kind: t, level });
                    value = Some(read.map_err(|why| de::Error::custom(unreadable(t, &why)))?);
                }
                (Key::Value, _) => {
                    rest.insert("value".to_owned(), map.next_value()?);
                }
                (Key::Other(key), _) => {
                    rest.insert(key, map.next_value()?);
                }
            }
        }
        let Some(t) = type_name else {
            return Err(de::Error::custom(WireJsonError::Missing("type")));
        };
        let value = value.map_or_else(|| assemble(t, level, &mut rest), Ok);
        let value = value.map_err(de::Error::custom)?;
        Ok(Entry { name, value })
    }
}

/// The types that there are, by their names.
const TYPES: [&str; 19] = [
    "boolean",
    "short_short_int",
    "short_short_uint",
    "short_int",
    "short_uint",
    "long_int",
    "long_uint",
    "long_long_int",
    "float",
    "double",
    "decimal",
    "short_string",
    "long_string",
    "array",
    "timestamp",
    "table",
    "byte_array",
    "void",
    "deep",
];

/// The type of this name.
pub(super) fn known_type(name: &str) -> Option<&'static str> {
    TYPES.into_iter().find(|known| *known == name)
}

struct TypeName(&'static str);

impl<'de> Deserialize<'de> for TypeName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = TypeName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an AMQP field type")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<TypeName, E> {
                known_type(name)
                    .map(TypeName)
                    .ok_or_else(|| E::custom(WireJsonError::UnknownType(name.to_owned())))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

enum Key {
    Name,
    Type,
    Value,
    Other(String),
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl Visitor<'_> for KeyVisitor {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's name")
            }

            fn visit_str<E: de::Error>(self, key: &str) -> Result<Key, E> {
                Ok(match key {
                    "name" => Key::Name,
                    "type" => Key::Type,
                    "value" => Key::Value,
                    other => Key::Other(other.to_owned()),
                })
            }
        }
        deserializer.deserialize_identifier(KeyVisitor)
    }
}

/// Whether the member `value` says all of a value of this type.
fn says_all(type_name: &str) -> bool {
    !matches!(type_name, "decimal" | "byte_array" | "deep" | "void")
}

/// A value whose type is known, and which stands in a table or an array of this level.
pub(super) struct Typed {
    kind: &'static str,
    level: usize,
}

impl Typed {
    /// A value that holds no other ones.
    pub(super) fn plain(kind: &'static str) -> Self {
        Self { kind, level: 0 }
    }
}

impl<'de> DeserializeSeed<'de> for Typed {
    type Value = FieldValue;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<FieldValue, D::Error> {
        let level = self.level + 1;
        Ok(match self.kind {
            "array" | "table" if self.level >= MOST_LEVELS => {
                let json = Box::<RawValue>::deserialize(d)?;
                FieldValue::Deep(deep::octets(self.kind, json.get()).map_err(de::Error::custom)?)
            }
            "boolean" => FieldValue::Boolean(Deserialize::deserialize(d)?),
            "short_short_int" => FieldValue::ShortShortInt(Deserialize::deserialize(d)?),
            "short_short_uint" => FieldValue::ShortShortUInt(Deserialize::deserialize(d)?),
            "short_int" => FieldValue::ShortInt(Deserialize::deserialize(d)?),
            "short_uint" => FieldValue::ShortUInt(Deserialize::deserialize(d)?),
            "long_int" => FieldValue::LongInt(Deserialize::deserialize(d)?),
            "long_uint" => FieldValue::LongUInt(Deserialize::deserialize(d)?),
            "long_long_int" => FieldValue::LongLongInt(Deserialize::deserialize(d)?),
            "timestamp" => FieldValue::Timestamp(Deserialize::deserialize(d)?),
            "float" => FieldValue::Float(f32::deserialize(d)?.to_bits()),
            "double" => FieldValue::Double(f64::deserialize(d)?.to_bits()),
            "short_string" => FieldValue::ShortString(Deserialize::deserialize(d)?),
            "long_string" => FieldValue::LongString(Deserialize::deserialize(d)?),
            "array" => FieldValue::Array(Values { level }.deserialize(d)?),
            "table" => FieldValue::Table(Fields { level }.deserialize(d)?),
            other => {
                let unknown = WireJsonError::UnknownType(other.to_owned());
                return Err(de::Error::custom(unknown));
            }
        })
    }
}

/// Makes a value of members that came before their type, or of which it takes more than one.
fn assemble(
    t: &'static str,
    level: usize,
    members: &mut Map<String, Value>,
) -> Result<FieldValue, WireJsonError> {
    Ok(match t {
        "float" if members.contains_key("bits") => FieldValue::Float(take(members, "bits", t)?),
        "double" if members.contains_key("bits") => FieldValue::Double(take(members, "bits", t)?),
        "decimal" => FieldValue::Decimal {
            scale: take(members, "scale", t)?,
            value: take(members, "value", t)?,
        },
        "byte_array" => FieldValue::ByteArray(take_octets(members, t)?),
        "deep" => FieldValue::Deep(take_octets(members, t)?),
        "void" => FieldValue::Void,
        _ => {
            let value = members.remove("value");
            let value = value.ok_or(WireJsonError::Missing("value"))?;
            Typed { kind: t, level }.deserialize(value).map_err(|why| unreadable(t, &why))?
        }
    })
}

fn take<T: DeserializeOwned>(
    members: &mut Map<String, Value>,
    member: &'static str,
    type_name: &str,
) -> Result<T, WireJsonError> {
    let value = members.remove(member).ok_or(WireJsonError::Missing(member))?;
    serde_json::from_value(value).map_err(|why| unreadable(type_name, &why))
}

fn take_octets(members: &mut Map<String, Value>, t: &str) -> Result<Vec<u8>, WireJsonError> {
    let encoded: String = take(members, "base64", t)?;
    octets_of(Some(&encoded), t)
}

/// The octets of a member `base64`.
pub(super) fn octets_of(encoded: Option<&str>, t: &str) -> Result<Vec<u8>, WireJsonError> {
    let encoded = encoded.ok_or(WireJsonError::Missing("base64"))?;
    STANDARD.decode(encoded).map_err(|why| unreadable(t, &why))
}

pub(super) fn unreadable(type_name: &str, why: &impl ToString) -> WireJsonError {
    WireJsonError::Value { type_name: type_name.to_owned(), why: why.to_string() }
}
