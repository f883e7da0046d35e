//! What of a letter's last arrival is kept for searching: bounded, and in forms that a database
//! can look into. The bytes themselves are kept apart, whole.

mod text;

use std::sync::OnceLock;

use serde_json::{Map, Number, Value};

use crate::arrival::Delivered;
use crate::decoding::{BodyValues, Contents, Values};
use crate::reading::cut;
use crate::relations::Relations;
use crate::wire::{FieldTable, FieldValue};
use text::BodyText;
pub use text::MOST_TEXT_BYTES;

/// The longest text of a header that is kept, in bytes; the rest is cut.
pub const MOST_HEADER_BYTES: usize = 1024;
/// All headers together, in bytes, about; the later ones are left out.
const MOST_HEADERS_BYTES: usize = 16 * 1024;
/// How deep tables within tables are followed.
const MOST_DEPTH: usize = 16;

/// What is kept for searching.
#[derive(Debug, Clone, PartialEq)]
pub struct Extract<'a> {
    error_message: Option<&'a str>,
    body_text: BodyText<'a>,
    text: OnceLock<String>,
    /// The headers as plain JSON, without the death history.
    pub headers: Value,
    /// The values of the body, when it has a structure that is known and is not too large.
    pub body: Option<BodyValues<'a>>,
    /// What it has in common with other letters.
    pub relations: Relations,
    /// The number of a schema that stands before the body and that nobody knows: a schema registry may.
    pub unknown_schema: Option<u32>,
}

impl<'a> Extract<'a> {
    /// Takes what is kept out of an arrival in whose body this is. `error_message` is the letter's.
    #[must_use]
    pub fn of(
        delivered: &'a Delivered,
        relations: Relations,
        contents: Contents,
        error_message: Option<&'a str>,
    ) -> Self {
        Self {
            error_message,
            body_text: BodyText::of(&delivered.body, contents.excerpt.unwrap_or_default()),
            text: OnceLock::new(),
            headers: plain_headers(&delivered.headers),
            body: contents.values.map(|values| BodyValues::new(kept(values), &delivered.body)),
            relations,
            unknown_schema: contents.unknown_schema,
        }
    }

    /// The texts and numbers of the headers, the error message, and the body as text: the first 256 KiB of one that is plain
    /// text, and the beginning of what is in another. The case of A to Z is put aside.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let headers = text::header_text(&self.headers);
            let headers = headers.map(|headers| headers + "\n").unwrap_or_default();
            without_nul(headers).to_ascii_lowercase() + &self.message_and_body()
        })
    }

    /// What of the text is not in the headers, where the body does not say it as it came.
    #[must_use]
    pub fn kept_text(&self) -> Option<String> {
        matches!(self.body_text, BodyText::Read(_)).then(|| self.message_and_body())
    }

    /// How many bytes at the beginning of the body are text as they came; `None` where the text was read out of it
    /// otherwise.
    #[must_use]
    pub fn excerpt_bytes(&self) -> Option<usize> {
        match self.body_text {
            BodyText::AsItCame(text) => Some(text.len()),
            BodyText::Read(_) => None,
        }
    }

    fn message_and_body(&self) -> String {
        let body = self.body_text.as_str();
        let text = match self.error_message {
            Some(message) if body.is_empty() => message.to_owned(),
            Some(message) => format!("{message}\n{body}"),
            None => body.to_owned(),
        };
        without_nul(text).to_ascii_lowercase()
    }

    /// All values of the body.
    #[must_use]
    pub fn values(&self) -> Option<&Value> {
        self.body.as_ref().map(BodyValues::read)
    }
}

