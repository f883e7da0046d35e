//! Rules of a person's own: a fixed key for letters that they hold to be one failure, or masks for
//! values that only they know to be values.
//!
//! Rules are ordered. The masks of every rule that applies are used; the first rule with a key that
//! applies decides. What a condition is, is the caller's: this module only asks whether it holds.

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::lexer::Piece;
use super::mask::Masker;
use super::shared::Shared;
use super::signature::Signature;
use super::variable::Variable;
use crate::reading::{MOST_NAME_BYTES, Reading, cut};

/// How many patterns a rule may have, and how long one may be, in bytes.
const MOST_PATTERNS: usize = 16;
const MOST_PATTERN_BYTES: usize = 500;

/// How large a compiled pattern may be, in bytes.
const MOST_COMPILED_BYTES: usize = 256 * 1024;

/// What a rule does, as a person writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Letters with the same key are one group. The key may hold placeholders: `{error_class}`,
    /// `{error_message}` (masked), `{frame}`, `{message_type}`, `{queue}`, `{exchange}`,
    /// `{routing_key}`, `{reason}`.
    Key(String),
    /// What these regular expressions match in an error message is a value.
    Masks(Vec<String>),
}

/// A rule that is ready to be used. `C` is the condition.
#[derive(Debug, Clone)]
pub struct Rule<C> {
    condition: C,
    action: Action,
}

#[derive(Debug, Clone)]
enum Action {
    Key(Vec<KeyPart>),
    Masks(Vec<Regex>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyPart {
    Text(String),
    Field(Field),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    ErrorClass,
    ErrorMessage,
    Frame,
    MessageType,
    Queue,
    Exchange,
    RoutingKey,
    Reason,
}

const FIELDS: [(&str, Field); 8] = [
    ("error_class", Field::ErrorClass),
    ("error_message", Field::ErrorMessage),
    ("frame", Field::Frame),
    ("message_type", Field::MessageType),
    ("queue", Field::Queue),
    ("exchange", Field::Exchange),
    ("routing_key", Field::RoutingKey),
    ("reason", Field::Reason),
];

/// A rule cannot be used as it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The key has no text.
    #[error("the key is empty: all matching letters would be one group")]
    EmptyKey,
    /// The key is too long.
    #[error("the key has more than {MOST_NAME_BYTES} bytes")]
    LongKey,
    /// A brace opens and does not close, or names nothing that is known.
    #[error(
        "`{{{0}}}` is not a placeholder: use error_class, error_message, frame, message_type, \
         queue, \
         exchange, routing_key or reason, in braces"
    )]
    Placeholder(String),
    /// There is nothing to mask.
    #[error("there is no pattern: write a regular expression for each kind of value")]
    NoPattern,
    /// There are too many patterns.
    #[error("a rule has at most {MOST_PATTERNS} patterns: divide it in two")]
    ManyPatterns,
    /// A pattern is wrong or too large.
    #[error("the pattern `{pattern}` cannot be used: {why}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// A pattern matches where there is nothing.
    #[error("the pattern `{0}` matches an empty text: it would match everywhere")]
    EmptyMatch(String),
}

impl<C> Rule<C> {
    /// Makes a rule ready.
    ///
    /// # Errors
    ///
    /// When its key or one of its patterns cannot be used.
    pub fn new(condition: C, outcome: &Outcome) -> Result<Self, RuleError> {
        let action = match outcome {
            Outcome::Key(key) => Action::Key(parse_key(key)?),
            Outcome::Masks(patterns) => Action::Masks(compile(patterns)?),
        };
        Ok(Self { condition, action })
    }

    /// Its condition.
    pub fn condition(&self) -> &C {
        &self.condition
    }
}

/// The signature of a letter under rules. `holds` tells whether a condition holds for the letter.
#[must_use]
pub fn apply<C>(
    rules: &[Rule<C>],
    holds: impl Fn(&C) -> bool,
    reading: &Reading,
    shared: &Shared,
    masker: &mut Masker,
) -> Signature {
    let mut masks: Vec<&Regex> = Vec::new();
    for rule in rules.iter().filter(|rule| holds(&rule.condition)) {
        match &rule.action {
            Action::Masks(patterns) => masks.extend(patterns),
            Action::Key(parts) => {
                let plain = Signature::with_masks(reading, shared, &masks, masker);
                return Signature::of_rule(&fill(parts, reading, &plain));
            }
        }
    }
    Signature::with_masks(reading, shared, &masks, masker)
}

