//! What of a letter's last arrival is kept for searching: bounded, and in forms that a database
//! can look into. The bytes themselves are kept apart, whole.

use serde_json::{Map, Number, Value};

use crate::decoding::Contents;
use crate::reading::cut;
use crate::relations::Relations;
use crate::wire::{FieldTable, FieldValue};

/// The longest text of a header that is kept, in bytes; the rest is cut.
pub const MOST_HEADER_BYTES: usize = 1024;
/// All headers together, in bytes, about; the later ones are left out.
const MOST_HEADERS_BYTES: usize = 16 * 1024;
/// How deep tables within tables are followed.
const MOST_DEPTH: usize = 16;

/// What is kept for searching.
#[derive(Debug, Clone, PartialEq)]
pub struct Extract {
    /// The error message and the beginning of the body, the case of A to Z put aside.
    pub text: String,
    /// The headers as plain JSON, without the death history.
    pub headers: Value,
    /// The values of the body, when it has a structure that is known and is not too large.
    pub body: Option<Value>,
    /// What it has in common with other letters.
    pub relations: Relations,
    /// The number of a schema that stands before the body and that nobody knows: a schema registry may.
    pub unknown_schema: Option<u32>,
}

impl Extract {
    /// Takes what is kept out of an arrival. `error_message` is the letter's.
    #[must_use]
    pub fn of(
        headers: &FieldTable,
        relations: Relations,
        contents: Contents,
        error_message: Option<&str>,
    ) -> Self {
        let text = match (error_message, contents.excerpt) {
            (Some(message), Some(excerpt)) => format!("{message}\n{excerpt}"),
            (Some(message), None) => message.to_owned(),
            (None, excerpt) => excerpt.unwrap_or_default(),
        };
        Self {
            text: without_nul(text).to_ascii_lowercase(),
            headers: plain_headers(headers),
            body: contents.value.map(storable),
            relations,
            unknown_schema: contents.unknown_schema,
        }
    }
}

/// JSON that Postgres can hold: NUL becomes U+FFFD.
fn storable(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_nul(text)),
        Value::Array(elements) => elements.into_iter().map(storable).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (without_nul(name), storable(value))).collect()
        }
        other => other,
    }
}

fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

fn plain_headers(headers: &FieldTable) -> Value {
    let mut kept = Map::new();
    let mut spent = 0;
    for field in &headers.0 {
        let name = field.name.to_display();
        if name == "x-death" || kept.contains_key(name.as_ref()) {
            continue;
        }
        let value = plain(&field.value, 0);
        spent += name.len() + value.to_string().len();
        if spent > MOST_HEADERS_BYTES {
            break;
        }
        kept.insert(name.into_owned(), value);
    }
    Value::Object(kept)
}

/// A header's value without its wire type. What JSON has no form for becomes null.
pub(crate) fn plain(value: &FieldValue, depth: usize) -> Value {
    let float = |number: f64| Number::from_f64(number).map_or(Value::Null, Value::Number);
    match value {
        _ if depth > MOST_DEPTH => Value::Null,
        FieldValue::Boolean(value) => Value::Bool(*value),
        FieldValue::Float(bits) => float(f64::from(f32::from_bits(*bits))),
        FieldValue::Double(bits) => float(f64::from_bits(*bits)),
        FieldValue::Decimal { scale, value } => {
            let text = format!("{value}e-{scale}");
            text.parse::<f64>().map_or(Value::Null, float)
        }
        FieldValue::ShortString(text) | FieldValue::LongString(text) => {
            Value::String(cut(&text.to_display(), MOST_HEADER_BYTES))
        }
        FieldValue::Array(elements) => {
            elements.iter().map(|element| plain(element, depth + 1)).collect()
        }
        FieldValue::Timestamp(seconds) => Value::from(*seconds),
        FieldValue::Table(table) => {
            let mut members = Map::new();
            for field in &table.0 {
                members
                    .entry(field.name.to_display().into_owned())
                    .or_insert_with(|| plain(&field.value, depth + 1));
            }
            Value::Object(members)
        }
        FieldValue::ByteArray(_) | FieldValue::Void => Value::Null,
        whole => whole.as_integer().map_or(Value::Null, Value::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrival::Delivered;
    use crate::decoding::{MOST_EXCERPT_BYTES, MOST_VALUE_BYTES, MessageTypes};
    use serde_json::json;

    fn contents(body: &[u8]) -> Contents {
        Contents::of(
            &Delivered { body: body.to_vec(), ..Delivered::default() },
            &MessageTypes::default(),
        )
    }

    fn of(body: &[u8]) -> Extract {
        Extract::of(&FieldTable::default(), Relations::default(), contents(body), None)
    }

    #[test]
    fn text_and_json_are_taken_from_a_body() {
        let extract = Extract::of(
            &FieldTable::default(),
            Relations::default(),
            contents(br#"{"Customer": {"id": 42}}"#),
            Some("Connection REFUSED"),
        );
        assert_eq!(extract.text, "connection refused\n{\"customer\": {\"id\": 42}}");
        assert_eq!(extract.body, Some(json!({"Customer": {"id": 42}})));
    }

    #[test]
    fn what_postgres_cannot_hold_is_replaced() {
        let extract = of(br#"{"a\u0000b": ["\u0000"]}"#);
        assert_eq!(extract.body, Some(json!({"a\u{fffd}b": ["\u{fffd}"]})));
        assert_eq!(of(b"a\0b").text, "", "that is no text");
    }

    #[test]
    fn large_bodies_are_kept_in_part() {
        let long = "ä".repeat(MOST_VALUE_BYTES);
        let extract = of(long.as_bytes());
        assert_eq!(extract.text.len(), MOST_EXCERPT_BYTES);
        let odd = format!("x{long}");
        assert_eq!(of(odd.as_bytes()).text.len(), MOST_EXCERPT_BYTES - 1);
        assert_eq!(of(format!("\"{long}\"").as_bytes()).body, None);
        assert_eq!(of(&[0xff, 0xfe]).text, "");
        assert_eq!(of("[".repeat(60_000).as_bytes()).body, None);
    }

    #[test]
    fn headers_lose_their_types_and_nothing_else() {
        let mut headers = FieldTable::default();
        headers.set("n", FieldValue::LongInt(-7));
        headers.set("f", FieldValue::Double(f64::NAN.to_bits()));
        headers.set("d", FieldValue::Decimal { scale: 2, value: 150 });
        headers.set("x-death", FieldValue::Array(Vec::new()));
        let mut inner = FieldTable::default();
        inner.set("deep", FieldValue::LongString("a\0b".into()));
        headers.set("t", FieldValue::Table(inner));
        let extract = Extract::of(&headers, Relations::default(), Contents::default(), None);
        assert_eq!(
            extract.headers,
            json!({"n": -7, "f": null, "d": 1.5, "t": {"deep": "a\u{fffd}b"}})
        );
    }

    #[test]
    fn many_headers_are_kept_up_to_a_bound() {
        let mut headers = FieldTable::default();
        for number in 0..100 {
            let text = "x".repeat(2 * MOST_HEADER_BYTES);
            headers.set(&format!("h{number}"), FieldValue::LongString(text.into()));
        }
        let kept = Extract::of(&headers, Relations::default(), Contents::default(), None).headers;
        let count = kept.as_object().map_or(0, Map::len);
        assert!((10..=16).contains(&count), "{count}");
    }
}
