//! Splits a message into words and variables, in one pass and without copying.
//!
//! Punctuation separates and says nothing by itself, with these exceptions: quotes hold a value,
//! brackets or a key without a value stand for an empty one.

mod enclosed;
mod wide;

use super::token::{classify, classify_run};
use super::variable::Variable;
use super::vocabulary::is_known_port;

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
        let is_taken = match byte {
            b'<' => self.placeholder(),
            b'"' | b'\'' | b'`' => self.quoted(byte),
            b'=' => self.value(),
            b'(' | b'[' | b'{' => {
                self.empty_brackets(byte);
                false
            }
            _ => false,
        };
        if !is_taken {
            self.at += 1;
        }
    }

    /// A placeholder: the text was masked before.
    fn placeholder(&mut self) -> bool {
        let Some(kind) = Variable::placeholder_at(&self.bytes[self.at..]) else {
            return false;
        };
        let end = self.at + kind.placeholder().len();
        self.push(self.at, end, Some(kind));
        self.at = end;
        true
    }

    /// A run of word characters and colons.
    fn run(&mut self) {
        let start = self.at;
        let (mut wide, mut colons, mut dots) = (false, false, false);
        while let Some(byte) = self.bytes.get(self.at) {
            match CLASSES[usize::from(*byte)] {
                Class::Word => {
                    dots |= *byte == b'.' && self.bytes.get(self.at + 1) == Some(&b'.');
                    self.at += 1;
                }
                Class::Colon => {
                    colons = true;
                    self.at += 1;
                }
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
        if wide {
            self.wide_run(start, self.at);
        } else if colons {
            self.run_with_colons(start);
        } else if dots {
            self.segment(start, self.at);
        } else {
            self.token(start, self.at);
        }
    }

    fn run_with_colons(&mut self, start: usize) {
        let run = &self.text[start..self.at];
        let trimmed = run.trim_end_matches([':', '.']);
        let end = start + trimmed.len();
        if run.as_bytes()[0].is_ascii_alphabetic() && run.contains("://") {
            self.url(start);
        } else if let Some(kind) = classify_run(trimmed) {
            self.push(start, end, Some(kind));
        } else if is_drive(run.as_bytes()) {
            self.push(start, end, Some(Variable::Path));
        } else if is_endpoint(run) {
            let numeric = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b':');
            let is_ip = run.bytes().all(numeric);
            let kind = if is_ip { Variable::Ip } else { Variable::Host };
            self.push(start, self.at, Some(kind));
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
            byte.is_ascii_whitespace()
                || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b')' | b']')
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
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b')')
        };
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
        if let Some(path) = self.pieces.last_mut() {
            path.end = self.at;
        }
    }

    fn colons(&mut self, start: usize, end: usize) {
        let mut from = start;
        let first = self.pieces.len();
        for at in start..=end {
            if at == end || self.bytes[at] == b':' {
                if from < at {
                    self.segment(from, at);
                }
                from = at + 1;
            }
        }
        // After `key=` all of it is one value: `name=Popup:317e46`.
        let found = &self.pieces[first..];
        if found.iter().any(|piece| piece.variable.is_some())
            && found.iter().any(|piece| piece.variable.is_none())
        {
            let last = self.pieces.split_off(first);
            if self.follows_plain_key(start) {
                self.push(start, end, Some(Variable::Id));
            } else {
                self.pieces.extend(last);
            }
        }
    }

    /// What stands between colons: split at runs of dots, as in `operation......0`.
    fn segment(&mut self, start: usize, end: usize) {
        let mut from = start;
        while let Some(dots) = self.text[from..end].find("..") {
            let at = from + dots;
            let after = end - self.text[at..end].trim_start_matches('.').len();
            // `../orders.csv` is a path.
            if self.bytes.get(after) == Some(&b'/') {
                break;
            }
            if from < at {
                self.token(from, at);
            }
            from = after;
        }
        if from < end {
            self.token(from, end);
        }
    }

    /// One token: trimmed and classified.
    fn token(&mut self, start: usize, end: usize) {
        let token = self.text[start..end].trim_end_matches('.');
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
}

fn is_drive(run: &[u8]) -> bool {
    matches!(run, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

/// `some.name:4711`, `redis:6379`: a name with a dot before a port, or any before a port that
/// services are known by, is a host's.
fn is_endpoint(run: &str) -> bool {
    run.rsplit_once(':').is_some_and(|(name, port)| {
        (2..=5).contains(&port.len())
            && port.bytes().all(|b| b.is_ascii_digit())
            && (name.trim_matches('.').contains('.') || is_known_port(port))
            && name.contains(|c: char| c.is_ascii_alphanumeric())
            && !name.contains([':', '/', '\\'])
    })
}
