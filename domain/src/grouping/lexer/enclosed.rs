//! Values that punctuation shows: what stands in quotes, in empty brackets, after `key=`.

use super::Lexer;
use crate::grouping::variable::Variable;
use crate::grouping::vocabulary::is_telling_key;

/// How far a closing quote is looked for, in bytes.
const LONGEST_QUOTED: usize = 120;

/// How far the next key is looked for, in bytes.
const LONGEST_KEY: usize = 48;

impl Lexer<'_> {
    /// A quote that opens here and closes soon: without spaces inside it holds a value, and so it
    /// does after `key=`. A quoted sentence is read like any other.
    pub(super) fn quoted(&mut self, quote: u8) -> bool {
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
    pub(super) fn follows_plain_key(&self, at: usize) -> bool {
        at > 1
            && self.bytes[at - 1] == b'='
            && self.pieces.last().is_some_and(|key| {
                key.end == at - 1
                    && key.variable.is_none()
                    && !is_telling_key(&self.text[key.start..key.end])
            })
    }

    /// `()`, `[]` and `{}` stand for an empty value, except directly after a name: `clear()`.
    pub(super) fn empty_brackets(&mut self, open: u8) {
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
    /// inside. The message may have been cut before these close.
    pub(super) fn value(&mut self) -> bool {
        let named = self.at > 0 && self.bytes[self.at - 1].is_ascii_alphanumeric();
        if named && self.ends_or_next_key(self.at + 1) {
            self.push(self.at + 1, self.at + 1, Some(Variable::Empty));
            return false;
        }
        let start = self.at + 1;
        let rest = &self.bytes[start..];
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'.';
        let name = rest.iter().take_while(is_name).count();
        let Some(length) = closing(&rest[name..]).filter(|_| self.follows_plain_key(start)) else {
            return false;
        };
        self.push(start, start + name + length, Some(Variable::List));
        self.at = start + name + length;
        true
    }

    /// Whether nothing stands at `at`, or after spaces the next key: `user= host=h1`.
    fn ends_or_next_key(&self, at: usize) -> bool {
        let rest = &self.bytes[at..];
        match rest.first() {
            None | Some(b',' | b';' | b')' | b'\n') => true,
            Some(b' ') => {
                let window = &rest[..rest.len().min(LONGEST_KEY)];
                let Some(begin) = window.iter().position(|byte| *byte != b' ') else {
                    return rest.len() == window.len();
                };
                let is_key =
                    |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
                let length = window[begin..].iter().take_while(is_key).count();
                length > 0 && window.get(begin + length) == Some(&b'=')
            }
            Some(_) => false,
        }
    }
}

/// Length of the brackets that open at the beginning of `bytes`, with all that is inside: up to the end where several
/// values are in them and they do not close.
fn closing(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut has_values = false;
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
            b',' | b'=' => has_values = true,
            _ => {}
        }
    }
    (depth > 0 && has_values).then_some(bytes.len())
}
