//! Masking: a message with its values taken out.
//!
//! Two forms come of it. The *template* is for people: the text with a placeholder in the place of
//! each value. The *canon* is for comparing: the words in small letters, `<*>` for any values that
//! stand side by side, nothing else.

use super::lexer::{Piece, split};
use super::phrase;
use super::repetition::Ending;
use super::structure::is_set_apart;
use super::variable::Variable;

/// How much of a message is looked at, in bytes. What comes after is as if it were not there.
pub const MOST_MASKED_BYTES: usize = 8 * 1024;

/// How many words and variables of a message count.
pub const MOST_PIECES: usize = 512;

/// Fewer letters before a value's digits are a part of the value.
const FEWEST_PREFIX_LETTERS: usize = 3;

/// What stands for a variable in a canon.
pub(super) const ANY: &str = "<*>";

/// Masks messages. Keeps its buffers, so that masking many messages allocates little.
#[derive(Debug, Default)]
pub struct Masker {
    pieces: Vec<Piece>,
    canon: String,
    slots: Vec<u8>,
}

/// A message and its pieces.
#[derive(Debug)]
pub struct Masked<'a> {
    text: &'a str,
    pieces: &'a [Piece],
    /// The comparable form.
    pub canon: &'a str,
    /// The words of the comparable form, from 0, that punctuation sets apart.
    pub slots: &'a [u8],
}

impl Masker {
    /// A masker with empty buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Masks a message.
    pub fn mask<'a>(&'a mut self, text: &'a str) -> Masked<'a> {
        self.mask_with(text, |_, _| {})
    }

    /// Masks a message; `more` may turn further pieces into variables.
    pub(super) fn mask_with<'a>(
        &'a mut self,
        text: &'a str,
        more: impl FnOnce(&str, &mut Vec<Piece>),
    ) -> Masked<'a> {
        let text = &text[..text.floor_char_boundary(MOST_MASKED_BYTES)];
        self.pieces.clear();
        split(text, &mut self.pieces);
        self.pieces.truncate(MOST_PIECES);
        more(text, &mut self.pieces);
        phrase::read(text, &mut self.pieces);
        write_canon(text, &self.pieces, &mut self.canon, &mut self.slots);
        Masked { text, pieces: &self.pieces, canon: &self.canon, slots: &self.slots }
    }
}

impl Masked<'_> {
    /// The text with placeholders in the place of values.
    #[must_use]
    pub fn template(&self) -> String {
        let mut template = String::with_capacity(self.text.len());
        let mut done = 0;
        let mut pieces = self.pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            let Some(kind) = piece.variable else { continue };
            template.push_str(&self.text[done..piece.start]);
            template.push_str(kind.placeholder());
            done = piece.end;
            // Values in a row are one variable: how many there are is a value itself.
            while let Some(next) = pieces.next_if(|next| self.in_a_row(done, next)) {
                done = next.end;
            }
        }
        template.push_str(&self.text[done..]);
        template
    }

    fn in_a_row(&self, end: usize, next: &Piece) -> bool {
        let gap = self.text.get(end..next.start).unwrap_or_default();
        next.variable.is_some() && matches!(gap.trim(), "" | ",")
    }

    /// The part of the text that was looked at.
    pub(super) fn text(&self) -> &str {
        self.text
    }

    /// Where the words and variables stand in the text, in order.
    pub(super) fn spans(&self) -> impl Iterator<Item = (usize, usize, Option<Variable>)> {
        self.pieces.iter().map(|piece| (piece.start, piece.end, piece.variable))
    }
}

fn write_canon(text: &str, pieces: &[Piece], canon: &mut String, slots: &mut Vec<u8>) {
    canon.clear();
    slots.clear();
    let mut ending = Ending::default();
    let mut has_words = false;
    let mut after_variable = false;
    for (at, piece) in pieces.iter().enumerate() {
        let is_variable = piece.variable.is_some();
        if is_variable && after_variable {
            continue;
        }
        after_variable = is_variable;
        has_words |= !is_variable;
        ending.begin_word(canon.len());
        if !canon.is_empty() {
            canon.push(' ');
        }
        if is_variable {
            canon.push_str(ANY);
        } else {
            let from = canon.len();
            canon.push_str(&text[piece.start..piece.end]);
            // `OrderPlaced` is a name: its capitals tell it from a sentence's words.
            if !has_humps(&canon.as_bytes()[from..]) {
                canon[from..].make_ascii_lowercase();
            }
            // A key is another word than the same word without a value.
            if text.as_bytes().get(piece.end) == Some(&b'=') {
                canon.push('=');
            }
            if let Ok(word) = u8::try_from(ending.words() - 1)
                && is_set_apart(text, pieces, at)
            {
                slots.push(word);
            }
        }
        if let Some(from) = ending.drop_repetition(canon) {
            canon.truncate(from);
            slots.retain(|word| usize::from(*word) < ending.words());
        }
    }
    if let Some(from) = ending.cut_repetition(canon) {
        canon.truncate(from);
        slots.retain(|word| usize::from(*word) < ending.words());
    }
    if !has_words {
        write_kinds(text, pieces, canon);
    }
}

/// Whether a capital follows a small letter.
pub(super) fn has_humps(word: &[u8]) -> bool {
    word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// A message without a word is compared by the kind of its first value and by the letters that this
/// begins with, else all such messages were equal.
fn write_kinds(text: &str, pieces: &[Piece], canon: &mut String) {
    canon.clear();
    let Some((piece, kind)) = pieces.iter().find_map(|piece| Some((piece, piece.variable?))) else {
        // Nothing but punctuation, or nothing: the text itself, so far as it is short.
        canon.push_str(&text[..text.floor_char_boundary(64)]);
        return;
    };
    canon.push_str(kind.placeholder());
    let value = &text[piece.start..piece.end];
    let letters = value.bytes().take_while(u8::is_ascii_alphabetic).count();
    if kind == Variable::Id && letters >= FEWEST_PREFIX_LETTERS {
        canon.push(' ');
        canon.push_str(&value[..letters]);
    }
}

/// How often a text is masked at most.
const MOST_ROUNDS: usize = 8;

/// The text with placeholders in the place of values.
///
/// A placeholder can show that its neighbour is a value too, so this is repeated until nothing
/// changes: masking what is masked changes nothing.
#[must_use]
pub fn mask(text: &str) -> String {
    let mut masker = Masker::new();
    let mut template = masker.mask(text).template();
    for _ in 1..MOST_ROUNDS {
        let again = masker.mask(&template).template();
        if again == template {
            break;
        }
        template = again;
    }
    template
}

#[cfg(test)]
mod tests;
