//! Writing values of CBOR again.

use chrono::DateTime;
use ciborium::Value as Packed;
use ciborium::value::Integer;
use serde_json::{Map, Value};

use super::super::rewriting::{bytes_of, is_same, octets_of, origins, whole_of};
use super::super::{Gauge, MOST_LEVELS, TWICE, key};
use super::{SELF_DESCRIBED, unpacked};

/// Writes other values in the place of those of a message.
///
/// # Errors
/// Returns why that cannot be done.
pub fn write(mut original: &[u8], after: &Value) -> Result<Vec<u8>, String> {
    let before: Packed = ciborium::de::from_reader_with_recursion_limit(&mut original, MOST_LEVELS)
        .map_err(|why| why.to_string())?;
    let mut bytes = Vec::new();
    let after = in_place_of(before, after)?;
    ciborium::into_writer(&after, &mut bytes).map_err(|why| why.to_string())?;
    Ok(bytes)
}

fn read(packed: &Packed) -> Result<Value, String> {
    unpacked(packed.clone(), &mut Gauge::default())
}

fn in_place_of(before: Packed, after: &Value) -> Result<Packed, String> {
    if is_same(&read(&before)?, after) {
        return Ok(before);
    }
    Ok(match (before, after) {
        (Packed::Tag(tag @ (0 | SELF_DESCRIBED), inner), after) => {
            Packed::Tag(tag, Box::new(in_place_of(*inner, after)?))
        }
        (Packed::Tag(1, _), Value::String(text)) if let Some(time) = time(text) => time,
        (Packed::Tag(tag, inner), Value::Object(members)) if tag_of(members) == Some(tag) => {
            let after = members.get("$value").unwrap_or(&Value::Null);
            Packed::Tag(tag, Box::new(in_place_of(*inner, after)?))
        }
        (Packed::Map(entries), Value::Object(members))
            if octets_of(after).is_none() && tag_of(members).is_none() =>
        {
            map(entries, members)?
        }
        (Packed::Array(items), Value::Array(values)) => {
            let read = items.iter().map(read).collect::<Result<Vec<_>, _>>()?;
            let items = origins(&read, values).into_iter().zip(values).map(|(origin, value)| {
                origin.map_or_else(|| Ok(new(value)), |at| in_place_of(items[at].clone(), value))
            });
            Packed::Array(items.collect::<Result<_, _>>()?)
        }
        (Packed::Integer(_), after) if let Some(whole) = whole_of(after).and_then(integer) => whole,
        (Packed::Float(_), Value::Number(number)) if let Some(number) = number.as_f64() => {
            Packed::Float(number)
        }
        (Packed::Bytes(_), after) if let Some(bytes) = bytes_of(after) => Packed::Bytes(bytes),
        (_, after) => new(after),
    })
}

/// Members in the order in which they stood, and then the new ones.
fn map(entries: Vec<(Packed, Packed)>, members: &Map<String, Value>) -> Result<Packed, String> {
    let mut left = members.clone();
    let has_texts = entries.iter().any(|(name, _)| name.is_text());
    let is_numbered = !entries.is_empty() && !has_texts;
    let mut written = Vec::new();
    let mut names = std::collections::HashSet::new();
    for (name, value) in entries {
        let told = key(read(&name)?);
        if !names.insert(told.clone()) {
            return Err(TWICE.to_owned());
        }
        if let Some(after) = left.remove(&told) {
            written.push((name, in_place_of(value, &after)?));
        }
    }
    for (name, value) in &left {
        let number = name.parse::<i128>().ok().filter(|_| is_numbered).and_then(integer);
        written.push((number.unwrap_or_else(|| Packed::from(name.as_str())), new(value)));
    }
    Ok(Packed::Map(written))
}

/// A value that nothing stood in the place of.
fn new(value: &Value) -> Packed {
    match value {
        Value::Null => Packed::Null,
        Value::Bool(value) => Packed::Bool(*value),
        Value::Number(number) => number
            .as_i128()
            .and_then(integer)
            .unwrap_or_else(|| Packed::Float(number.as_f64().unwrap_or(f64::NAN))),
        Value::String(text) => Packed::from(text.as_str()),
        Value::Array(values) => Packed::Array(values.iter().map(new).collect()),
        Value::Object(members) => {
            if let Some(bytes) = octets_of(value) {
                return Packed::Bytes(bytes);
            }
            if let Some(tag) = tag_of(members) {
                let inner = members.get("$value").map_or(Packed::Null, new);
                return Packed::Tag(tag, Box::new(inner));
            }
            let entries =
                members.iter().map(|(name, value)| (Packed::from(name.as_str()), new(value)));
            Packed::Map(entries.collect())
        }
    }
}

/// The tag of `{"$tag": …, "$value": …}`; `None` if that is something else.
fn tag_of(members: &Map<String, Value>) -> Option<u64> {
    (members.len() == 2 && members.contains_key("$value")).then(|| members.get("$tag")?.as_u64())?
}

fn integer(number: i128) -> Option<Packed> {
    Integer::try_from(number).ok().map(Packed::Integer)
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
    use super::*;

    fn packed(value: &Packed) -> Vec<u8> {
        let mut bytes = Vec::new();
        ciborium::into_writer(value, &mut bytes).expect("a Vec takes every write");
        bytes
    }

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
