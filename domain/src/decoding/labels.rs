//! How a body is written, as its sender says: whether that is known, and whether it holds. The bytes are kept
//! as they came whatever is said of them.

use encoding_rs::Encoding;

use super::coding;
use super::known_types::{KnownTypes, naming_headers};
use super::message_types::MessageTypes;
use crate::origin::Origin;
use crate::reading::cut;
use crate::wire::{FieldTable, Properties, WireText};

/// The longest name that is repeated in a note, in bytes.
const MOST_NAME_BYTES: usize = 64;

/// Content encodings that pack nothing. Some clients name a charset here.
const PLAIN: [&str; 4] = ["identity", "binary", "8bit", "7bit"];

/// What a sender says of a body, and what is known of message types.
#[derive(Debug, Clone, Copy, Default)]
pub struct Labels<'a> {
    /// The media type.
    pub content_type: Option<&'a str>,
    /// What it was packed in, with commas in between, in the order in which it was.
    pub content_encoding: Option<&'a str>,
    /// The message types that are known.
    pub known: KnownTypes<'a>,
}

/// What a message says of its body.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BodyHead {
    /// The media type.
    pub content_type: Option<String>,
    /// What it was packed in.
    pub content_encoding: Option<String>,
    /// What the message says that it is of.
    pub message_type: Option<WireText>,
    /// Those of its headers that may name its message type.
    pub headers: FieldTable,
    /// Where its headers say that it died.
    pub origin: Option<Origin>,
}

impl BodyHead {
    /// That of a message.
    #[must_use]
    pub fn of(properties: Properties, headers: FieldTable) -> Self {
        let text = |text: WireText| text.to_display().into_owned();
        Self {
            content_type: properties.content_type.map(text),
            content_encoding: properties.content_encoding.map(text),
            message_type: properties.kind,
            origin: Some(Origin::in_headers(&headers)),
            headers: naming_headers(headers),
        }
    }

    /// How the body is written, with these message types known.
    #[must_use]
    pub fn labels<'a>(&'a self, types: &'a MessageTypes) -> Labels<'a> {
        let content_type = self.content_type.as_deref();
        let known = KnownTypes::of(types, content_type, self.message_type.as_ref(), &self.headers);
        let known = self.origin.iter().fold(known, KnownTypes::died_in);
        Labels { content_type, content_encoding: self.content_encoding.as_deref(), known }
    }
}

impl Labels<'_> {
    /// The names of encodings in small letters, in the order in which they were applied.
    pub(super) fn encodings(self) -> Vec<String> {
        let names = self.content_encoding.unwrap_or_default().split(',');
        let names = names.map(|name| name.trim().to_ascii_lowercase());
        names.filter(|name| !name.is_empty()).collect()
    }

    /// The charset that is named, if it is known. Some clients name it as an encoding.
    pub(super) fn charset(self) -> Option<&'static Encoding> {
        let named = self.content_type.and_then(charset);
        named.into_iter().chain(self.encodings()).find_map(|name| known_charset(&name))
    }
}

/// A charset by its name in the WHATWG's Encoding standard, or as Python writes it.
fn known_charset(name: &str) -> Option<&'static Encoding> {
    let of = |name: &str| Encoding::for_label(name.as_bytes());
    of(name).or_else(|| of(&name.replace(['-', '_'], "")))
}

/// The encodings and charsets that a sender names and nobody knows, as sentences.
pub(crate) fn unknown_names(labels: Labels<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    for name in labels.encodings() {
        let is_known = coding::named(&name).is_some()
            || PLAIN.contains(&&*name)
            || known_charset(&name).is_some();
        if !is_known {
            remarks.push(unknown("content encoding", &name));
        }
    }
    if let Some(charset) = labels.content_type.and_then(charset)
        && known_charset(&charset).is_none()
    {
        remarks.push(unknown("charset", &charset));
    }
    remarks
}

fn unknown(what: &str, name: &str) -> String {
    // Postgres keeps no NUL in a text.
    let name = cut(name, MOST_NAME_BYTES).replace('\0', "\u{fffd}");
    format!("The {what} `{name}` is not known: the body is kept as it came.")
}

