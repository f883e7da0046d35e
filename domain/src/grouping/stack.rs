//! The top frame of the application's own code in a stack trace.
//!
//! Frames of runtimes, standard libraries and frameworks are passed over: they are the same for
//! every failure. Line numbers do not count, so that a release does not split a group.

mod folding;
mod foreign;
mod frames;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use folding::{TracePart, TracePartKind, trace_parts};

/// How much of a stack trace is looked at, in bytes, and in lines.
const MOST_BYTES: usize = 64 * 1024;
const MOST_LINES: usize = 1_000;

/// The longest name of a place, in bytes.
const MOST_PLACE_BYTES: usize = 200;

/// How a language writes its stack traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Java, Kotlin, Scala.
    Java,
    /// C#, F#.
    Dotnet,
    /// Python.
    Python,
    /// Node and browsers.
    Node,
    /// Go.
    Go,
    /// Elixir.
    Elixir,
    /// PHP.
    Php,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
}

/// A place in the application's own code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Frame {
    /// The language of the trace.
    pub language: Language,
    /// Function, with the class, module or file that it is in; no line number.
    pub place: String,
}

/// One line of a trace that names a place.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    language: Language,
    place: String,
    in_app: bool,
}

/// The innermost frame of the application's own code; the innermost of all when none is its own.
#[must_use]
pub fn top_frame(trace: &str) -> Option<Frame> {
    let trace = &trace[..trace.floor_char_boundary(MOST_BYTES)];
    let mut own = None;
    let mut any = None;
    let mut previous = "";
    for text in trace.lines().take(MOST_LINES) {
        let before = std::mem::replace(&mut previous, text);
        // Java writes the cause last, and each cause begins with its innermost frame.
        if text.trim_start().starts_with("Caused by:") {
            own = None;
            any = None;
            continue;
        }
        let Some(line) = frames::read(before, text) else {
            continue;
        };
        // Python alone writes the innermost frame last.
        let replaces = line.language == Language::Python;
        let seat = if line.in_app { &mut own } else { &mut any };
        if seat.is_none() || replaces {
            *seat = Some(line);
        }
    }
    own.or(any).map(|line| Frame {
        language: line.language,
        place: crate::reading::cut(&line.place, MOST_PLACE_BYTES),
    })
}

/// A message without the lines of a stack trace that its sender put into it.
pub(super) fn without_frames(message: &str) -> Cow<'_, str> {
    if !message.contains('\n') {
        return Cow::Borrowed(message);
    }
    let mut previous = "";
    let kept: Vec<&str> = message
        .lines()
        .filter(|text| {
            let before = std::mem::replace(&mut previous, text);
            frames::read(before, text).is_none() && !text.starts_with("Traceback (most recent")
        })
        .collect();
    Cow::Owned(kept.join("\n"))
}

#[cfg(test)]
mod tests;
