//! What the text of a letter is made of.

use std::borrow::Cow;

use serde_json::{Number, Value};

/// The most of a body that is searched as text, in bytes.
pub const MOST_TEXT_BYTES: usize = 256 * 1024;

/// Headers that a broker writes, and that say what the letter's queue, exchange and reason say.
const SAID_ELSEWHERE: [&str; 6] = [
    "x-first-death-exchange",
    "x-first-death-queue",
    "x-first-death-reason",
    "x-last-death-exchange",
    "x-last-death-queue",
    "x-last-death-reason",
];

/// A body as text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BodyText<'a> {
    /// As it came: all of it, or its beginning.
    AsItCame(&'a str),
    /// The beginning of what stands in it in another form.
    Read(String),
}

impl<'a> BodyText<'a> {
    /// That of a body that was found to begin with `excerpt`.
    pub(super) fn of(body: &'a [u8], excerpt: String) -> Self {
        if !body.starts_with(excerpt.as_bytes()) || excerpt.contains('\0') {
            return Self::Read(excerpt);
        }
        if excerpt.is_empty() {
            return Self::AsItCame("");
        }
        let is_known = || str::from_utf8(&body[..excerpt.len()]).expect("it equals a text");
        Self::AsItCame(plain(body).unwrap_or_else(is_known))
    }

    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::AsItCame(text) => text,
            Self::Read(text) => text,
        }
    }
}

/// A body that is text as a whole, or as far as it is looked at.
fn plain(body: &[u8]) -> Option<&str> {
    let begin = &body[..body.len().min(MOST_TEXT_BYTES)];
    let text = match str::from_utf8(begin) {
        Ok(text) => text,
        // A character was cut.
        Err(why) if why.error_len().is_none() && begin.len() < body.len() => {
            str::from_utf8(&begin[..why.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    (!text.contains('\0')).then_some(text)
}

/// The texts and numbers in headers, each on a line; `None` where there are none. In the order in which Postgres keeps
/// them.
pub(super) fn header_text(headers: &Value) -> Option<String> {
    let mut lines = Vec::new();
    for (_, value) in members(headers).into_iter().filter(|(name, _)| !is_said_elsewhere(name)) {
        add_lines(value, &mut lines);
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn is_said_elsewhere(name: &str) -> bool {
    SAID_ELSEWHERE.contains(&name)
}

fn add_lines<'a>(value: &'a Value, lines: &mut Vec<Cow<'a, str>>) {
    match value {
        Value::String(text) => lines.push(text.into()),
        Value::Number(number) => lines.push(digits(number).into()),
        Value::Array(elements) => {
            for element in elements {
                add_lines(element, lines);
            }
        }
        Value::Object(_) => {
            for (_, value) in members(value) {
                add_lines(value, lines);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Members as the type `jsonb` of Postgres orders them: the shortest names first.
fn members(value: &Value) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = value.as_object().into_iter().flatten().collect();
    members.sort_unstable_by_key(|(name, _)| (name.len(), name.as_bytes()));
    members
}

/// A number as the type `numeric` of Postgres writes it: without an exponent, and zero without a sign.
fn digits(number: &Number) -> String {
    let text = number.to_string();
    match number.as_f64() {
        Some(zero) if text.starts_with("-0") && zero == 0.0 => text[1..].to_owned(),
        Some(float) if text.contains('e') => float.to_string(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn headers_are_written_as_postgres_would() {
        let headers = json!({"bb": [1, "x", {"d": 1.5e-7, "c": true}], "a": 1e16, "C": -0.0,
            "x-first-death-queue": "work"});
        assert_eq!(
            header_text(&headers).as_deref(),
            Some("0.0\n10000000000000000\n1\nx\n0.00000015")
        );
        assert_eq!(header_text(&json!({"a": [null, true]})), None);
        assert_eq!(header_text(&json!({"a": ""})).as_deref(), Some(""));
    }

    #[test]
    fn a_body_is_text_as_far_as_it_is_text() {
        let text = |body: &[u8], excerpt: &str| {
            let text = BodyText::of(body, excerpt.to_owned());
            (matches!(text, BodyText::AsItCame(_)), text.as_str().len())
        };
        assert_eq!(text("größer".as_bytes(), "gr"), (true, 8));
        assert_eq!(text(b"text and \xff", "text"), (true, 4));
        assert_eq!(text("cut: ä".as_bytes().split_last().expect("octets").1, "cut"), (true, 3));
        assert_eq!(text(b"text\0", "text"), (true, 4));
        assert_eq!(text(b"\x1f\x8b", "unpacked"), (false, 8));
        assert_eq!(text(b"\xff", ""), (true, 0));
        let long = "ä".repeat(MOST_TEXT_BYTES);
        assert_eq!(text(long.as_bytes(), "ä"), (true, MOST_TEXT_BYTES));
        let odd = format!("x{long}");
        assert_eq!(text(odd.as_bytes(), "x"), (true, MOST_TEXT_BYTES - 1));
    }
}
