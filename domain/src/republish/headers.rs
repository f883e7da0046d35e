//! Headers that a replay leaves out or sets, in each of its letters.

mod text;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::globs::{GlobFault, Globs, MOST_GLOB_BYTES, MOST_GLOBS};
use crate::wire::{FieldTable, FieldValue};

/// The longest text that a header is set to, in bytes.
pub const MOST_SET_BYTES: usize = 4_096;

/// Headers to leave out and to set. A name that begins with `/` is a JSON pointer into a header that is a table:
/// `/laravel/attempts`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HeaderChanges {
    /// Headers that are not sent, by name; `*` stands for any characters.
    #[serde(default)]
    pub leave_out: Globs,
    /// Headers that are sent with this value, by name, whether the letter has them or not: texts, whole numbers,
    /// and `true` or `false`. A number keeps the width of the one that it replaces.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
}

/// What is wrong with changes of headers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadHeaders {
    /// A pattern.
    #[error("`leave_out`: {0}")]
    Pattern(#[from] GlobFault),
    /// There are too many to set.
    #[error("`set` has {0} headers; at most {MOST_GLOBS} are allowed")]
    TooMany(usize),
    /// A name that cannot be sent.
    #[error("`set`: a name has 1 to {MOST_GLOB_BYTES} bytes")]
    Name,
    /// A header that the broker or this office writes.
    #[error(
        "`{0}` is written by the broker or by this office, or sends copies to other queues: it cannot be set"
    )]
    Reserved(String),
    /// What is written in a line, and no change.
    #[error("`{0}` is not a change: write `-name` to leave a header out, `name=value` to set one")]
    NoChange(String),
    /// A value that cannot be sent.
    #[error(
        "`{0}` can be set to a text of at most {MOST_SET_BYTES} bytes, a whole number, `true` or `false`"
    )]
    Value(String),
}

impl HeaderChanges {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.leave_out.is_empty() && self.set.is_empty()
    }

    /// Whether they can be carried out.
    ///
    /// # Errors
    /// Returns the first fault.
    pub fn check(&self) -> Result<(), BadHeaders> {
        self.leave_out.check()?;
        if self.set.len() > MOST_GLOBS {
            return Err(BadHeaders::TooMany(self.set.len()));
        }
        for (name, value) in &self.set {
            let path = path_of(name);
            let fits = |part: &String| (1..=MOST_GLOB_BYTES).contains(&part.len());
            if path.is_empty() || !path.iter().all(fits) {
                return Err(BadHeaders::Name);
            }
            if is_reserved(&path[0]) {
                return Err(BadHeaders::Reserved(path[0].clone()));
            }
            let can_be_sent = match value {
                Value::String(text) => text.len() <= MOST_SET_BYTES,
                Value::Number(number) => number.is_i64(),
                Value::Bool(_) => true,
                Value::Null | Value::Array(_) | Value::Object(_) => false,
            };
            if !can_be_sent {
                return Err(BadHeaders::Value(name.clone()));
            }
        }
        Ok(())
    }

    /// Changes the headers of a letter.
    pub(super) fn apply(&self, headers: &mut FieldTable) -> Changed {
        let mut left_out = headers.strip(|name| self.leave_out.matches(name));
        for pattern in self.leave_out.patterns().iter().filter(|one| one.starts_with('/')) {
            let path = path_of(pattern);
            let gone = place_of(headers, &path).map(|(table, name)| table.strip(|one| one == name));
            if gone.is_some_and(|gone| !gone.is_empty()) {
                left_out.push(pattern.clone());
            }
        }
        let set = self.set.iter().filter_map(|(name, value)| {
            let path = path_of(name);
            let (table, member) = place_of(headers, &path)?;
            let before = put(table, member, value);
            let before = before.as_ref().and_then(short_text);
            Some(match before {
                Some(before) => format!("{name} {} instead of {before}", as_text(value)),
                None => format!("{name} {}", as_text(value)),
            })
        });
        Changed { set: set.collect(), left_out }
    }
}

