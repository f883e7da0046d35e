//! JSON that is read as far as somebody asks: to look at all of it takes a fifth of the time of building its values.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Levels of objects that an outline has: an envelope is known by them.
const OUTLINE_LEVELS: usize = 3;

/// The most characters of a whole number, all of which fit into 64 bits.
const MOST_WHOLE: usize = 19;

/// The most digits of a number with a fraction, all of which a binary number of 64 bits keeps.
const MOST_DIGITS: usize = 15;

/// The outer values of JSON, all of which was looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// Objects within objects, with their texts, numbers and flags. Lists are empty, and so are objects further in.
    pub value: Value,
    /// Whether it says the same to everybody: it has no NUL, which Postgres cannot hold, and no number that has more
    /// digits than a binary number of 64 bits.
    pub is_plain: bool,
}

/// Reads the outer values of JSON.
///
/// # Errors
/// Returns why it is not JSON.
pub fn outline(json: &[u8]) -> Result<Outline, String> {
    let text = std::str::from_utf8(json).map_err(|why| why.to_string())?;
    let mut found = Found::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let outer = Outer { found: &mut found, level: 0 };
    let value = outer.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    let value = value.map_err(|why| why.to_string())?;
    let is_exact = || !found.has_fraction || numbers_are_short(json);
    Ok(Outline { value, is_plain: !found.has_nul && is_exact() })
}

/// What a JSON pointer (RFC 6901) leads to.
#[must_use]
pub fn at(json: &[u8], pointer: &str) -> Option<Value> {
    let mut value: &RawValue = serde_json::from_slice(json).ok()?;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        value = if value.get().starts_with('{') {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(value.get()).ok()?;
            members.get(&token).copied()?
        } else {
            let is_index = token == "0" || !token.starts_with(['0', '+']);
            let place: usize = token.parse().ok().filter(|_| is_index)?;
            let elements: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
            elements.get(place).copied()?
        };
    }
    serde_json::from_str(value.get()).ok()
}

/// Whether no number of valid JSON has more digits than a binary number of 64 bits keeps.
fn numbers_are_short(json: &[u8]) -> bool {
    let mut rest = json;
    while let Some(place) = rest.iter().position(|byte| is_of_number(*byte) || *byte == b'"') {
        rest = &rest[place..];
        let is_text = rest[0] == b'"';
        let length = if is_text { text_length(rest) } else { number_length(rest) };
        let (token, after) = rest.split_at(length);
        if !is_text && !is_short(token) {
            return false;
        }
        rest = after;
    }
    true
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'-'
}

fn number_length(json: &[u8]) -> usize {
    let is_more = |byte: &u8| is_of_number(*byte) || matches!(byte, b'.' | b'+' | b'e' | b'E');
    json.iter().position(|byte| !is_more(byte)).unwrap_or(json.len())
}

fn text_length(json: &[u8]) -> usize {
    let mut length = 1;
    while let Some(byte) = json.get(length) {
        match byte {
            b'"' => return length + 1,
            b'\\' => length += 2,
            _ => length += 1,
        }
    }
    json.len()
}

fn is_short(number: &[u8]) -> bool {
    if number.iter().any(|byte| matches!(byte, b'e' | b'E')) {
        return false;
    }
    if number.contains(&b'.') {
        return number.iter().filter(|byte| byte.is_ascii_digit()).count() <= MOST_DIGITS;
    }
    number.len() <= MOST_WHOLE
}

/// What was found while all of a value was looked at.
#[derive(Default)]
struct Found {
    has_nul: bool,
    has_fraction: bool,
}

impl Found {
    fn text(&mut self, text: &str) {
        self.has_nul |= text.as_bytes().contains(&0);
    }
}

/// Reads a value whose objects are followed for some levels.
struct Outer<'f> {
    found: &'f mut Found,
    level: usize,
}

impl<'de> DeserializeSeed<'de> for Outer<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Outer<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::from(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        self.found.has_fraction = true;
        Ok(Value::from(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        self.found.text(text);
        Ok(Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Value, A::Error> {
        self.found.visit_seq(elements)?;
        Ok(Value::Array(Vec::new()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let Self { found, level } = self;
        let mut members = Map::new();
        if level >= OUTLINE_LEVELS {
            found.visit_map(entries)?;
            return Ok(Value::Object(members));
        }
        while let Some(name) = entries.next_key::<String>()? {
            found.text(&name);
            let within = Outer { found: &mut *found, level: level + 1 };
            members.insert(name, entries.next_value_seed(within)?);
        }
        Ok(Value::Object(members))
    }
}

/// Looks at a value, and keeps nothing of it.
impl<'de> DeserializeSeed<'de> for &mut Found {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Found {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.has_fraction = true;
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.text(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while elements.next_element_seed(&mut *self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_key_seed(&mut *self)?.is_some() {
            entries.next_value_seed(&mut *self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
