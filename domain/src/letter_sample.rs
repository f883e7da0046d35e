//! A letter as an example of others: its failure, and the beginning of what it says.

use crate::letter::LetterSummary;
use crate::payload::{Content, Payload};

/// An excerpt has at most this many lines.
const MOST_LINES: usize = 24;

/// An excerpt has at most this many bytes of UTF-8.
const MOST_BYTES: usize = 2_000;

/// Of a binary body, at most this many hexadecimal digits are shown.
const MOST_HEX_DIGITS: usize = 64;

/// A letter, its stack trace, and the beginning of its body.
#[derive(Debug, Clone, PartialEq)]
pub struct LetterSample {
    /// The letter.
    pub letter: LetterSummary,
    /// The beginning of its stack trace, when something tells one.
    pub stack_trace: Option<Excerpt>,
    /// The beginning of its last body, made readable.
    pub body: Excerpt,
}

/// The beginning of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// Whether there is more of it.
    pub is_cut: bool,
}

impl Excerpt {
    /// The first lines of a text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let lines: usize = text.split_inclusive('\n').take(MOST_LINES).map(str::len).sum();
        let end = text.floor_char_boundary(lines.min(MOST_BYTES));
        Self { text: text[..end].trim_end().to_owned(), is_cut: !text[end..].trim().is_empty() }
    }

    /// The beginning of a body: values as JSON, text as it is, anything else in hexadecimal.
    #[must_use]
    pub fn of_body(body: &Payload) -> Self {
        let excerpt = match &body.content {
            Content::Empty => Self { text: String::new(), is_cut: false },
            Content::Json(value) => Self::of_text(&format!("{value:#}")),
            Content::Text(text) => Self::of_text(text),
            Content::Binary => {
                let hex = &body.first_bytes_hex;
                let end = hex.len().min(MOST_HEX_DIGITS);
                let text = format!("no text, in hexadecimal: {}", &hex[..end]);
                Self { text, is_cut: hex.len() > end }
            }
        };
        Self { is_cut: excerpt.is_cut || !body.whole, ..excerpt }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoding::Labels;
    use crate::payload::read_payload;

    fn of(bytes: &[u8]) -> Excerpt {
        let size = i64::try_from(bytes.len()).expect("small");
        Excerpt::of_body(&read_payload(bytes, size, Labels::default(), false))
    }

    #[test]
    fn values_are_told_as_json_and_text_as_it_is() {
        assert_eq!(of(br#"{"a":1}"#).text, "{\n  \"a\": 1\n}");
        assert_eq!(of("Grüße\n".as_bytes()), Excerpt { text: "Grüße".to_owned(), is_cut: false });
        assert_eq!(of(b"\x00\xff\x00").text, "no text, in hexadecimal: 00ff00");
        assert_eq!(of(b""), Excerpt { text: String::new(), is_cut: false });
    }

    #[test]
    fn what_is_long_is_cut_between_characters_and_says_so() {
        let lines = "line\n".repeat(MOST_LINES + 1);
        let told = of(lines.as_bytes());
        assert!(told.is_cut && told.text.lines().count() == MOST_LINES, "{told:?}");
        let told = of("ü".repeat(MOST_BYTES).as_bytes());
        assert!(told.is_cut && told.text.len() <= MOST_BYTES, "{}", told.text.len());
        assert!(of(&[0xff; 100]).is_cut);
    }
}
