//! Text in charsets other than UTF-8.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::document::format_of;
use super::formats::is_text;
use super::labels::Labels;
use super::step::{Certainty, Evidence, Format, Step};

/// A charset other than UTF-8 that a text was read in, so that another one can be written in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Charset {
    encoding: &'static Encoding,
    has_mark: bool,
}

/// A text, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadText<'a> {
    /// The charset, by what it was known, and how many bytes it has.
    pub step: Step,
    /// The text.
    pub text: Cow<'a, str>,
}

/// Reads bytes, or the first of a text that is not `whole`, as text: UTF-8, a charset that their first bytes or the
/// sender names, else the one that they look like. `None` where they are no text that a person could read.
#[must_use]
pub fn read_text<'a>(labels: Labels<'_>, bytes: &'a [u8], whole: bool) -> Option<ReadText<'a>> {
    let of = |charset: &'static Encoding, evidence| {
        let (mut text, mut has_faults) = charset.decode_without_bom_handling(bytes);
        if has_faults && !whole {
            // The cut may fall within a character.
            text = Cow::Owned(text.trim_end_matches(char::REPLACEMENT_CHARACTER).to_owned());
            has_faults = text.contains(char::REPLACEMENT_CHARACTER);
        }
        let mut step = Step::new(Format::Text, evidence, bytes.len());
        step.detail = (charset != UTF_8).then(|| charset.name().to_owned());
        (!has_faults && is_text(&text)).then_some(ReadText { step, text })
    };
    if let Some((charset, length)) = Encoding::for_bom(bytes) {
        let rest = &bytes[length..];
        let (text, has_faults) = charset.decode_without_bom_handling(rest);
        let mut step = Step::new(Format::Text, Evidence::Magic, bytes.len());
        step.detail = Some(charset.name().to_owned());
        return (is_text(&text) && !(has_faults && whole)).then_some(ReadText { step, text });
    }
    if let Some(text) = of(UTF_8, Evidence::Rest) {
        return Some(text);
    }
    let named = labels.charset().map(|charset| (charset, Evidence::Label));
    let declared = declared(bytes).map(|charset| (charset, Evidence::Magic));
    let said = named.into_iter().chain(declared).filter(|(charset, _)| *charset != UTF_8);
    if let Some(text) = said.into_iter().find_map(|(charset, evidence)| of(charset, evidence)) {
        return Some(text);
    }
    let mut text = of(looks_like(bytes, whole)?, Evidence::Shape)?;
    text.step.certainty = Certainty::Likely;
    Some(text)
}

impl Charset {
    /// That of a text in another charset than UTF-8, with the text: the first bytes or the sender name it. `None` for
    /// anything else, and for what would not come out the same if it was written again.
    pub(super) fn named<'a>(
        labels: Labels<'_>,
        bytes: &'a [u8],
        whole: bool,
    ) -> Option<(Self, ReadText<'a>)> {
        let is_marked = Encoding::for_bom(bytes).is_some_and(|(encoding, _)| encoding != UTF_8);
        let is_said = || labels.charset().or_else(|| declared(bytes)).is_some();
        let is_text = || labels.content_type.and_then(format_of).is_none_or(Format::is_text);
        // Most bodies name none: what costs a look at every byte comes last.
        if !is_marked && (!is_said() || !is_text() || std::str::from_utf8(bytes).is_ok()) {
            return None;
        }
        Self::of(labels, bytes, whole).filter(|(_, read)| read.step.evidence != Evidence::Shape)
    }

    /// The same also where only the look of the bytes tells it.
    pub(super) fn of<'a>(
        labels: Labels<'_>,
        bytes: &'a [u8],
        whole: bool,
    ) -> Option<(Self, ReadText<'a>)> {
        let read = read_text(labels, bytes, whole)?;
        let encoding = Encoding::for_label(read.step.detail.as_ref()?.as_bytes())?;
        let has_mark = read.step.evidence == Evidence::Magic && Encoding::for_bom(bytes).is_some();
        let charset = Self { encoding, has_mark };
        let is_same = || charset.write(&read.text).is_ok_and(|again| again == bytes);
        (encoding != UTF_8 && (!whole || is_same())).then_some((charset, read))
    }

    /// A text in this charset.
    ///
    /// # Errors
    /// Returns why it cannot be written, as a sentence without its end.
    pub(super) fn write(self, text: &str) -> Result<Vec<u8>, String> {
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        let units = || mark.encode_utf16().chain(text.encode_utf16());
        if self.encoding == UTF_16LE {
            return Ok(units().flat_map(u16::to_le_bytes).collect());
        }
        if self.encoding == UTF_16BE {
            return Ok(units().flat_map(u16::to_be_bytes).collect());
        }
        let (bytes, _, has_faults) = self.encoding.encode(text);
        if has_faults {
            let is_missing = |c: &char| self.encoding.encode(c.encode_utf8(&mut [0; 4])).2;
            let missing = text.chars().find(is_missing).unwrap_or_default();
            return Err(format!("{} has no {missing:?}", self.encoding.name()));
        }
        Ok(bytes.into_owned())
    }
}

