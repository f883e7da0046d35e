//! Splits a message into words and variables, in one pass and without copying.
//!
//! Punctuation separates and says nothing by itself, with these exceptions: quotes hold a value,
//! brackets or a key without a value stand for an empty one.

use super::token::{classify, classify_run};
use super::variable::Variable;
use super::vocabulary::is_telling_key;

/// How far a closing quote is looked for, in bytes.
const LONGEST_QUOTED: usize = 120;

/// How far the end of a structure after `key=` is looked for, in bytes.
const LONGEST_STRUCTURE: usize = 240;

/// A part of the message that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// First byte in the text.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// The kind of variable, or a word.
    pub variable: Option<Variable>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Separator,
    Word,
    Colon,
    /// Not ASCII: looked at as a character.
    Wide,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Separator; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let it = byte as u8;
        table[byte] = match it {
            b':' => Class::Colon,
            b'_' | b'-' | b'.' | b'/' | b'\\' | b'@' | b'#' | b'$' | b'%' | b'+' | b'*' | b'~'
            | b'&' => Class::Word,
            _ if it.is_ascii_alphanumeric() => Class::Word,
            _ if it >= 0x80 => Class::Wide,
            _ => Class::Separator,
        };
        byte += 1;
    }
    table
}

/// Splits `text`; what is found is added to `pieces`.
pub(super) fn split(text: &str, pieces: &mut Vec<Piece>) {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, pieces };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    pieces: &'a mut Vec<Piece>,
}

