//! What the values of Google's well-known types are as members of them: the other way round of reading them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::DateTime;
use serde_json::{Map, Value, json};

use super::super::super::rewriting::bytes_of;
use super::super::types::MessageId;
use super::{Writing, cut};

/// A second, in nanoseconds.
const SECOND: i64 = 1_000_000_000;

impl Writing<'_> {
    /// The members that a value of this type means.
    pub(super) fn meant(
        self,
        id: MessageId,
        before: &Map<String, Value>,
        after: &Value,
    ) -> Result<Map<String, Value>, String> {
        let name = self.types.name(id);
        let unfit = || format!("{name} does not take {}", cut(&after.to_string(), 64));
        let text = || after.as_str().ok_or_else(unfit);
        let Some(known) = name.strip_prefix("google.protobuf.") else {
            return after.as_object().cloned().ok_or_else(unfit);
        };
        Ok(match known {
            "Timestamp" => {
                let time = DateTime::parse_from_rfc3339(text()?).map_err(|_| unfit())?;
                seconds(time.timestamp(), time.timestamp_subsec_nanos().into())
            }
            "Duration" => duration(text()?).ok_or_else(unfit)?,
            "DoubleValue" | "FloatValue" | "Int64Value" | "UInt64Value" | "Int32Value"
            | "UInt32Value" | "BoolValue" | "StringValue" | "BytesValue" => one("value", after),
            "Struct" => one("fields", after),
            "ListValue" => one("values", after),
            "FieldMask" => one("paths", after),
            "Value" => match after {
                Value::Null => one("null_value", &json!(0)),
                Value::Bool(_) => one("bool_value", after),
                Value::Number(_) => one("number_value", after),
                Value::String(_) => one("string_value", after),
                Value::Array(_) => one("list_value", after),
                Value::Object(_) => one("struct_value", after),
            },
            "Any" => self.any(before, after.as_object().ok_or_else(unfit)?.clone())?,
            _ => after.as_object().cloned().ok_or_else(unfit)?,
        })
    }

    /// A message of any type: its value as octets.
    fn any(
        self,
        before: &Map<String, Value>,
        mut after: Map<String, Value>,
    ) -> Result<Map<String, Value>, String> {
        let kind = after.get("type_url").and_then(Value::as_str);
        let id = kind.and_then(|name| self.types.named(name));
        let is_same_kind = before.get("type_url") == after.get("type_url");
        let original = before.get("value").filter(|_| is_same_kind).and_then(bytes_of);
        if let (Some(id), Some(value)) = (id, after.get("value"))
            && bytes_of(value).is_none()
        {
            let written = self.message(id, &original.unwrap_or_default(), value)?;
            after.insert("value".to_owned(), json!({ "$base64": STANDARD.encode(written) }));
        }
        Ok(after)
    }
}

fn one(name: &str, value: &Value) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value.clone())])
}

/// Senders leave out what is 0.
fn seconds(seconds: i64, nanoseconds: i64) -> Map<String, Value> {
    let parts = [("seconds", seconds), ("nanos", nanoseconds)];
    let set = parts.into_iter().filter(|(_, number)| *number != 0);
    set.map(|(name, number)| (name.to_owned(), Value::from(number))).collect()
}

/// Seconds as the JSON form of Protobuf writes them: `1.500s`.
fn duration(text: &str) -> Option<Map<String, Value>> {
    let digits = text.strip_suffix('s')?;
    let (sign, digits) = digits.strip_prefix('-').map_or((1, digits), |digits| (-1, digits));
    let (whole, behind) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    if whole.is_empty() || behind.len() > 9 || !is_number(whole) || !is_number(behind) {
        return None;
    }
    let nanoseconds: i64 = format!("{behind:0<9}").parse().ok().filter(|part| *part < SECOND)?;
    Some(seconds(sign * whole.parse::<i64>().ok()?, sign * nanoseconds))
}