fn kept(values: Values) -> Values {
    match values {
        Values::Read(value) => Values::Read(storable(value)),
        // It has no NUL.
        json @ Values::Json { .. } => json,
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
    use crate::decoding::tests::packed;
    use crate::decoding::{Format, MOST_EXCERPT_BYTES, MessageTypes};
    use serde_json::json;

    fn with_body(body: &[u8]) -> Delivered {
        Delivered { body: body.to_vec(), ..Delivered::default() }
    }

    fn extract<'a>(delivered: &'a Delivered, error_message: Option<&'a str>) -> Extract<'a> {
        let contents = Contents::of(delivered, &MessageTypes::default());
        Extract::of(delivered, Relations::default(), contents, error_message)
    }

    #[test]
    fn text_and_json_are_taken_from_a_body() {
        let delivered = with_body(br#"{"Customer": {"id": 42}}"#);
        let extract = extract(&delivered, Some("Connection REFUSED"));
        assert_eq!(extract.text(), "connection refused\n{\"customer\": {\"id\": 42}}");
        assert_eq!(extract.values(), Some(&json!({"Customer": {"id": 42}})));
    }

    #[test]
    fn the_values_of_plain_json_are_not_kept_twice() {
        let kept = |delivered: &Delivered| {
            let extract = extract(delivered, None);
            let body = extract.body.as_ref().expect("values");
            (body.are_in_body(), body.written())
        };
        let json = br#"{"order": {"id": 1, "total": 9.50}, "lines": [{"sku": "a"}]}"#;
        assert_eq!(kept(&with_body(json)), (true, None));
        let mut zipped = with_body(&packed(Format::Gzip, json));
        zipped.properties.content_encoding = Some("gzip".into());
        let text = String::from_utf8(json.to_vec()).expect("text");
        assert_eq!(kept(&zipped), (false, Some(text)));
        let written = Some(r#"{"total":0.1}"#.to_owned());
        assert_eq!(kept(&with_body(br#"{"total": 0.1000000000000000000001}"#)), (false, written));
        let written = Some(r#"{"a":"b","c":"d"}"#.to_owned());
        assert_eq!(kept(&with_body(b"a=b&c=d")), (false, written));
        let event = br#"{"specversion": "1.0", "id": "1", "source": "/", "type": "t", "data": 1}"#;
        assert!(!kept(&with_body(event)).0, "an envelope is read whole");
    }

    #[test]
    fn what_postgres_cannot_hold_is_replaced() {
        let delivered = with_body(br#"{"a\u0000b": ["\u0000"]}"#);
        let values = json!({"a\u{fffd}b": ["\u{fffd}"]});
        assert_eq!(extract(&delivered, None).values(), Some(&values));
        assert_eq!(extract(&with_body(b"a\0b"), None).text(), "", "it is not text");
        assert_eq!(extract(&with_body(b""), Some("a\0b")).text(), "a\u{fffd}b");
    }

    #[test]
    fn large_bodies_are_kept_in_part() {
        let long = "ä".repeat(MOST_TEXT_BYTES);
        let text = |body: &[u8]| extract(&with_body(body), None).text().len();
        let has_values = |body: &[u8]| extract(&with_body(body), None).body.is_some();
        assert_eq!(text(long.as_bytes()), MOST_TEXT_BYTES);
        assert_eq!(text(&[long.as_bytes(), b"\xff"].concat()), MOST_TEXT_BYTES);
        assert_eq!(text(&[&long.as_bytes()[..9_000], b"\xff"].concat()), MOST_EXCERPT_BYTES);
        assert!(!has_values(format!("\"{long}\"").as_bytes()));
        assert_eq!(text(&[0xff, 0xfe]), 0);
        assert!(!has_values("[".repeat(60_000).as_bytes()));
    }

    #[test]
    fn headers_lose_their_types_and_nothing_else() {
        let mut delivered = Delivered::default();
        let headers = &mut delivered.headers;
        headers.set("n", FieldValue::LongInt(-7));
        headers.set("f", FieldValue::Double(f64::NAN.to_bits()));
        headers.set("d", FieldValue::Decimal { scale: 2, value: 150 });
        headers.set("x-death", FieldValue::Array(Vec::new()));
        let mut inner = FieldTable::default();
        inner.set("deep", FieldValue::LongString("a\0b".into()));
        headers.set("t", FieldValue::Table(inner));
        assert_eq!(
            extract(&delivered, None).headers,
            json!({"n": -7, "f": null, "d": 1.5, "t": {"deep": "a\u{fffd}b"}})
        );
    }

    #[test]
    fn many_headers_are_kept_up_to_a_bound() {
        let mut delivered = Delivered::default();
        for number in 0..100 {
            let text = "x".repeat(2 * MOST_HEADER_BYTES);
            delivered.headers.set(&format!("h{number}"), FieldValue::LongString(text.into()));
        }
        let kept = extract(&delivered, None).headers;
        let count = kept.as_object().map_or(0, Map::len);
        assert!((10..=16).contains(&count), "{count}");
    }
}
