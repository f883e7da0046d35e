//! What a message shares with its own body and headers: an order number in the error that also
//! stands in the payload is a variable, and nothing but the payload can tell.
//!
//! A word that says what happened stays a word, even if the payload holds it too; so do the names
//! of fields.

mod json;

use std::collections::HashSet;

use memchr::memmem;
use serde_json::Value;

use super::lexer::Piece;
use super::stack;
use super::variable::Variable;
use super::vocabulary::{is_telling, is_telling_key};
use crate::arrival::Delivered;
use crate::decoding::BodyValues;
use crate::failure::{CLASSES, MESSAGES};
use crate::wire::FieldValue;

/// How many values are remembered, and how long one may be, in bytes.
const MOST_VALUES: usize = 512;
const MOST_VALUE_BYTES: usize = 128;

/// Shorter values stand in a message by chance.
const FEWEST_VALUE_BYTES: usize = 3;

/// How deep a body is looked into.
const MOST_DEPTH: usize = 16;

/// The values that a letter carries and that stand in its error message.
#[derive(Debug, Clone, Default)]
pub struct Shared {
    /// The message, in lower case: few of the values of a body stand in it.
    message: String,
    pairs: Pairs,
    words: HashSet<String>,
    /// Values of several words.
    phrases: Vec<String>,
    /// Names of fields.
    names: HashSet<String>,
}

impl Shared {
    /// The values in a delivery's body, properties and headers that stand in the error message, except those of headers
    /// that tell of the failure. `body` are the values of its body.
    #[must_use]
    pub fn of(message: &str, delivered: &Delivered, body: Option<&BodyValues<'_>>) -> Self {
        let message = stack::without_frames(message).to_ascii_lowercase();
        let pairs = Pairs::of(message.as_bytes());
        let mut shared = Self { message, pairs, ..Self::default() };
        match body.map(|body| (body.json(), body)) {
            Some((Some(text), _)) => json::remember(&mut shared, text),
            Some((None, body)) => shared.add_values(body.read(), MOST_DEPTH),
            None => {}
        }
        let properties = &delivered.properties;
        for text in [&properties.message_id, &properties.correlation_id, &properties.reply_to] {
            if let Some(text) = text.as_ref().and_then(|text| text.as_str()) {
                shared.add(text);
            }
        }
        for field in &delivered.headers.0 {
            let name = field.name.as_str().unwrap_or_default();
            if let FieldValue::LongString(text) | FieldValue::ShortString(text) = &field.value
                && !tells_of_failure(name)
                && let Some(text) = text.as_str()
            {
                shared.add(text);
            }
        }
        shared
    }

    fn add_values(&mut self, value: &Value, depth: usize) {
        match value {
            Value::String(text) => self.add(text),
            Value::Array(items) if depth > 0 => {
                for item in items {
                    self.add_values(item, depth - 1);
                }
            }
            Value::Object(fields) if depth > 0 => {
                for (name, value) in fields {
                    if self.add_name(name) {
                        self.add_values(value, depth - 1);
                    }
                }
            }
            // Numbers are variables anyway, and `true` is a word.
            _ => {}
        }
    }

    /// Adds the name of a field, and returns whether its values are some of the letter's own: `"status": "failed"`
    /// holds one of few words.
    fn add_name(&mut self, name: &str) -> bool {
        if let Some(name) = self.said(name) {
            self.names.insert(name);
        }
        !is_telling_key(name)
    }

    fn add(&mut self, value: &str) {
        let value = value.trim();
        let fits = (FEWEST_VALUE_BYTES..=MOST_VALUE_BYTES).contains(&value.len());
        if !fits || self.words.len() + self.phrases.len() >= MOST_VALUES {
            return;
        }
        let Some(said) = self.said(value) else { return };
        if value.contains(char::is_whitespace) {
            self.phrases.push(value.to_owned());
        } else {
            self.words.insert(said);
        }
    }

    /// A text in lower case, if it stands in the message.
    fn said(&self, text: &str) -> Option<String> {
        let mut lower = [0; MOST_VALUE_BYTES];
        let lower = lower.get_mut(..text.len())?;
        lower.copy_from_slice(text.as_bytes());
        lower.make_ascii_lowercase();
        if !self.pairs.may_begin(lower) {
            return None;
        }
        let place = memmem::find(self.message.as_bytes(), lower)?;
        Some(self.message[place..place + text.len()].to_owned())
    }

