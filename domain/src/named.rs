//! Names that other systems give to their things. Some number them: a whole number is a name as well as a
//! text is.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// How a name is written: as a text, or as a whole number.
#[cfg(feature = "openapi")]
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Name {
    /// 1 to 255 bytes.
    Text(String),
    /// It stands for the text that it is written as.
    Number(i64),
}

/// The name that a value is: a text, or a whole number.
#[must_use]
pub fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

/// Reads a name.
pub(crate) fn name<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    some_name(input)?.ok_or_else(|| D::Error::custom("a name is null"))
}

/// Reads a name that may be null.
pub(crate) fn some_name<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    let value = Value::deserialize(input)?;
    if value.is_null() {
        return Ok(None);
    }
    let name = text_of(&value);
    name.map(Some).ok_or_else(|| D::Error::custom("a name is a text or a whole number"))
}

/// Whether a character that neither Postgres's `jsonb` nor a text of it can hold is in a value.
pub(crate) fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(members) => {
            members.iter().any(|(name, value)| name.contains('\0') || has_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a name stands in an address as it is: browsers take these for directions.
pub(crate) fn is_direction(name: &str) -> bool {
    matches!(name, "." | "..")
}