/// The charset that a document of XML says it is in.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    /// A declaration ends before.
    const MOST: usize = 200;
    let begin = bytes[..bytes.len().min(MOST)].strip_prefix(b"<?xml")?;
    let text = std::str::from_utf8(begin.split(|byte| *byte == b'>').next()?).ok()?;
    let (_, rest) = text.split_once("encoding")?;
    let name = rest.trim_start().strip_prefix('=')?.trim_start();
    Encoding::for_label(name.split(['"', '\'']).nth(1)?.as_bytes())
}

/// The charset of a text that nobody names; `None` for bytes that are not mostly the signs of one.
fn looks_like(bytes: &[u8], whole: bool) -> Option<&'static Encoding> {
    /// Fewer bytes look like anything.
    const LEAST: usize = 24;
    /// A text has at least so many letters of ASCII, spaces and digits among ten bytes, in the West.
    const PLAIN_OF_TEN: usize = 6;
    let is_plain = |byte: &&u8| byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace();
    if bytes.len() < LEAST {
        return None;
    }
    if bytes.iter().filter(is_plain).count() * 10 < bytes.len() * PLAIN_OF_TEN {
        return None;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, whole);
    Some(detector.guess(None, chardetng::Utf8Detection::Deny))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content_type: Option<&str>, bytes: &[u8]) -> Option<(String, String)> {
        let labels = Labels { content_type, ..Labels::default() };
        let read = read_text(labels, bytes, true)?;
        Some((read.text.into_owned(), read.step.says()))
    }

    fn told(text: &str, says: &str) -> (String, String) {
        (text.to_owned(), says.to_owned())
    }

    #[test]
    fn a_charset_is_known_by_its_first_bytes_its_name_or_its_look() {
        assert_eq!(read(None, "größer".as_bytes()), Some(told("größer", "text")));
        let utf16 = b"\xff\xfeg\0r\0\xf6\0";
        assert_eq!(read(None, utf16), Some(told("grö", "text (UTF-16LE), by its first bytes")));
        let latin = b"Die Stra\xdfe ist gesperrt und der K\xfcnde w\xe4hlt neu";
        let text = "Die Straße ist gesperrt und der Künde wählt neu";
        let named = Some(told(text, "text (windows-1252), as its sender says"));
        assert_eq!(read(Some("text/plain; charset=latin1"), latin), named);
        let seems = Some(told(text, "text (windows-1252), as it seems by its form"));
        assert_eq!(read(None, latin), seems);
        assert_eq!(read(Some("text/plain; charset=klingon"), latin), seems);
        let russian = b"\xcf\xf0\xe8\xe2\xe5\xf2";
        let named = Some(told("Привет", "text (windows-1251), as its sender says"));
        assert_eq!(read(Some("text/plain; charset=cp1251"), russian), named);
    }

    #[test]
    fn bytes_that_nobody_could_read_are_no_text() {
        let noise: Vec<u8> = (1..=255).map(|n: u8| n.wrapping_mul(151)).collect();
        for bytes in [&noise[..], b"a\0b", b"\xff\xff\xff\xff", b"\x01\x02"] {
            assert_eq!(read(None, bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_cut_within_a_character_is_no_fault() {
        let cut = &"größer".as_bytes()[..3];
        assert_eq!(read(None, cut), None);
        let text = read_text(Labels::default(), cut, false).expect("text");
        assert_eq!(text.text, "gr");
    }
}