impl Lexer<'_> {
    fn step(&mut self) {
        let byte = self.bytes[self.at];
        match CLASSES[usize::from(byte)] {
            Class::Word | Class::Colon => self.run(),
            Class::Wide => {
                let wide = self.wide_at(self.at);
                if wide.is_some_and(char::is_alphanumeric) {
                    self.run();
                } else {
                    self.at += wide.map_or(1, char::len_utf8);
                }
            }
            Class::Separator => self.separator(byte),
        }
    }

    fn wide_at(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    fn push(&mut self, start: usize, end: usize, variable: Option<Variable>) {
        self.pieces.push(Piece { start, end, variable });
    }

    fn separator(&mut self, byte: u8) {
        match byte {
            b'<' => {
                if let Some(kind) = Variable::placeholder_at(&self.bytes[self.at..]) {
                    let end = self.at + kind.placeholder().len();
                    self.push(self.at, end, Some(kind));
                    self.at = end;
                    return;
                }
            }
            b'"' | b'\'' | b'`' => {
                if self.quoted(byte) {
                    return;
                }
            }
            b'(' | b'[' | b'{' => self.empty_brackets(byte),
            b'=' => {
                if self.value() {
                    return;
                }
            }
            _ => {}
        }
        self.at += 1;
    }

    /// A quote that opens here and closes soon: without spaces inside it holds a value, and so it
    /// does after `key=`. A quoted sentence is read like any other.
    fn quoted(&mut self, quote: u8) -> bool {
        let start = self.at;
        let opens = start == 0 || !self.bytes[start - 1].is_ascii_alphanumeric();
        let rest = &self.bytes[start + 1..];
        // Python's and old Unix' ` opens what ' closes.
        let closes = |byte: &u8| *byte == quote || (quote == b'`' && *byte == b'\'');
        let window = &rest[..rest.len().min(LONGEST_QUOTED)];
        let Some(length) = window.iter().position(closes).filter(|_| opens) else {
            return false;
        };
        let end = start + 1 + length + 1;
        let inside = &rest[..length];
        let is_key = self.bytes.get(end) == Some(&b':');
        let next_is_letter = self.bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
        if is_key || next_is_letter {
            return false;
        }
        let is_masked = |at: &usize| Variable::placeholder_at(&inside[*at..]).is_some();
        let one_word = !inside.iter().any(u8::is_ascii_whitespace)
            && !(0..length).any(|at| inside[at] == b'<' && is_masked(&at));
        if !one_word && !self.follows_plain_key(start) {
            return false;
        }
        let kind = if length == 0 { Variable::Empty } else { Variable::Quoted };
        self.push(start, end, Some(kind));
        self.at = end;
        true
    }

    /// Whether `key=` stands before, and the key is not one whose value tells what happened.
    fn follows_plain_key(&self, at: usize) -> bool {
        at > 1
            && self.bytes[at - 1] == b'='
            && self.pieces.last().is_some_and(|key| {
                key.end == at - 1
                    && key.variable.is_none()
                    && !is_telling_key(&self.text[key.start..key.end])
            })
    }

    /// `()`, `[]` and `{}` stand for an empty value, except directly after a name: `clear()`.
    fn empty_brackets(&mut self, open: u8) {
        let close = match open {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        let alone = self.at == 0 || !self.bytes[self.at - 1].is_ascii_alphanumeric();
        if alone && self.bytes.get(self.at + 1) == Some(&close) {
            self.push(self.at + 1, self.at + 1, Some(Variable::Empty));
        }
    }

    /// What stands after `key=` in one piece: nothing, `[…]`, `{…}` or `Name{…}` with all that is
    /// inside.
    fn value(&mut self) -> bool {
        let named = self.at > 0 && self.bytes[self.at - 1].is_ascii_alphanumeric();
        let next = self.bytes.get(self.at + 1);
        if named && next.is_none_or(|byte| matches!(byte, b' ' | b',' | b';' | b')' | b'\n')) {
            self.push(self.at + 1, self.at + 1, Some(Variable::Empty));
            return false;
        }
        let start = self.at + 1;
        let rest = &self.bytes[start..self.bytes.len().min(start + LONGEST_STRUCTURE)];
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'.';
        let name = rest.iter().take_while(is_name).count();
        let Some(length) = closing(&rest[name..]).filter(|_| self.follows_plain_key(start)) else {
            return false;
        };
        self.push(start, start + name + length, Some(Variable::List));
        self.at = start + name + length;
        true
    }

    /// A run of word characters and colons.
    fn run(&mut self) {
        let start = self.at;
        let mut wide = false;
        while let Some(byte) = self.bytes.get(self.at) {
            match CLASSES[usize::from(*byte)] {
                Class::Word | Class::Colon => self.at += 1,
                Class::Wide => match self.wide_at(self.at).filter(|c| c.is_alphanumeric()) {
                    Some(c) => {
                        wide = true;
                        self.at += c.len_utf8();
                    }
                    None => break,
                },
                // An apostrophe within a word: `can't`.
                Class::Separator if *byte == b'\'' && self.is_apostrophe() => self.at += 1,
                Class::Separator => break,
            }
        }
        let run = &self.text[start..self.at];
        if wide {
            self.wide_run(start, self.at);
        } else if run.contains("://") && run.as_bytes()[0].is_ascii_alphabetic() {
            self.url(start);
        } else if !run.contains(':') {
            self.segment(start, self.at);
        } else if let Some(kind) = classify_run(run.trim_end_matches([':', '.'])) {
            let end = start + run.trim_end_matches([':', '.']).len();
            self.push(start, end, Some(kind));
        } else if is_drive(run.as_bytes()) {
            self.push(start, self.at, Some(Variable::Path));
        } else if is_endpoint(run) {
            self.push(start, self.at, Some(Variable::Host));
        } else {
            self.colons(start, self.at);
        }
    }

    fn is_apostrophe(&self) -> bool {
        let letter = |at: usize| self.bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
        self.at > 0 && letter(self.at - 1) && letter(self.at + 1)
    }

    fn url(&mut self, start: usize) {
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b')' | b']')
        };
        let length = self.bytes[start..].iter().position(ends);
        let mut end = length.map_or(self.bytes.len(), |length| start + length);
        self.at = end;
        while matches!(self.bytes[end - 1], b'.' | b',' | b':' | b';' | b'}') {
            end -= 1;
        }
        self.push(start, end, Some(Variable::Url));
    }

    /// The query behind a path: `/orders?page=2`.
    fn query(&mut self) {
        let is_query = self.bytes.get(self.at) == Some(&b'?')
            && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !is_query {
            return;
        }
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b')');
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
        if let Some(path) = self.pieces.last_mut() {
            path.end = self.at;
        }
    }

    fn colons(&mut self, start: usize, end: usize) {
        let mut from = start;
        for at in start..=end {
            if at == end || self.bytes[at] == b':' {
                if from < at {
                    self.segment(from, at);
                }
                from = at + 1;
            }
        }
    }

    /// One token: split at runs of dots, trimmed, classified.
    fn segment(&mut self, start: usize, end: usize) {
        let token = &self.text[start..end];
        if let Some(dots) = token.find("..").filter(|at| !token[at + 2..].starts_with('/')) {
            let after = token[dots..].trim_start_matches('.').len();
            if dots > 0 {
                self.segment(start, start + dots);
            }
            if after > 0 {
                self.segment(end - after, end);
            }
            return;
        }
        let token = token.trim_end_matches('.');
        if let Some(kind) = classify(token) {
            let end = start + token.len();
            self.push(start, end, Some(kind));
            if kind == Variable::Path && end == self.at {
                self.query();
            }
            return;
        }
        let not_letter = |c: char| !c.is_ascii_alphanumeric();
        let head = token.len() - token.trim_start_matches(not_letter).len();
        let word = token[head..].trim_end_matches(not_letter);
        if !word.is_empty() {
            self.push(start + head, start + head + word.len(), None);
        }
    }

    /// In scripts without spaces a token is a sentence: only its digits are a variable.
    fn wide_run(&mut self, start: usize, end: usize) {
        let mut from = start;
        let mut in_digits = None;
        for (offset, c) in self.text[start..end].char_indices() {
            let is_digit = c.is_ascii_digit();
            if !c.is_alphanumeric() || in_digits.is_some_and(|was| was != is_digit) {
                self.wide_part(from, start + offset, in_digits);
                from = start + offset;
                in_digits = None;
            }
            if c.is_alphanumeric() {
                if in_digits.is_none() {
                    from = start + offset;
                }
                in_digits = Some(is_digit);
            }
        }
        self.wide_part(from, end, in_digits);
    }

    fn wide_part(&mut self, start: usize, end: usize, in_digits: Option<bool>) {
        if let Some(is_digit) = in_digits {
            self.push(start, end, is_digit.then_some(Variable::Number));
        }
    }
}

fn is_drive(run: &[u8]) -> bool {
    matches!(run, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

/// Length of the brackets that open at the beginning of `bytes`, with all that is inside.
fn closing(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// `some.name:5672`: a name with a dot before a port is a host's.
fn is_endpoint(run: &str) -> bool {
    run.rsplit_once(':').is_some_and(|(name, port)| {
        (2..=5).contains(&port.len())
            && port.bytes().all(|b| b.is_ascii_digit())
            && name.trim_matches('.').contains('.')
            && !name.contains([':', '/', '\\'])
    })
}