fn charset(content_type: &str) -> Option<String> {
    let parameters = content_type.split(';').skip(1);
    let named = parameters.filter_map(|parameter| parameter.split_once('='));
    named
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        .map(|(_, value)| value.trim().trim_matches('"').to_ascii_lowercase())
        .find(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::tests::packed;
    use super::*;
    use crate::decoding::{Format, unpack_named};
    use crate::wire::{Field, FieldValue};

    const MOST: usize = 1024 * 1024;

    fn remarks(labels: Labels<'_>, bytes: &[u8], whole: bool) -> Vec<String> {
        let mut remarks = unpack_named(labels, bytes, whole, MOST).faults;
        remarks.extend(unknown_names(labels));
        remarks
    }

    fn of_encoding(name: &str, bytes: &[u8]) -> Vec<String> {
        let labels = Labels { content_encoding: Some(name), ..Labels::default() };
        remarks(labels, bytes, true)
    }

    fn of_type(name: &str) -> Vec<String> {
        remarks(Labels { content_type: Some(name), ..Labels::default() }, b"x", true)
    }

    #[test]
    fn what_is_known_and_holds_needs_no_remark() {
        for name in ["", "identity", "UTF-8", "binary", "latin-1", "utf_8", "cp1251"] {
            assert_eq!(of_encoding(name, b"x"), [""; 0], "{name}");
        }
        for name in ["gzip", "GZIP", "x-gzip", "identity, gzip"] {
            assert_eq!(of_encoding(name, &packed(Format::Gzip, b"{}")), [""; 0], "{name}");
        }
        for kind in ["text/plain; charset=\"UTF-8\"", "application/json", "x;y"] {
            assert_eq!(of_type(kind), [""; 0], "{kind}");
        }
    }

    #[test]
    fn of_headers_those_are_kept_that_may_name_a_type() {
        let headers = [("x-protobuf-message", "shop.Order"), ("tenant", "acme"), ("type", "")];
        let mut headers: Vec<Field> = headers
            .iter()
            .map(|(name, value)| Field {
                name: (*name).into(),
                value: FieldValue::LongString((*value).into()),
            })
            .collect();
        let long = FieldValue::LongString("x".repeat(100_000).into());
        headers.push(Field { name: "message_type".into(), value: long });
        let head = BodyHead::of(Properties::default(), FieldTable(headers));
        let kept: Vec<_> = head.headers.0.iter().filter_map(|field| field.name.as_str()).collect();
        assert_eq!(kept, ["x-protobuf-message", "type"]);
    }

    #[test]
    fn unknown_names_are_told_and_cut() {
        let told = of_encoding("gzip2", b"x");
        assert!(told[0].contains("`gzip2` is not known"), "{told:?}");
        let told = of_type("text/plain;charset=klingon");
        assert!(told[0].contains("charset `klingon`"), "{told:?}");
        let told = of_encoding(&"é\0".repeat(5_000), b"x");
        assert!(told[0].len() < 200 && !told[0].contains('\0'), "{told:?}");
    }

    #[test]
    fn what_is_broken_or_called_by_another_name_is_told() {
        let good = packed(Format::Gzip, b"some text that is long enough to be cut");
        let mut wrong = good.clone();
        let last = wrong.len() - 6;
        wrong[last] ^= 0xff;
        for broken in [&b"no gzip"[..], b"", &good[..good.len() - 9], &wrong] {
            let told = of_encoding("gzip", broken);
            assert!(told[0].contains("cannot be unpacked"), "{told:?}");
        }
        let gzip = Labels { content_encoding: Some("gzip"), ..Labels::default() };
        assert_eq!(remarks(gzip, &good[..good.len() - 9], false), [""; 0]);
        let told = of_encoding("br", &good);
        assert_eq!(told, ["The sender calls the body br, but it is gzip."]);
    }

    #[test]
    fn a_bomb_is_not_unpacked_to_its_end() {
        let mut bomb = packed(Format::Gzip, &vec![0; 16 * 1024 * 1024]);
        let last = bomb.len() - 6;
        bomb[last] ^= 0xff;
        assert_eq!(of_encoding("gzip", &bomb), [""; 0]);
    }
}
