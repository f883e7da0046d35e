//! What has a structure, read as one kind of value: JSON, whatever it was written in.
//!
//! What JSON has no form for is written so: octets that are no text are `{"$base64": "…"}`, numbers beyond 64 bits and
//! those that are not finite are texts, times are texts of RFC 3339, and keys that are no texts are written as JSON.

pub mod avro;
pub(super) mod cbor;
mod evidence;
pub(super) mod form;
pub(super) mod java;
pub(super) mod json;
pub(super) mod msgpack;
mod names;
pub(super) mod ndjson;
pub(super) mod php;
pub(super) mod pickle;
pub mod protobuf;
pub mod ranked;
pub(super) mod rewriting;
pub(super) mod xml;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, SecondsFormat};
use serde_json::{Map, Number, Value, json};

/// How deep values within values are followed.
const MOST_LEVELS: usize = 64;

/// How many values are read of one body.
pub(super) const MOST_VALUES: usize = 100_000;

pub(super) const TOO_MANY: &str = "it has more than 100,000 values";
const TOO_DEEP: &str = "it is nested more than 64 deep";
const TOO_SHORT: &str = "it ends too early";
const TWICE: &str = "it has two members of one name, one of which would be lost";
const BYTES_BEHIND: &str = "more bytes stand behind its end";

/// Counts the values of a body, and how deep it is in them.
#[derive(Debug, Default)]
struct Gauge {
    values: usize,
    level: usize,
}

impl Gauge {
    /// Counts a value.
    fn value(&mut self) -> Result<(), String> {
        self.values += 1;
        if self.values > MOST_VALUES { Err(TOO_MANY.to_owned()) } else { Ok(()) }
    }

    /// Goes into a value, which is left by `leave`.
    fn enter(&mut self) -> Result<(), String> {
        self.level += 1;
        if self.level > MOST_LEVELS { Err(TOO_DEEP.to_owned()) } else { Ok(()) }
    }

    fn leave(&mut self) {
        self.level -= 1;
    }

    /// Tries to read a value that may be none. What was tried stays counted, so that trying is bounded, too.
    fn attempt<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        let level = self.level;
        let read = read(self);
        self.level = level;
        read
    }
}

/// Octets as text, where they are one that a person could read.
fn octets(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text(text) => Value::from(text),
        _ => json!({ "$base64": STANDARD.encode(bytes) }),
    }
}

/// Whether a text has nothing in it that texts do not have.
pub(super) fn is_text(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'))
}

fn float(number: f64) -> Value {
    Number::from_f64(number).map_or_else(|| Value::from(number.to_string()), Value::Number)
}

/// A number of 32 bits, as short as it was before: 0.1 and not 0.10000000149011612.
fn single(number: f32) -> Value {
    float(number.to_string().parse().unwrap_or_else(|_| f64::from(number)))
}

fn whole(number: i128) -> Value {
    let small = i64::try_from(number).map(Value::from);
    small
        .or_else(|_| u64::try_from(number).map(Value::from))
        .unwrap_or(Value::from(number.to_string()))
}

/// A time, counted from 1970 on; a text of its seconds where it is none of our calendar.
fn time(seconds: i64, nanoseconds: u32) -> Value {
    match DateTime::from_timestamp(seconds, nanoseconds) {
        Some(time) => Value::from(time.to_rfc3339_opts(SecondsFormat::AutoSi, true)),
        None => Value::from(seconds.to_string()),
    }
}

/// Values as a list.
fn list<T>(values: Vec<T>, read: impl FnMut(T) -> Result<Value, String>) -> Result<Value, String> {
    values.into_iter().map(read).collect::<Result<Vec<_>, _>>().map(Value::Array)
}

/// Pairs as members.
fn map<T>(
    entries: Vec<(T, T)>,
    mut read: impl FnMut(T) -> Result<Value, String>,
) -> Result<Value, String> {
    let mut members = Map::new();
    for (name, value) in entries {
        members.insert(key(read(name)?)?, read(value)?);
    }
    Ok(Value::Object(members))
}

/// The longest name that is not a text, in bytes. Each level of keys within keys is quoted once more, so that it takes
/// twice as much as the one in it.
const MOST_KEY_BYTES: usize = 256;

/// The name of a member.
///
/// # Errors
/// Returns an error if it is not a text, and too long when it is written as JSON.
fn key(value: Value) -> Result<String, String> {
    let is_text = value.is_string();
    let key = simple_key(value);
    let is_short = is_text || key.len() <= MOST_KEY_BYTES;
    is_short
        .then_some(key)
        .ok_or_else(|| "a key that is not a text has more than 256 bytes".to_owned())
}

/// The name of a member that is a text, a number or a flag.
fn simple_key(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Adds a value to those of its name: a second one makes a list of them.
fn add(members: &mut Map<String, Value>, name: String, value: Value) {
    match members.get_mut(&name) {
        None => {
            members.insert(name, value);
        }
        Some(Value::Array(values)) => values.push(value),
        Some(first) => *first = json!([first.take(), value]),
    }
}