/// Turns what the patterns match into variables.
pub(super) fn mark(patterns: &[&Regex], text: &str, pieces: &mut Vec<Piece>) {
    for found in patterns.iter().flat_map(|pattern| pattern.find_iter(text)) {
        let from = pieces.partition_point(|piece| piece.end <= found.start());
        let until = pieces.partition_point(|piece| piece.start < found.end());
        if from < until {
            let whole = Piece {
                start: pieces[from].start,
                end: pieces[until - 1].end,
                variable: Some(Variable::Custom),
            };
            pieces.splice(from..until, [whole]);
        }
    }
}

fn compile(patterns: &[String]) -> Result<Vec<Regex>, RuleError> {
    match patterns.len() {
        0 => return Err(RuleError::NoPattern),
        1..=MOST_PATTERNS => {}
        _ => return Err(RuleError::ManyPatterns),
    }
    patterns.iter().map(|pattern| compile_one(pattern)).collect()
}

fn compile_one(pattern: &str) -> Result<Regex, RuleError> {
    let refuse = |why: String| RuleError::Pattern { pattern: cut(pattern, 80), why };
    if pattern.len() > MOST_PATTERN_BYTES {
        return Err(refuse(format!("it has more than {MOST_PATTERN_BYTES} bytes")));
    }
    let compiled = RegexBuilder::new(pattern)
        .size_limit(MOST_COMPILED_BYTES)
        .dfa_size_limit(MOST_COMPILED_BYTES)
        .build()
        .map_err(|why| refuse(why.to_string()))?;
    if compiled.is_match("") {
        return Err(RuleError::EmptyMatch(cut(pattern, 80)));
    }
    Ok(compiled)
}

fn parse_key(key: &str) -> Result<Vec<KeyPart>, RuleError> {
    if key.trim().is_empty() {
        return Err(RuleError::EmptyKey);
    }
    if key.len() > MOST_NAME_BYTES {
        return Err(RuleError::LongKey);
    }
    let mut parts = Vec::new();
    let mut rest = key;
    while let Some((text, after)) = rest.split_once('{') {
        if !text.is_empty() {
            parts.push(KeyPart::Text(text.to_owned()));
        }
        let Some((name, after)) = after.split_once('}') else {
            return Err(RuleError::Placeholder(cut(after, 80)));
        };
        let field = FIELDS.iter().find(|(known, _)| *known == name);
        let (_, field) = field.ok_or_else(|| RuleError::Placeholder(cut(name, 80)))?;
        parts.push(KeyPart::Field(*field));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(KeyPart::Text(rest.to_owned()));
    }
    Ok(parts)
}

fn fill(parts: &[KeyPart], reading: &Reading, plain: &Signature) -> String {
    let mut key = String::new();
    for part in parts {
        match part {
            KeyPart::Text(text) => key.push_str(text),
            KeyPart::Field(field) => key.push_str(value(*field, reading, plain)),
        }
    }
    key
}

/// What a letter has for a placeholder; `none` where it has nothing, so that a key never vanishes.
fn value<'a>(field: Field, reading: &'a Reading, plain: &'a Signature) -> &'a str {
    let (failure, origin) = (&reading.failure, &reading.origin);
    let found = match field {
        Field::ErrorClass => failure.error_class.as_deref(),
        Field::ErrorMessage => Some(plain.canon.as_str()).filter(|canon| !canon.is_empty()),
        Field::Frame => plain.frame.as_ref().map(|frame| frame.place.as_str()),
        Field::MessageType => reading.message_type.as_deref(),
        Field::Queue => origin.queue.as_deref(),
        Field::Exchange => origin.exchange.as_deref(),
        Field::RoutingKey => origin.routing_key.as_deref(),
        Field::Reason => Some(origin.reason.as_str()),
    };
    found.unwrap_or("none")
}

#[cfg(test)]
mod tests;
