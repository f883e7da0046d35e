//! Field values to type-tagged JSON and back: `{"type": "long_int", "value": 7}`.

mod deep;
mod entries;
mod reading;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::value::{Field, FieldTable, FieldValue};

/// Why a piece of JSON is not a tagged field value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireJsonError {
    /// The entry is no object, or lacks a member.
    #[error("a field value needs the member `{0}`")]
    Missing(&'static str),
    /// The type is none of AMQP's.
    #[error("`{0}` is not an AMQP field type")]
    UnknownType(String),
    /// The value does not fit the type that is named beside it.
    #[error("the value of a {type_name} cannot be read: {why}")]
    Value {
        /// The type's name.
        type_name: String,
        /// What the reader said.
        why: String,
    },
}

impl FieldValue {
    fn write_members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("type", self.type_name())?;
        match self {
            Self::Boolean(v) => map.serialize_entry("value", v),
            Self::ShortShortInt(v) => map.serialize_entry("value", v),
            Self::ShortShortUInt(v) => map.serialize_entry("value", v),
            Self::ShortInt(v) => map.serialize_entry("value", v),
            Self::ShortUInt(v) => map.serialize_entry("value", v),
            Self::LongInt(v) => map.serialize_entry("value", v),
            Self::LongUInt(v) => map.serialize_entry("value", v),
            Self::LongLongInt(v) => map.serialize_entry("value", v),
            Self::Timestamp(v) => map.serialize_entry("value", v),
            Self::Float(bits) => write_float(map, f64::from(f32::from_bits(*bits)), bits),
            Self::Double(bits) => write_float(map, f64::from_bits(*bits), bits),
            Self::Decimal { scale, value } => {
                map.serialize_entry("scale", scale)?;
                map.serialize_entry("value", value)
            }
            Self::ShortString(v) | Self::LongString(v) => map.serialize_entry("value", v),
            Self::Array(v) => map.serialize_entry("value", v),
            Self::Table(v) => map.serialize_entry("value", v),
            Self::ByteArray(v) | Self::Deep(v) => {
                map.serialize_entry("base64", &STANDARD.encode(v))
            }
            Self::Void => Ok(()),
        }
    }
}

/// JSON has no NaN or infinity, and Postgres' numeric no negative zero: those go as bits.
fn write_float<M: SerializeMap>(
    map: &mut M,
    value: f64,
    bits: &impl Serialize,
) -> Result<(), M::Error> {
    if value.is_finite() && !(value == 0.0 && value.is_sign_negative()) {
        map.serialize_entry("value", &value)
    } else {
        map.serialize_entry("bits", bits)
    }
}

impl Serialize for FieldValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write_members(&mut map)?;
        map.end()
    }
}

impl Serialize for Field {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        self.value.write_members(&mut map)?;
        map.end()
    }
}

impl Serialize for FieldTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for field in &self.0 {
            seq.serialize_element(field)?;
        }
        seq.end()
    }
}

#[cfg(feature = "openapi")]
mod schema {
    use super::FieldTable;
    use crate::wire::WireText;
    use utoipa::openapi::{ArrayBuilder, ObjectBuilder, OneOfBuilder, RefOr, Schema, Type};

    impl utoipa::PartialSchema for FieldTable {
        fn schema() -> RefOr<Schema> {
            let entry = ObjectBuilder::new()
                .property("name", WireText::schema())
                .property("type", ObjectBuilder::new().schema_type(Type::String))
                .description(Some(
                    "A named AMQP value: `name`, `type`, and `value`, `base64` or `bits`.",
                ));
            ArrayBuilder::new().items(entry).into()
        }
    }

    impl utoipa::ToSchema for FieldTable {}

    impl utoipa::PartialSchema for WireText {
        fn schema() -> RefOr<Schema> {
            let text = || ObjectBuilder::new().schema_type(Type::String);
            let bytes = ObjectBuilder::new().property("base64", text()).required("base64");
            OneOfBuilder::new()
                .item(text())
                .item(bytes)
                .description(Some("Text; `{\"base64\": …}` when it is not UTF-8 or holds NUL."))
                .into()
        }
    }

    impl utoipa::ToSchema for WireText {}
}
