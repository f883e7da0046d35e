//! Changing what a replay sends: a jq program for many letters, another body for one, and what a
//! person is shown of it. What a letter arrived with is never changed.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ids::{LetterId, ReplayId};
use crate::json_schema::SchemaCheck;
use crate::republish::HeaderChanges;
use crate::selection::Selection;

/// Changes the values of every letter's body, whatever format they are written in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Transform {
    /// A jq program that gives exactly one value for that of each body.
    pub jq: String,
}

/// Sends another body in place of one letter's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The body in base64, as it is to be sent: packed where the content encoding says so.
    pub body: String,
    /// Another content type; the letter's own when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

/// The largest body that is edited by hand, in bytes.
pub const MOST_EDITED_BYTES: usize = 256 * 1024;

/// Letters whose differences a preview shows.
pub const MOST_SHOWN: usize = 20;

/// Letters that a preview tries the program on.
pub const MOST_TRIED: usize = 1_000;

/// What is to be tried on letters: how their bodies are changed, if at all, and their headers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TryTransform {
    /// Which letters.
    pub selection: Selection,
    /// The program.
    #[serde(default)]
    pub transform: Option<Transform>,
    /// Whether what is inside of envelopes would be sent. Not together with `transform`.
    #[serde(default)]
    pub open_envelopes: bool,
    /// Headers that would be left out or set.
    #[serde(default)]
    pub headers: HeaderChanges,
    /// Whether letters would keep the time to live of their senders.
    #[serde(default)]
    pub keep_expiration: bool,
}

/// What would be sent of letters. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TransformPreview {
    /// Letters of the selection.
    pub total: i64,
    /// Letters that it was tried on: the first 1,000.
    pub tried: i64,
    /// Letters of them whose bodies are sent changed.
    pub changed: i64,
    /// Letters whose bodies are sent as they are.
    pub unchanged: i64,
    /// Letters whose properties or headers are sent changed, the history that brokers wrote aside.
    #[serde(default)]
    pub headers_changed: i64,
    /// Letters that are left out, since nothing can be made of them.
    pub failed: i64,
    /// Letters that are sent changed and do not fit the schema that is configured for them.
    #[serde(default)]
    pub unfit: i64,
    /// The first 20 letters.
    pub letters: Vec<TriedLetter>,
}

/// What would be sent of one letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TriedLetter {
    /// The letter.
    pub letter_id: LetterId,
    /// Why nothing can be made of it: it is left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// What differs in its body; nothing where that is sent as it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diff: Option<Diff>,
    /// What differs in its properties and headers, a line for each; nothing where they are sent as they are. The history
    /// that brokers wrote and the marks of a replay are not told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub headers: Option<Diff>,
    /// What the schema says of the changed body, where one is configured for the letter.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub schema: Option<SchemaCheck>,
}

/// What differs between two bodies, line by line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diff {
    /// The lines that differ, with some around them.
    pub lines: Vec<DiffLine>,
    /// Whether there is more than is told.
    pub cut: bool,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DiffLine {
    /// What became of it.
    pub mark: DiffMark,
    /// Its text.
    pub text: String,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DiffMark {
    /// It is in both.
    Same,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Lines that are the same stand here, and are not told.
    Skipped,
}

/// What a replay sent in place of a letter's body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SentBody {
    /// The letter.
    pub letter_id: LetterId,
    /// The replay.
    pub replay_id: ReplayId,
    /// The arrival that it was made from.
    pub from_arrival: i32,
    /// Its size in bytes.
    pub size_bytes: i64,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub body_sha256: String,
    /// The content type that it is sent with.
    pub content_type: Option<String>,
    /// What differs from the arrival that it was made from.
    pub diff: Diff,
    /// The arrival that it came back with, if it did.
    pub back: Option<BackBody>,
}

/// How what was sent came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BackBody {
    /// The arrival.
    pub arrival: i32,
    /// When.
    pub arrived_at: DateTime<Utc>,
    /// What differs from what was sent; no line when it came back byte by byte as it was sent.
    pub diff: Diff,
    /// Whether its bytes are those that were sent.
    pub is_same: bool,
}

/// Short marks of what a replay sent, as a letter's page needs them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SentMark {
    /// The arrival that the body was made from.
    pub from_arrival: i32,
    /// Its size in bytes.
    pub size_bytes: i64,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub body_sha256: String,
}

/// What a second person says of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Approval {
    /// Who approved or refused it; nobody yet when it is null.
    pub by: Option<String>,
    /// Why it was refused; null when it was not.
    pub refused_because: Option<String>,
}

/// A person's word on a replay that waits for a second person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Why; needed for a refusal.
    #[serde(default)]
    pub reason: String,
}

/// How a body is written by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// JSON, laid out.
    #[default]
    Json,
    /// Text in UTF-8.
    Text,
    /// Bytes in hexadecimal.
    Hex,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 3] = [Self::Json, Self::Text, Self::Hex];

    /// The word in SQL and addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
            Self::Hex => "hex",
        }
    }
}

/// The word names no shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a way to write a body: use json, text or hex")]
pub struct UnknownShape(pub String);

impl FromStr for Shape {
    type Err = UnknownShape;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|shape| shape.as_str() == word)
            .ok_or_else(|| UnknownShape(word.to_owned()))
    }
}

/// A body as it stands in the form that edits it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditSheet {
    /// The letter.
    pub letter_id: LetterId,
    /// The arrival that is edited: the last one.
    pub arrival: i32,
    /// How it is written.
    pub shape: Shape,
    /// The shapes that it can be written in.
    pub shapes: Vec<Shape>,
    /// The text in the form.
    pub text: String,
    /// The content type.
    pub content_type: String,
    /// What the body is packed in, by name, where the form shows what is within it.
    pub content_encoding: Option<String>,
    /// The queue that the letter died in.
    pub queue: Option<String>,
    /// Why it cannot be edited here.
    pub cannot: Option<String>,
    /// Why it cannot be written in a better way, and what to do.
    #[serde(default)]
    pub note: Option<String>,
    /// What was written and not sent yet.
    pub draft: Option<DraftSheet>,
    /// What the schema for the letter says of the body in the form, where one is configured.
    pub schema: Option<SchemaCheck>,
    /// Whether a second person is asked, whoever sends it.
    pub needs_approval: bool,
}

/// What was written and is not sent yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftSheet {
    /// Its id.
    pub id: Uuid,
    /// What differs from the arrival.
    pub diff: Diff,
    /// Its size in bytes, as it is sent.
    pub size_bytes: i64,
    /// Whether anything differs: bytes or content type.
    pub differs: bool,
}

/// What was written in the form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewDraft {
    /// How it is written.
    pub shape: Shape,
    /// The text.
    pub text: String,
    /// The content type; empty for none.
    pub content_type: String,
}
