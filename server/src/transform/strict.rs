//! Whether bytes are one JSON value, as the standard has it.
//!
//! jq takes more than that (comments, `NaN`) and silently drops one of two members of the same
//! name: what it does not keep must not go through it.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// Why bytes are not one JSON value.
#[derive(Debug, thiserror::Error)]
pub enum InvalidJson {
    /// They are not text.
    #[error("it is not UTF-8 after byte {}", .0.valid_up_to())]
    Encoding(#[from] std::str::Utf8Error),
    /// They are not JSON, or some of it would not be kept.
    #[error(transparent)]
    Syntax(#[from] serde_json::Error),
}

impl InvalidJson {
    /// `Invalid JSON at line 1, column 2: key must be a string`, to somebody who has the text at hand.
    #[must_use]
    pub fn to_author(&self) -> String {
        let Self::Syntax(error) = self else {
            return format!("Invalid JSON: {self}");
        };
        let (line, column, text) = (error.line(), error.column(), error.to_string());
        let place = format!(" at line {line} column {column}");
        let why = text.strip_suffix(&place).unwrap_or(&text);
        format!("Invalid JSON at line {line}, column {column}: {why}")
    }
}

/// Checks that bytes are one JSON value in UTF-8, no object of which has two members of one name.
///
/// # Errors
/// Returns what is wrong, and where.
pub fn check(bytes: &[u8]) -> Result<(), InvalidJson> {
    let text = std::str::from_utf8(bytes)?;
    serde_json::from_str::<Value>(text)?;
    Ok(())
}

/// A value that is not kept.
struct Value;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Look)
    }
}

struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Value, E> {
        Ok(Value)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Value, E> {
        Ok(Value)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Value, E> {
        Ok(Value)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Value, E> {
        Ok(Value)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Value, E> {
        Ok(Value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        while items.next_element::<Value>()?.is_some() {}
        Ok(Value)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            members.next_value::<Value>()?;
            if names.contains(&name) {
                let name: String = name.chars().take(64).collect();
                return Err(de::Error::custom(format!(
                    "an object has two members `{name}`, one of which would be lost"
                )));
            }
            names.insert(name);
        }
        Ok(Value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_json() {
        for text in [
            "null",
            " [1, 2.50, -3e-4] ",
            r#"{"a":{"a":1},"b":["x","\u00e9"]}"#,
            "123456789012345678901234567890",
        ] {
            assert!(check(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_jq_would_take_or_drop_in_silence_is_refused() {
        for (bytes, says) in [
            (&b""[..], "EOF"),
            (b"{} {}", "trailing"),
            (b"# note\n1", "expected value"),
            (b"NaN", "expected"),
            (b"[1,]", "trailing comma"),
            (b"\"\\ud800\"", "hex escape"),
            (b"1e400", "out of range"),
            (br#"{"a":1,"a":2}"#, "two members `a`"),
            (br#"[{"x":{"b":1,"b":1}}]"#, "two members `b`"),
            (b"\xff", "not UTF-8"),
        ] {
            let why = check(bytes).unwrap_err();
            let (why, says) = (why.to_string().to_lowercase(), says.to_lowercase());
            assert!(why.contains(&says), "{why} / {says}");
        }
        let deep = "[".repeat(100_000);
        assert!(check(deep.as_bytes()).is_err());
    }
}
