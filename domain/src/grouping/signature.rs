//! Signatures: what is equal of two failures, as one hash.
//!
//! A signature needs nothing but the letter itself, so every office computes the same. What follows
//! from other letters is the miner's.

use std::fmt;

use regex::Regex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::mask::Masker;
use super::rule;
use super::shared::Shared;
use super::stack::{self, Frame};
use crate::reading::Reading;

/// The version of everything that a signature depends on. It changes whenever a letter could get
/// another signature than before; signatures of different versions are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct SignatureVersion(pub i16);

/// The version of this program's signatures.
pub const CURRENT: SignatureVersion = SignatureVersion(2);

/// The first 16 bytes of a SHA-256 over what is equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SignatureId(pub [u8; 16]);

/// What a signature was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// A custom rule gave the key.
    Rule,
    /// The error: class, masked message, frame, message type.
    Error,
    /// No error is known: origin queue, reason, message type.
    Origin,
}

/// What is equal of all letters of one signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The hash of all that follows.
    pub id: SignatureId,
    /// The version that made it.
    pub version: SignatureVersion,
    /// What it was made of.
    pub layer: Layer,
    /// What the miner never folds across: class and frame, or the message type.
    pub scope: String,
    /// The comparable form of the error message; empty when there is none to mine.
    pub canon: String,
    /// The words of the comparable form, from 0, that punctuation sets apart. Not a part of the hash.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<u8>,
    /// The error message with placeholders, or the key in words: for people.
    pub template: String,
    /// The top frame of the application's own code.
    pub frame: Option<Frame>,
}

impl Signature {
    /// The signature of a letter: `shared` is what its body and headers hold.
    #[must_use]
    pub fn of(reading: &Reading, shared: &Shared, masker: &mut Masker) -> Self {
        Self::with_masks(reading, shared, &[], masker)
    }

    /// The signature of a letter, with masks of custom rules.
    pub(super) fn with_masks(
        reading: &Reading,
        shared: &Shared,
        masks: &[&Regex],
        masker: &mut Masker,
    ) -> Self {
        let failure = &reading.failure;
        let class = failure.error_class.as_deref().map(str::trim);
        let message = failure.error_message.as_deref().unwrap_or_default();
        if message.trim().is_empty() && class.is_none() {
            return Self::of_origin(reading);
        }
        let frame = failure.stack_trace.as_deref().and_then(stack::top_frame);
        let kind = reading.message_type.as_deref().unwrap_or_default();
        // A class is a name; a sentence in its place is a message.
        let class = match class.unwrap_or_default() {
            sentence if sentence.contains(' ') => masker.mask(sentence).canon.to_owned(),
            name => name.to_owned(),
        };
        let place = frame.as_ref().map(|frame| frame.place.as_str()).unwrap_or_default();
        // Without a class or a frame a text alone says too little to hold different types together.
        let scope = if class.is_empty() && place.is_empty() {
            format!("type {kind}")
        } else {
            format!("error {class} {place}").trim_end().to_owned()
        };
        let message = stack::without_frames(message);
        let text = masker.mask_with(&message, |words, pieces| {
            rule::mark(masks, words, pieces);
            shared.mark(words, pieces);
        });
        Self {
            id: SignatureId::hash(&["error", &class, text.canon, place, kind]),
            version: CURRENT,
            layer: Layer::Error,
            scope,
            canon: text.canon.to_owned(),
            slots: text.slots.to_vec(),
            template: if message.trim().is_empty() { class } else { text.template() },
            frame,
        }
    }

    fn of_origin(reading: &Reading) -> Self {
        let queue = reading.origin.queue.as_deref().unwrap_or("an unknown queue");
        let reason = reading.origin.reason.as_str();
        let kind = reading.message_type.as_deref().unwrap_or_default();
        let mut template = format!("{reason} in {queue}");
        if !kind.is_empty() {
            template = format!("{kind} {template}");
        }
        Self {
            id: SignatureId::hash(&["origin", queue, reason, kind]),
            version: CURRENT,
            layer: Layer::Origin,
            scope: String::new(),
            canon: String::new(),
            slots: Vec::new(),
            template,
            frame: None,
        }
    }

    /// The signature that a custom rule gives with a key of its own.
    #[must_use]
    pub fn of_rule(key: &str) -> Self {
        Self {
            id: SignatureId::hash(&["rule", key]),
            version: CURRENT,
            layer: Layer::Rule,
            scope: String::new(),
            canon: String::new(),
            slots: Vec::new(),
            template: key.to_owned(),
            frame: None,
        }
    }

    /// The signature of a bare message, as in a log.
    #[must_use]
    pub fn of_message(message: &str, masker: &mut Masker) -> Self {
        let text = masker.mask(message);
        Self {
            id: SignatureId::hash(&["error", "", text.canon, "", ""]),
            version: CURRENT,
            layer: Layer::Error,
            scope: String::new(),
            canon: text.canon.to_owned(),
            slots: text.slots.to_vec(),
            template: text.template(),
            frame: None,
        }
    }
}

impl SignatureId {
    fn hash(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        hash.update(CURRENT.0.to_be_bytes());
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        let digest = hash.finalize();
        let mut first = [0; 16];
        first.copy_from_slice(&digest[..16]);
        Self(first)
    }
}

impl fmt::Display for SignatureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 32];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        f.write_str(std::str::from_utf8(&text).expect("digits are ASCII"))
    }
}

impl fmt::Debug for SignatureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignatureId({self})")
    }
}

impl From<SignatureId> for String {
    fn from(id: SignatureId) -> Self {
        id.to_string()
    }
}

/// A signature's id is 32 hexadecimal digits; this is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a signature: 32 hexadecimal digits were expected")]
pub struct NotASignature(String);

impl TryFrom<String> for SignatureId {
    type Error = NotASignature;

    fn try_from(text: String) -> Result<Self, NotASignature> {
        u128::from_str_radix(&text, 16)
            .ok()
            .filter(|_| text.len() == 32 && !text.starts_with('+'))
            .map(|number| Self(number.to_be_bytes()))
            .ok_or(NotASignature(text))
    }
}

#[cfg(test)]
mod tests;
