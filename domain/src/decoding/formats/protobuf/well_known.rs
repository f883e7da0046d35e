//! Google's well-known types, as people write what they mean (protobuf.dev/reference/protobuf/google.protobuf).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::super::time;
use super::typed::Reading;
use super::types::MessageType;

/// How deep messages of any type may stand within each other.
pub(super) const MOST_ANY_LEVELS: usize = 8;

/// What the members of a message mean. Those of a type that is not well known are what they are.
pub(super) fn read(
    reading: &mut Reading<'_>,
    message: &MessageType,
    mut members: Map<String, Value>,
) -> Value {
    let Some(name) = message.name.strip_prefix("google.protobuf.") else {
        return Value::Object(members);
    };
    let whole = |name: &str| members.get(name).and_then(Value::as_i64).unwrap_or_default();
    match name {
        "Timestamp" => time(whole("seconds"), u32::try_from(whole("nanos")).unwrap_or_default()),
        "Duration" => Value::from(duration(whole("seconds"), whole("nanos"))),
        "DoubleValue" | "FloatValue" | "Int64Value" | "UInt64Value" | "Int32Value"
        | "UInt32Value" | "BoolValue" | "StringValue" | "BytesValue" => {
            members.remove("value").unwrap_or_else(|| unset(name))
        }
        "Struct" => members.remove("fields").unwrap_or_else(|| Value::Object(Map::new())),
        "ListValue" => members.remove("values").unwrap_or_else(|| Value::Array(Vec::new())),
        "Value" => match members.into_iter().next() {
            Some((kind, _)) if kind == "null_value" => Value::Null,
            Some((_, value)) => value,
            None => Value::Null,
        },
        "FieldMask" => members.remove("paths").unwrap_or_else(|| Value::Array(Vec::new())),
        "Any" => any(reading, members),
        _ => Value::Object(members),
    }
}

/// What a wrapper holds that has nothing in it.
fn unset(name: &str) -> Value {
    match name {
        "BoolValue" => Value::Bool(false),
        "StringValue" | "BytesValue" => Value::from(""),
        "DoubleValue" | "FloatValue" => Value::from(0.0),
        _ => Value::from(0),
    }
}

/// Seconds as the JSON form of Protobuf writes them: `1.500s`.
fn duration(seconds: i64, nanoseconds: i64) -> String {
    let sign = if seconds < 0 || nanoseconds < 0 { "-" } else { "" };
    let (seconds, nanoseconds) = (seconds.unsigned_abs(), nanoseconds.unsigned_abs());
    if nanoseconds == 0 {
        return format!("{sign}{seconds}s");
    }
    let digits = format!("{nanoseconds:09}");
    format!("{sign}{seconds}.{}s", digits.trim_end_matches('0'))
}

/// A message of any type: its members, where that is known.
fn any(reading: &mut Reading<'_>, mut members: Map<String, Value>) -> Value {
    let known = members
        .get("type_url")
        .and_then(Value::as_str)
        .and_then(|name| reading.types.named(name))
        .zip(members.get("value").and_then(bytes_of));
    if let Some((id, bytes)) = known
        && let Some(value) = reading.within_any(id, &bytes)
    {
        members.insert("value".to_owned(), value);
    }
    Value::Object(members)
}

/// The octets that a value was made of.
fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.as_bytes().to_vec()),
        other => STANDARD.decode(other.get("$base64")?.as_str()?).ok(),
    }
}
