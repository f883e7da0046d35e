//! The values of a body: most have so many that nobody asks for, that those of JSON are read when somebody does.

use std::sync::OnceLock;

use serde_json::Value;

use super::formats::json;

/// The values of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Read, all of them.
    Read(Value),
    /// Those of JSON that says the same to everybody.
    Json {
        /// Its outer members: objects within objects, with their texts, numbers and flags, and empty lists.
        outline: Value,
        /// The JSON; `None` where it is the body as it came.
        text: Option<String>,
    },
}

impl Values {
    /// The outer members at least.
    #[must_use]
    pub fn outer(&self) -> &Value {
        match self {
            Self::Read(value) => value,
            Self::Json { outline, .. } => outline,
        }
    }

    /// The JSON that has all of them, where not all are read. `body` is the body as it came.
    #[must_use]
    pub fn json<'a>(&'a self, body: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            Self::Read(_) => None,
            Self::Json { text, .. } => Some(text.as_deref().map_or(body, str::as_bytes)),
        }
    }

    /// What a JSON pointer (RFC 6901) leads to. `body` is the body as it came.
    #[must_use]
    pub fn at(&self, body: &[u8], pointer: &str) -> Option<Value> {
        match self.json(body) {
            Some(json) => json::at(json, pointer),
            None => self.outer().pointer(pointer).cloned(),
        }
    }
}

/// The values of a body, all of which can be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyValues<'a> {
    json: Option<&'a [u8]>,
    text: Option<String>,
    read: OnceLock<Value>,
}

impl<'a> BodyValues<'a> {
    /// Those of a body, of which it is known that they are these.
    #[must_use]
    pub fn new(values: Values, body: &'a [u8]) -> Self {
        let nothing = Self { json: None, text: None, read: OnceLock::new() };
        match values {
            Values::Read(value) => Self { read: value.into(), ..nothing },
            Values::Json { text: Some(text), .. } => Self { text: Some(text), ..nothing },
            Values::Json { text: None, .. } => Self { json: Some(body), ..nothing },
        }
    }

    /// All values.
    #[must_use]
    pub fn read(&self) -> &Value {
        self.read.get_or_init(|| {
            let json = self.json().unwrap_or_default();
            serde_json::from_slice(json).unwrap_or_default()
        })
    }

    /// The JSON that has them, where they are JSON that says the same to everybody.
    #[must_use]
    pub fn json(&self) -> Option<&[u8]> {
        self.json.or(self.text.as_deref().map(str::as_bytes))
    }

    /// Whether they are those of the body as it came.
    #[must_use]
    pub fn are_in_body(&self) -> bool {
        self.json.is_some()
    }

    /// Them as JSON, where they are not those of the body as it came.
    #[must_use]
    pub fn written(&self) -> Option<String> {
        match (&self.text, self.are_in_body()) {
            (Some(text), _) => Some(text.clone()),
            (None, true) => None,
            (None, false) => Some(self.read().to_string()),
        }
    }
}
