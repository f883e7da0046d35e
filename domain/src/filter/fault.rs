//! A filter that cannot be read: where, why, and how to mend it.

use std::ops::Range;

/// A filter that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at character {}: {why}", .position + 1)]
pub struct FilterFault {
    /// Where what cannot be read begins, in characters from 0.
    pub position: usize,
    /// How many characters it has; 0 at the end of the text.
    pub length: usize,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// What is wrong with it and how to mend it.
    pub why: String,
}

impl FilterFault {
    /// A fault at this place of the text. Places within a character mean the whole of it.
    pub(super) fn new(text: &str, span: Range<usize>, why: String) -> Self {
        let end = span.end.min(text.len());
        let start = text.floor_char_boundary(span.start.min(end));
        let end = text.ceil_char_boundary(end);
        Self {
            position: text[..start].chars().count(),
            length: text[start..end].chars().count(),
            span: start..end,
            why,
        }
    }
}
