//! Strings as they stood on the wire: any bytes, usually UTF-8.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string from the wire. AMQP promises UTF-8 for names only, so this holds bytes.
///
/// In JSON it is a plain string when it is UTF-8 without NUL, else `{"base64": "…"}`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WireText(Vec<u8>);

impl WireText {
    /// The bytes exactly as they came.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text for people: bytes that are not UTF-8, and NUL, become U+FFFD.
    #[must_use]
    pub fn to_display(&self) -> Cow<'_, str> {
        match String::from_utf8_lossy(&self.0) {
            text if text.contains('\0') => Cow::Owned(text.replace('\0', "\u{fffd}")),
            text => text,
        }
    }

    /// Whether Postgres can hold it as `text`, and JSON as a string.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !self.0.contains(&0) && std::str::from_utf8(&self.0).is_ok()
    }
}

impl From<&str> for WireText {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<String> for WireText {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

impl From<Vec<u8>> for WireText {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for WireText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_display(), f)
    }
}

impl Serialize for WireText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_str().filter(|text| !text.contains('\0')) {
            Some(text) => serializer.serialize_str(text),
            None => Encoded { base64: STANDARD.encode(&self.0) }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for WireText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = WireText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"a string or {"base64": "…"}"#)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<WireText, E> {
        Ok(text.into())
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<WireText, E> {
        Ok(text.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WireText, A::Error> {
        let members = de::value::MapAccessDeserializer::new(map);
        let Encoded { base64 } = Encoded::deserialize(members)?;
        let bytes = STANDARD.decode(base64).map_err(de::Error::custom)?;
        Ok(bytes.into())
    }
}

#[derive(Serialize, Deserialize)]
struct Encoded {
    base64: String,
}
