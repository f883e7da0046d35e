//! Properties and headers that a framework wrote as JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::failure::time_of;
use crate::wire::{Field, FieldTable, FieldValue, MOST_LEVELS, Properties, WireText};

/// How the names of properties are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// `content_type`, as Ruby's clients do.
    Snake,
    /// `ContentType`, as .NET's client does.
    Pascal,
}

/// Reads them. What is missing, or is not what it should be, is left out.
pub(super) fn read(listed: &Value, names: Names) -> (Properties, FieldTable) {
    let of = |name: &str| match names {
        Names::Snake => listed.get(name),
        Names::Pascal => listed.get(pascal(name)),
    };
    let text = |name| match of(name)? {
        Value::String(text) if !text.is_empty() => Some(WireText::from(text.as_str())),
        Value::Number(number) => Some(WireText::from(number.to_string())),
        _ => None,
    };
    let small = |name| of(name)?.as_u64().and_then(|number| u8::try_from(number).ok());
    let properties = Properties {
        content_type: text("content_type"),
        content_encoding: text("content_encoding"),
        delivery_mode: small("delivery_mode").filter(|mode| *mode > 0),
        priority: small("priority"),
        correlation_id: text("correlation_id"),
        reply_to: text("reply_to"),
        expiration: text("expiration"),
        message_id: text("message_id"),
        timestamp: of("timestamp").and_then(seconds),
        kind: text("type"),
        user_id: text("user_id"),
        app_id: text("app_id"),
        cluster_id: text("cluster_id"),
    };
    let mut headers = of("headers").map(table).unwrap_or_default();
    if names == Names::Pascal {
        unpack_texts(&mut headers);
    }
    (properties, headers)
}

/// The members of an object as headers.
pub(super) fn table(value: &Value) -> FieldTable {
    table_at(value, 0)
}

fn table_at(value: &Value, level: usize) -> FieldTable {
    let members = value.as_object().into_iter().flatten();
    FieldTable(
        members
            .map(|(name, value)| Field {
                name: name.as_str().into(),
                value: field_at(value, level + 1),
            })
            .collect(),
    )
}

/// A value as a header has it.
pub(super) fn field(value: &Value) -> FieldValue {
    field_at(value, 1)
}

/// A value that lies so deep; what lies deeper than headers are taken apart is a text of JSON.
fn field_at(value: &Value, level: usize) -> FieldValue {
    match value {
        Value::Null => FieldValue::Void,
        Value::Bool(is_so) => FieldValue::Boolean(*is_so),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => {
                i32::try_from(whole).map_or(FieldValue::LongLongInt(whole), FieldValue::LongInt)
            }
            (None, Some(broken)) => FieldValue::Double(broken.to_bits()),
            (None, None) => FieldValue::LongString(number.to_string().into()),
        },
        Value::String(text) => FieldValue::LongString(text.as_str().into()),
        deep @ (Value::Array(_) | Value::Object(_)) if level >= MOST_LEVELS => {
            FieldValue::LongString(deep.to_string().into())
        }
        Value::Array(values) => {
            FieldValue::Array(values.iter().map(|value| field_at(value, level + 1)).collect())
        }
        Value::Object(members) if let Some(bytes) = typed_bytes(members) => {
            FieldValue::LongString(bytes.into())
        }
        Value::Object(_) => FieldValue::Table(table_at(value, level + 1)),
    }
}

/// Bytes as .NET's Newtonsoft.Json writes them where it names types.
fn typed_bytes(members: &Map<String, Value>) -> Option<Vec<u8>> {
    let name = members.get("$type")?.as_str()?;
    let written = members.get("$value")?.as_str()?;
    name.starts_with("System.Byte[]").then(|| STANDARD.decode(written).ok())?
}

/// .NET's client hands texts over as bytes, which its JSON has as base64. Where all texts are that, they are unpacked.
fn unpack_texts(headers: &mut FieldTable) {
    let texts = headers.0.iter_mut().filter_map(|field| match &mut field.value {
        FieldValue::LongString(text) => Some(text),
        _ => None,
    });
    let unpacked: Option<Vec<_>> = texts
        .map(|text| {
            let bytes = STANDARD.decode(text.as_bytes()).ok()?;
            // Many a plain word is base64 of something else, and hardly one of a text.
            let is_text = bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
            is_text.then(|| (text, WireText::from(bytes)))
        })
        .collect();
    for (text, plain) in unpacked.into_iter().flatten() {
        *text = plain;
    }
}

/// Seconds since 1970, of a number of them or a time.
fn seconds(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().filter(|seconds| *seconds > 0),
        Value::String(text) => u64::try_from(time_of(text)?.timestamp()).ok(),
        _ => None,
    }
}

/// `content_type` as `ContentType`.
fn pascal(name: &str) -> String {
    let parts = name.split('_').map(|part| {
        let mut letters = part.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    parts.collect()
}
