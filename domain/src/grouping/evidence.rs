//! When a place in a message counts as a variable: how many words must have been seen in it.
//!
//! Weights are never negative and thresholds depend only on the words around the place. So what
//! has been found to vary stays so whatever comes later, and the order of arrival does not matter.

use super::mask::has_humps;
use super::vocabulary::{is_account, is_introducer, is_telling, is_telling_key};

/// What an ordinary word weighs.
const WORD: u32 = 4;

/// What stands before a place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Before<'a> {
    /// Nothing: the message begins with it.
    Start,
    /// A variable.
    Variable,
    /// A word.
    Word(&'a str),
}

impl Before<'_> {
    fn is_key(self) -> bool {
        matches!(self, Self::Word(word) if is_key(word))
    }
}

/// What one more word in a place weighs.
pub(super) fn weight(before: Before<'_>, word: &str) -> u32 {
    if is_telling(word) {
        WORD / 4
    } else if before.is_key() {
        if looks_named(word) { 2 * WORD } else { WORD }
    } else if is_name(word) {
        // Two of them are enough anywhere.
        5 * WORD / 2
    } else if looks_named(word) {
        3 * WORD / 2
    } else {
        WORD
    }
}

/// The weight from which a place varies; `None` when it never can.
///
/// `constants` is the number of words around the place: the less else two messages have in common,
/// the more it takes. The word that a message begins with tells what it is about, so it takes more.
pub(super) fn threshold(before: Before<'_>, constants: usize) -> Option<u32> {
    let words = match before {
        // `reason=`: what follows tells what happened.
        Before::Word(key) if is_key(key) && is_telling_key(&key[..key.len() - 1]) => 12,
        Before::Word(key) if is_key(key) => 4,
        // Three words, or two that are spelled like names.
        Before::Word(noun) if is_introducer(noun) && constants >= 3 => 3,
        Before::Start if constants < 3 => return None,
        _ => match constants {
            0 => return None,
            1 => 16,
            2 => 10,
            3 => 6,
            _ => 5,
        },
    };
    Some(words * WORD)
}

/// Whether a place is one for values, by the word before it or by the looks of the word in it.
pub(super) fn is_slot(before: Before<'_>, word: &str) -> bool {
    let named = matches!(before, Before::Word(word) if is_key(word) || is_introducer(word));
    named || (looks_named(word) && !is_key(word) && !is_telling(word))
}

/// Whether a word is spelled like a name in a program: `order_total`, `OrderPlaced`, `acme.orders`.
fn looks_named(word: &str) -> bool {
    word.contains(['_', '.', '\\', '$']) || has_humps(word.as_bytes())
}

fn is_key(word: &str) -> bool {
    word.ends_with('=')
}

/// An account's name, or a single letter that is no English word: it names something.
fn is_name(word: &str) -> bool {
    is_account(word) || (word.len() == 1 && !matches!(word, "a" | "i"))
}
