//! Writing values of MessagePack again.

use chrono::DateTime;
use rmpv::decode::read_value_with_max_depth;
use rmpv::{Utf8String, Value as Packed};
use serde_json::{Map, Value};

use super::super::rewriting::{
    TypedValue, base64_of, bytes_of, items, members, octets_of, single_of, whole_of,
};
use super::super::{Gauge, MOST_LEVELS};
use super::{TIMESTAMP, unpacked};

/// Writes other values in the place of those of a message.
///
/// # Errors
/// Returns why that cannot be done.
pub fn write(mut original: &[u8], after: &Value) -> Result<Vec<u8>, String> {
    let before =
        read_value_with_max_depth(&mut original, MOST_LEVELS).map_err(|why| why.to_string())?;
    let mut bytes = Vec::new();
    let after = before.replaced(after)?;
    rmpv::encode::write_value(&mut bytes, &after).map_err(|why| why.to_string())?;
    Ok(bytes)
}

impl TypedValue for Packed {
    fn read(&self) -> Result<Value, String> {
        unpacked(self.clone(), &mut Gauge::default())
    }

    fn changed(self, after: &Value) -> Result<Self, String> {
        Ok(match (self, after) {
            (Packed::Map(entries), Value::Object(after)) if base64_of(after).is_none() => {
                Packed::Map(members(entries, after)?)
            }
            (Packed::Array(before), Value::Array(after)) => Packed::Array(items(&before, after)?),
            (Packed::Integer(_), after)
                if let Some(whole) = whole_of(after).and_then(Self::integer) =>
            {
                whole
            }
            (Packed::F32(_), Value::Number(number)) => {
                let number = number.as_f64().unwrap_or(f64::NAN);
                single_of(number).map_or(Packed::F64(number), Packed::F32)
            }
            (Packed::F64(_), Value::Number(number)) if let Some(number) = number.as_f64() => {
                Packed::F64(number)
            }
            (Packed::Binary(_), after) if let Some(bytes) = bytes_of(after) => {
                Packed::Binary(bytes)
            }
            (Packed::Ext(TIMESTAMP, _), Value::String(text)) if let Some(time) = time(text) => time,
            (_, after) => Self::new(after),
        })
    }

    fn new(value: &Value) -> Self {
        match value {
            Value::Null => Packed::Nil,
            Value::Bool(value) => Packed::Boolean(*value),
            Value::Number(number) => number
                .as_i128()
                .and_then(Self::integer)
                .unwrap_or_else(|| Packed::F64(number.as_f64().unwrap_or(f64::NAN))),
            Value::String(text) => Packed::String(Utf8String::from(text.as_str())),
            Value::Array(values) => Packed::Array(values.iter().map(Self::new).collect()),
            Value::Object(members) => special(value, members).unwrap_or_else(|| {
                let entries = members
                    .iter()
                    .map(|(name, value)| (Packed::from(name.as_str()), Self::new(value)));
                Packed::Map(entries.collect())
            }),
        }
    }

    fn text(text: &str) -> Self {
        Packed::from(text)
    }

    fn integer(number: i128) -> Option<Self> {
        let small = i64::try_from(number).map(Packed::from);
        small.or_else(|_| u64::try_from(number).map(Packed::from)).ok()
    }

    fn is_text(&self) -> bool {
        self.is_str()
    }
}

/// What JSON has no form for.
fn special(value: &Value, members: &Map<String, Value>) -> Option<Packed> {
    if let Some(bytes) = octets_of(value) {
        return Some(Packed::Binary(bytes));
    }
    let kind = i8::try_from(members.get("$ext")?.as_i64()?).ok()?;
    (members.len() == 2).then(|| base64_of(members).map(|bytes| Packed::Ext(kind, bytes)))?
}

/// A time in the shortest of its forms.
fn time(text: &str) -> Option<Packed> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    let (seconds, nanoseconds) = (time.timestamp(), time.timestamp_subsec_nanos());
    let bytes = match (u32::try_from(seconds), u64::try_from(seconds)) {
        (Ok(seconds), _) if nanoseconds == 0 => seconds.to_be_bytes().to_vec(),
        (_, Ok(seconds)) if seconds >> 34 == 0 => {
            (u64::from(nanoseconds) << 34 | seconds).to_be_bytes().to_vec()
        }
        _ => [&nanoseconds.to_be_bytes()[..], &seconds.to_be_bytes()].concat(),
    };
    Some(Packed::Ext(TIMESTAMP, bytes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::read;
    use super::super::tests::packed;
    use super::*;
    use crate::decoding::formats::TWICE;

    fn order() -> Packed {
        Packed::Map(vec![
            (Packed::from("id"), Packed::from(7)),
            (Packed::from("ratio"), Packed::F32(1.5)),
            (Packed::from("total"), Packed::F64(2.0)),
            (Packed::from("word"), Packed::Binary(b"a word".to_vec())),
            (Packed::from("raw"), Packed::Binary(vec![0xff])),
            (Packed::from("at"), Packed::Ext(-1, 1_795_150_509_u32.to_be_bytes().to_vec())),
            (Packed::from("of"), Packed::Ext(5, vec![1])),
            (Packed::from("tags"), Packed::Array(vec![Packed::F32(0.5), Packed::F32(2.5)])),
            (Packed::from("by"), Packed::Map(vec![(Packed::from(3), Packed::Nil)])),
        ])
    }

    #[test]
    fn what_is_the_same_is_written_as_it_was() {
        let bytes = packed(&order());
        assert_eq!(write(&bytes, &read(&bytes).expect("read")), Ok(bytes));
    }

    #[test]
    fn what_changed_is_of_the_kind_that_it_was() {
        let bytes = packed(&order());
        let after = json!({
            "id": 8, "ratio": 0.1, "total": 3, "word": "another", "raw": {"$base64": "/wA="},
            "at": "2026-11-20T04:55:09.5Z", "of": {"$ext": 5, "$base64": "Ag=="}, "tags": [0.5, 1, 2.5],
            "by": {"3": true, "4": "new"}, "more": {"a": [null]}
        });
        let written = write(&bytes, &after).expect("written");
        let value = rmpv::decode::read_value(&mut &*written).expect("MessagePack");
        let Packed::Map(entries) = value else { panic!("{value:?}") };
        let of = |name: &str| {
            &entries.iter().find(|one| one.0.as_str() == Some(name)).expect("a member").1
        };
        assert_eq!(
            (of("id"), of("ratio"), of("total")),
            (&Packed::from(8), &Packed::F32(0.1), &Packed::F64(3.0))
        );
        assert_eq!(of("word"), &Packed::Binary(b"another".to_vec()));
        assert_eq!(of("raw"), &Packed::Binary(vec![0xff, 0]));
        assert_eq!(of("of"), &Packed::Ext(5, vec![2]));
        let tags = [0.5, 1.0, 2.5].map(Packed::F32);
        assert_eq!(of("tags"), &Packed::Array(tags.to_vec()));
        let by =
            vec![(Packed::from(3), Packed::from(true)), (Packed::from(4), Packed::from("new"))];
        assert_eq!(of("by"), &Packed::Map(by));
        let read = read(&written).expect("read");
        assert_eq!(
            (&read["at"], &read["more"]),
            (&json!("2026-11-20T04:55:09.500Z"), &json!({"a": [null]}))
        );
        let names: Vec<_> = entries.iter().filter_map(|one| one.0.as_str()).collect();
        assert_eq!(
            names,
            ["id", "ratio", "total", "word", "raw", "at", "of", "tags", "by", "more"]
        );
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
