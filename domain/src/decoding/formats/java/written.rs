//! Objects of Java, written as values.

use serde_json::{Map, Value, json};

use super::super::{key, octets, time};

/// A part of a stream.
pub(super) enum Part {
    /// Octets that a class wrote by itself.
    Block(Vec<u8>),
    /// A value.
    Value(Value),
    /// The end of what a class wrote.
    End,
}

/// An object by its fields and by what its classes wrote beside them.
pub(super) fn object(
    class: &str,
    mut fields: Map<String, Value>,
    data: Vec<Part>,
) -> Result<Value, String> {
    let kind = class.strip_prefix("java.util.");
    if matches!(
        class,
        "java.lang.Integer" | "java.lang.Long" | "java.lang.Double" | "java.lang.Float"
    ) || matches!(
        class,
        "java.lang.Short" | "java.lang.Byte" | "java.lang.Boolean" | "java.lang.Character"
    ) {
        return Ok(fields.remove("value").unwrap_or_default());
    }
    match kind {
        Some(
            "ArrayList" | "LinkedList" | "HashSet" | "LinkedHashSet" | "TreeSet" | "ArrayDeque"
            | "CollSer",
        ) => {
            return Ok(values(data).collect());
        }
        Some("HashMap" | "LinkedHashMap" | "TreeMap" | "Hashtable") => {
            let mut values = values(data);
            let mut members = Map::new();
            while let (Some(name), Some(value)) = (values.next(), values.next()) {
                members.insert(key(name)?, value);
            }
            return Ok(Value::Object(members));
        }
        Some("Date") => {
            if let [Part::Block(bytes)] = &data[..]
                && let Ok(milliseconds) = <[u8; 8]>::try_from(&bytes[..]).map(i64::from_be_bytes)
            {
                let nanoseconds =
                    u32::try_from(milliseconds.rem_euclid(1_000)).unwrap_or_default() * 1_000_000;
                return Ok(time(milliseconds.div_euclid(1_000), nanoseconds));
            }
        }
        _ => {}
    }
    fields.insert("$class".to_owned(), json!(class));
    let data: Vec<Value> = data
        .into_iter()
        .filter_map(|part| match part {
            Part::Block(bytes) => Some(octets(&bytes)),
            Part::Value(value) => Some(value),
            Part::End => None,
        })
        .collect();
    if !data.is_empty() {
        fields.insert("$data".to_owned(), Value::Array(data));
    }
    Ok(Value::Object(fields))
}

/// What is held: it stands behind a block with its number. A comparator may stand before that.
fn values(data: Vec<Part>) -> impl Iterator<Item = Value> {
    let held = data.into_iter().skip_while(|part| !matches!(part, Part::Block(_)));
    held.filter_map(|part| match part {
        Part::Value(value) => Some(value),
        Part::Block(_) | Part::End => None,
    })
}
