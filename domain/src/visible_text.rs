//! Text from outside as it can be shown: characters that nobody sees, or that change the order of the others,
//! are replaced by a mark that names them.
//!
//! Names of queues, error messages and the like are whatever a sender wrote. A queue whose name begins with
//! U+202E would turn the words of a button around; two names that differ in a zero-width space look the same.
//! What is shown with these functions reads as it is written: `⟨U+202E⟩evil.krow`. They are for showing only:
//! what is sent back or copied keeps its true characters.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Which ends of lines a text may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// None: the text is a name.
    One,
    /// Any: the text is a body, a stack trace, a message.
    Many,
}

/// A part of a text: characters as they are, or the mark of one that is not shown as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Characters as they are.
    Plain(&'a str),
    /// A mark, such as `⟨U+202E⟩`.
    Mark(String),
}

/// A text of one line, as a name is: tabs and ends of lines are marked too.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, Lines::One)
}

/// A text of many lines: tabs and ends of lines stay.
#[must_use]
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    replaced(text, Lines::Many)
}

/// A name that stands within a sentence which is one piece of text. One with right-to-left letters is isolated,
/// so that they do not take the numbers beside them along.
#[must_use]
pub fn visible_within(name: &str) -> Cow<'_, str> {
    let text = visible(name);
    if text.chars().any(is_right_to_left) {
        Cow::Owned(format!("\u{2068}{text}\u{2069}"))
    } else {
        text
    }
}

/// The parts of a name; the marks are told apart from characters that only look like one.
#[must_use]
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    parts(text, Lines::One)
}

fn replaced(text: &str, lines: Lines) -> Cow<'_, str> {
    if text.bytes().all(is_plain_ascii) {
        return Cow::Borrowed(text);
    }
    let parts = parts(text, lines);
    if !parts.iter().any(|part| matches!(part, Piece::Mark(_))) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for part in parts {
        match part {
            Piece::Plain(plain) => shown.push_str(plain),
            Piece::Mark(mark) => shown.push_str(&mark),
        }
    }
    Cow::Owned(shown)
}

fn parts(text: &str, lines: Lines) -> Vec<Piece<'_>> {
    let mut parts = Vec::new();
    let mut from = 0;
    let mut is_begun = false;
    for (place, letter) in text.char_indices() {
        let behind = place + letter.len_utf8();
        let is_end_of_line = match letter {
            '\n' | '\t' => true,
            '\r' => text[behind..].starts_with('\n'),
            _ => false,
        };
        // A combining mark with nothing before it would be drawn over what stands there.
        let is_shown = if is_end_of_line {
            lines == Lines::Many
        } else {
            !is_hidden(letter) && (is_begun || !is_combining(letter))
        };
        if is_shown {
            is_begun = true;
            continue;
        }
        if from < place {
            parts.push(Piece::Plain(&text[from..place]));
        }
        parts.push(Piece::Mark(mark(letter)));
        from = behind;
    }
    if from < text.len() {
        parts.push(Piece::Plain(&text[from..]));
    }
    parts
}

fn mark(letter: char) -> String {
    let mut mark = String::with_capacity(14);
    write!(mark, "⟨U+{:04X}⟩", u32::from(letter)).expect("a String takes every write");
    mark
}

fn is_plain_ascii(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Controls, and what Unicode lets be drawn as nothing or lets change the direction of others.
fn is_hidden(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x00..=0x1F
            | 0x7F..=0x9F
            | 0x00AD
            | 0x034F
            | 0x061C
            | 0x115F..=0x1160
            | 0x17B4..=0x17B5
            | 0x180B..=0x180F
            | 0x200B..=0x200F
            | 0x2028..=0x202E
            | 0x2060..=0x206F
            | 0x3164
            | 0xFEFF
            | 0xFFA0
            | 0xFFF0..=0xFFFB
            | 0x1D173..=0x1D17A
            | 0xE0000..=0xE0FFF
    )
}

/// The blocks of combining marks that fonts draw over what stands before them.
fn is_combining(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x0300..=0x036F
            | 0x0483..=0x0489
            | 0x0591..=0x05BD
            | 0x0610..=0x061A
            | 0x064B..=0x065F
            | 0x0670
            | 0x0900..=0x0903
            | 0x093A..=0x093C
            | 0x0E31
            | 0x0E34..=0x0E3A
            | 0x0E47..=0x0E4E
            | 0x1AB0..=0x1AFF
            | 0x1DC0..=0x1DFF
            | 0x20D0..=0x20FF
            | 0x302A..=0x302F
            | 0x3099..=0x309A
            | 0xFE00..=0xFE0F
            | 0xFE20..=0xFE2F
    )
}

fn is_right_to_left(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x0590..=0x08FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFE | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF
    )
}

#[cfg(test)]
mod tests;