/// What was changed in the headers of one letter.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changed {
    /// The names of those that were left out.
    pub(super) left_out: Vec<String>,
    /// Those that were set, each with its value and the one before.
    pub(super) set: Vec<String>,
}

/// Where a value is: the name of a header, and of members within it.
fn path_of(name: &str) -> Vec<String> {
    match name.strip_prefix('/') {
        Some(rest) => {
            rest.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
        }
        None => vec![name.to_owned()],
    }
}

fn is_reserved(name: &str) -> bool {
    name.starts_with("x-dlo-")
        || super::is_history(name)
        || super::is_of_interceptor(name)
        || super::copies_elsewhere(name)
}

fn inner<'a>(headers: &'a mut FieldTable, name: &str) -> Option<&'a mut FieldTable> {
    let field = headers.0.iter_mut().find(|field| field.name.as_bytes() == name.as_bytes())?;
    match &mut field.value {
        FieldValue::Table(table) => Some(table),
        _ => None,
    }
}

/// The table that a value is in, and the value's name there. `None` if a name before it is missing or is not a
/// table.
fn place_of<'a, 'b>(
    headers: &'a mut FieldTable,
    path: &'b [String],
) -> Option<(&'a mut FieldTable, &'b str)> {
    let (name, tables) = path.split_last()?;
    let table = tables.iter().try_fold(headers, |table, name| inner(table, name))?;
    Some((table, name))
}

/// Sets a value; returns the one before, if there was one.
fn put(table: &mut FieldTable, name: &str, value: &Value) -> Option<FieldValue> {
    let before = table.get(name).cloned();
    table.set(name, as_field(value, before.as_ref()));
    // A name may be there twice, and the last one would win.
    let mut is_there = false;
    table.0.retain(|field| {
        field.name.as_bytes() != name.as_bytes() || !std::mem::replace(&mut is_there, true)
    });
    before
}

/// A value as it is sent in place of another.
fn as_field(value: &Value, before: Option<&FieldValue>) -> FieldValue {
    match value {
        Value::Bool(is_so) => FieldValue::Boolean(*is_so),
        Value::Number(number) => as_wide_as(before, number.as_i64().unwrap_or_default()),
        other => FieldValue::LongString(as_text(other).into()),
    }
}

fn as_wide_as(before: Option<&FieldValue>, number: i64) -> FieldValue {
    let narrow = match before {
        Some(FieldValue::ShortShortInt(_)) => {
            i8::try_from(number).ok().map(FieldValue::ShortShortInt)
        }
        Some(FieldValue::ShortShortUInt(_)) => {
            u8::try_from(number).ok().map(FieldValue::ShortShortUInt)
        }
        Some(FieldValue::ShortInt(_)) => i16::try_from(number).ok().map(FieldValue::ShortInt),
        Some(FieldValue::ShortUInt(_)) => u16::try_from(number).ok().map(FieldValue::ShortUInt),
        Some(FieldValue::LongInt(_)) => i32::try_from(number).ok().map(FieldValue::LongInt),
        Some(FieldValue::LongUInt(_)) => u32::try_from(number).ok().map(FieldValue::LongUInt),
        _ => None,
    };
    narrow.unwrap_or(FieldValue::LongLongInt(number))
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A number, a truth value or the beginning of a text; `None` for what has no short form.
pub(super) fn short_text(value: &FieldValue) -> Option<String> {
    const MOST_SHOWN: usize = 40;
    if let FieldValue::Boolean(is_so) = value {
        return Some(is_so.to_string());
    }
    if let Some(number) = value.as_integer() {
        return Some(number.to_string());
    }
    let text = value.as_text()?.to_display();
    let short: String = text.chars().take(MOST_SHOWN).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    Some(format!("{short}{cut}"))
}

#[cfg(test)]
mod tests;
