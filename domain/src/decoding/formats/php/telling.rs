//! What a serialised value says, as JSON.

use serde_json::{Map, Value, json};

use super::super::{float, octets, simple_key};
use super::{CLASS, ENUM, OWN, PRIVATE, PROTECTED, REFERENCE, Serialized, visible};

impl Serialized {
    pub(super) fn told(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Integer(number) => Value::from(*number),
            Self::Float(text) => float(number(text)),
            Self::Text(text) => octets(text),
            Self::Enum(name) => json!({ ENUM: octets(name) }),
            Self::Reference(_, number) => json!({ REFERENCE: number }),
            Self::Array(entries) => array(entries),
            Self::Object(class, entries) => object(class, entries),
            Self::Own(class, own) => json!({ CLASS: octets(class), OWN: octets(own) }),
        }
    }
}

fn number(text: &str) -> f64 {
    match text {
        "INF" => f64::INFINITY,
        "-INF" => f64::NEG_INFINITY,
        text => text.parse().unwrap_or(f64::NAN),
    }
}

/// A key as it is told: a text, whose octets may be none, or a number.
pub(super) fn name(key_of: &Serialized) -> String {
    match key_of {
        Serialized::Text(text) => String::from_utf8_lossy(text).into_owned(),
        other => simple_key(other.told()),
    }
}

/// Whether the keys of an array count from 0 on.
pub(super) fn is_list(entries: &[(Serialized, Serialized)]) -> bool {
    (0..).zip(entries).all(|(place, (name, _))| *name == Serialized::Integer(place))
}

fn array(entries: &[(Serialized, Serialized)]) -> Value {
    if is_list(entries) {
        return entries.iter().map(|(_, value)| value.told()).collect();
    }
    Value::Object(entries.iter().map(|(key, value)| (name(key), value.told())).collect())
}

fn object(class: &[u8], entries: &[(Serialized, Serialized)]) -> Value {
    let mut members = Map::new();
    members.insert(CLASS.to_owned(), octets(class));
    let (mut private, mut protected) = (Vec::new(), Vec::new());
    let class = String::from_utf8_lossy(class);
    for (key, value) in entries {
        let name = name(key);
        let (name, visibility) = visible(&class, &name);
        match visibility {
            Some(PRIVATE) => private.push(Value::from(&*name)),
            Some(_) => protected.push(Value::from(&*name)),
            None => {}
        }
        members.insert(name.into_owned(), value.told());
    }
    for (mark, names) in [(PRIVATE, private), (PROTECTED, protected)] {
        if !names.is_empty() {
            members.insert(mark.to_owned(), Value::Array(names));
        }
    }
    Value::Object(members)
}