    /// Marks the pieces of `text` that are shared.
    pub(super) fn mark(&self, text: &str, pieces: &mut [Piece]) {
        if self.words.is_empty() && self.phrases.is_empty() {
            return;
        }
        let mut word = String::new();
        for piece in pieces.iter_mut().filter(|piece| piece.variable.is_none()) {
            word.clear();
            word.push_str(&text[piece.start..piece.end]);
            word.make_ascii_lowercase();
            let is_shared = self.words.contains(&word);
            if is_shared && !self.names.contains(&word) && !is_telling(&word) {
                piece.variable = Some(Variable::Shared);
            }
        }
        for phrase in &self.phrases {
            for (start, found) in text.match_indices(phrase.as_str()) {
                mark_within(pieces, start, start + found.len());
            }
        }
    }
}

/// Which two bytes stand beside each other in a text, with some more that only seem to. Most of what does not stand in
/// it is known by that.
#[derive(Debug, Clone, Copy, Default)]
struct Pairs([u64; 32]);

impl Pairs {
    fn of(text: &[u8]) -> Self {
        let mut pairs = Self::default();
        for pair in text.windows(2) {
            let place = Self::place(pair[0], pair[1]);
            pairs.0[place / 64] |= 1 << (place % 64);
        }
        pairs
    }

    /// Whether a text may be one that begins so.
    fn may_begin(&self, text: &[u8]) -> bool {
        let [first, second, ..] = text else { return true };
        let place = Self::place(*first, *second);
        self.0[place / 64] & (1 << (place % 64)) != 0
    }

    fn place(first: u8, second: u8) -> usize {
        (usize::from(first) * 37 + usize::from(second)) % 2048
    }
}

/// Marks the pieces from `start` to `end`, if these are bounds of pieces.
fn mark_within(pieces: &mut [Piece], start: usize, end: usize) {
    let from = pieces.partition_point(|piece| piece.end <= start);
    let until = pieces.partition_point(|piece| piece.start < end);
    let Some(within) = pieces.get_mut(from..until) else {
        return;
    };
    let whole = |piece: &Piece| piece.start >= start && piece.end <= end;
    if within.iter().all(whole) {
        for piece in within {
            piece.variable = Some(Variable::Shared);
        }
    }
}

/// Whether a header tells of the failure or of the death, so that the message is no news to it.
fn tells_of_failure(name: &str) -> bool {
    const BEGINNINGS: [&str; 7] = [
        "x-exception",
        "x-error",
        "x-death",
        "x-first-death",
        "x-last-death",
        "MT-",
        "NServiceBus.",
    ];
    const PARTS: [&str; 4] = ["error", "exception", "stack", "reason"];
    let lower = name.to_ascii_lowercase();
    BEGINNINGS.iter().any(|begin| name.starts_with(begin))
        || PARTS.iter().any(|part| lower.contains(part))
        || MESSAGES.contains(&name)
        || CLASSES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::super::mask::Masker;
    use super::*;
    use crate::decoding::{Contents, MessageTypes};

    fn template(body: &str, message: &str) -> String {
        let delivered = Delivered { body: body.as_bytes().to_vec(), ..Delivered::default() };
        let values = Contents::of(&delivered, &MessageTypes::default()).values;
        let values = values.map(|values| BodyValues::new(values, &delivered.body));
        let shared = Shared::of(message, &delivered, values.as_ref());
        let mut masker = Masker::new();
        masker.mask_with(message, |text, pieces| shared.mark(text, pieces)).template()
    }

    #[test]
    fn what_the_body_holds_is_a_variable() {
        let body = r#"{"customer": "acme", "ship_to": {"city": "Bad Homburg"}, "tags": ["blue"]}"#;
        let message = "No stock for acme in Bad Homburg (blue)";
        assert_eq!(template(body, message), "No stock for <shared> in <shared> (<shared>)");
    }

    #[test]
    fn names_of_fields_and_telling_words_stay() {
        let body = r#"{"customer": "customer", "status": "rejected", "note": "failed"}"#;
        let message = "customer failed: rejected";
        assert_eq!(template(body, message), message);
    }

    #[test]
    fn xml_and_forms_are_looked_into() {
        let xml = "<order><sku kind=\"widget\">blueprint</sku></order>";
        assert_eq!(template(xml, "No widget, no blueprint"), "No <shared>, no <shared>");
        assert_eq!(template("a=b&sku=anvil", "No anvil"), "No <shared>");
    }

    #[test]
    fn a_phrase_that_ends_within_a_word_is_chance() {
        let body = r#"{"a": "on the mat"}"#;
        assert_eq!(template(body, "on the matter"), "on the matter");
    }

    #[test]
    fn headers_count_unless_they_tell_of_the_failure() {
        let mut delivered = Delivered::default();
        delivered.headers.set("x-tenant", FieldValue::LongString("globex".into()));
        delivered.headers.set("x-error", FieldValue::LongString("quota".into()));
        let shared = Shared::of("quota of globex", &delivered, None);
        let mut masker = Masker::new();
        let quota = masker.mask_with("quota of globex", |text, pieces| shared.mark(text, pieces));
        assert_eq!(quota.template(), "quota of <shared>");
    }
}
