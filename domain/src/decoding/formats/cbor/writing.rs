//! Writing values of CBOR again.

use chrono::DateTime;
use ciborium::Value as Packed;
use ciborium::value::Integer;
use serde_json::{Map, Value};

use super::super::rewriting::{TypedValue, bytes_of, items, members, octets_of, whole_of};
use super::super::{Gauge, MOST_LEVELS};
use super::{SELF_DESCRIBED, unpacked};

/// Writes other values in the place of those of a message.
///
/// # Errors
/// Returns why that cannot be done.
pub fn write(mut original: &[u8], after: &Value) -> Result<Vec<u8>, String> {
    let before: Packed = ciborium::de::from_reader_with_recursion_limit(&mut original, MOST_LEVELS)
        .map_err(|why| why.to_string())?;
    let mut bytes = Vec::new();
    let after = before.replaced(after)?;
    ciborium::into_writer(&after, &mut bytes).map_err(|why| why.to_string())?;
    Ok(bytes)
}

impl TypedValue for Packed {
    fn read(&self) -> Result<Value, String> {
        unpacked(self.clone(), &mut Gauge::default())
    }

    fn changed(self, after: &Value) -> Result<Self, String> {
        Ok(match (self, after) {
            (Packed::Tag(tag @ (0 | SELF_DESCRIBED), inner), after) => {
                Packed::Tag(tag, Box::new(inner.replaced(after)?))
            }
            (Packed::Tag(1, _), Value::String(text)) if let Some(time) = time(text) => time,
            (Packed::Tag(tag, inner), Value::Object(members)) if tag_of(members) == Some(tag) => {
                let after = members.get("$value").unwrap_or(&Value::Null);
                Packed::Tag(tag, Box::new(inner.replaced(after)?))
            }
            (Packed::Map(entries), Value::Object(after_members))
                if octets_of(after).is_none() && tag_of(after_members).is_none() =>
            {
                Packed::Map(members(entries, after_members)?)
            }
            (Packed::Array(before), Value::Array(after)) => Packed::Array(items(&before, after)?),
            (Packed::Integer(_), after)
                if let Some(whole) = whole_of(after).and_then(Self::integer) =>
            {
                whole
            }
            (Packed::Float(_), Value::Number(number)) if let Some(number) = number.as_f64() => {
                Packed::Float(number)
            }
            (Packed::Bytes(_), after) if let Some(bytes) = bytes_of(after) => Packed::Bytes(bytes),
            (_, after) => Self::new(after),
        })
    }

    fn new(value: &Value) -> Self {
        match value {
            Value::Null => Packed::Null,
            Value::Bool(value) => Packed::Bool(*value),
            Value::Number(number) => number
                .as_i128()
                .and_then(Self::integer)
                .unwrap_or_else(|| Packed::Float(number.as_f64().unwrap_or(f64::NAN))),
            Value::String(text) => Packed::from(text.as_str()),
            Value::Array(values) => Packed::Array(values.iter().map(Self::new).collect()),
            Value::Object(members) => {
                if let Some(bytes) = octets_of(value) {
                    return Packed::Bytes(bytes);
                }
                if let Some(tag) = tag_of(members) {
                    let inner = members.get("$value").map_or(Packed::Null, Self::new);
                    return Packed::Tag(tag, Box::new(inner));
                }
                let entries = members
                    .iter()
                    .map(|(name, value)| (Packed::from(name.as_str()), Self::new(value)));
                Packed::Map(entries.collect())
            }
        }
    }

    fn text(text: &str) -> Self {
        Packed::from(text)
    }

    fn integer(number: i128) -> Option<Self> {
        Integer::try_from(number).ok().map(Packed::Integer)
    }

    fn is_text(&self) -> bool {
        Packed::is_text(self)
    }
}

/// The tag of `{"$tag": …, "$value": …}`; `None` if that is something else.
fn tag_of(members: &Map<String, Value>) -> Option<u64> {
    (members.len() == 2 && members.contains_key("$value")).then(|| members.get("$tag")?.as_u64())?
}

/// Seconds since 1970, as a whole number.
fn time(text: &str) -> Option<Packed> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    let is_whole = time.timestamp_subsec_nanos() == 0;
    is_whole.then(|| Packed::Tag(1, Box::new(Packed::from(time.timestamp()))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::read;
    use super::super::tests::packed;
    use super::*;
    use crate::decoding::formats::TWICE;
    use crate::decoding::formats::rewriting::is_same;

    fn order() -> Packed {
        let at = |tag, value| Packed::Tag(tag, Box::new(value));
        let pairs = vec![
            (Packed::from("id"), Packed::from(7)),
            (Packed::from("total"), Packed::from(2.0)),
            (Packed::from("word"), Packed::Bytes(b"a word".to_vec())),
            (Packed::from("at"), at(1, Packed::from(1_795_150_509_i64))),
            (Packed::from("when"), at(0, Packed::from("2026-11-20"))),
            (Packed::from("odd"), at(99, Packed::from(1))),
            (Packed::from("by"), Packed::Map(vec![(Packed::from(-3), Packed::Null)])),
            (Packed::from("tags"), Packed::Array(vec![Packed::Bytes(b"a".to_vec())])),
        ];
        at(SELF_DESCRIBED, Packed::Map(pairs))
    }

    #[test]
    fn what_is_the_same_is_written_as_it_was() {
        let bytes = packed(&order());
        assert_eq!(write(&bytes, &read(&bytes).expect("read")), Ok(bytes));
    }

    #[test]
    fn what_changed_is_of_the_kind_that_it_was() {
        let after = json!({
            "id": 8, "total": 3, "word": "another", "at": "2026-11-21T04:55:09Z", "when": "2026-11-21",
            "odd": {"$tag": 99, "$value": 2}, "by": {"-3": true, "-4": "new"}, "tags": ["a", "b"],
            "more": {"a": [null, {"$base64": "/w=="}]}
        });
        let written = write(&packed(&order()), &after).expect("written");
        assert!(written.starts_with(&[0xd9, 0xd9, 0xf7]));
        let value: Packed = ciborium::from_reader(&*written).expect("CBOR");
        let Packed::Tag(_, inner) = value else { panic!("{value:?}") };
        let Packed::Map(entries) = *inner else { panic!("{inner:?}") };
        let of = |name: &str| {
            &entries.iter().find(|one| one.0.as_text() == Some(name)).expect("a member").1
        };
        assert_eq!((of("id"), of("total")), (&Packed::from(8), &Packed::from(3.0)));
        assert_eq!(of("word"), &Packed::Bytes(b"another".to_vec()));
        assert!(of("at").is_tag() && of("when").is_tag());
        let by =
            vec![(Packed::from(-3), Packed::from(true)), (Packed::from(-4), Packed::from("new"))];
        assert_eq!(of("by"), &Packed::Map(by));
        let tags = [b"a", b"b"].map(|one| Packed::Bytes(one.to_vec()));
        assert_eq!(of("tags"), &Packed::Array(tags.to_vec()));
        assert!(is_same(&read(&written).expect("read"), &after));
    }

    #[test]
    fn what_would_lose_a_member_is_refused() {
        let twice = Packed::Map(vec![
            (Packed::from("a"), Packed::from(1)),
            (Packed::from("a"), Packed::from(2)),
        ]);
        assert_eq!(write(&packed(&twice), &json!({"a": 3})), Err(TWICE.to_owned()));
    }
}
