//! When a place in a message counts as a variable: what must have been seen in it.
//!
//! Weights are never negative and thresholds depend only on the words around the place. So what
//! has been found to vary stays so whatever comes later, and the order of arrival does not matter.

use super::mask::has_humps;
use super::vocabulary::{
    is_account, is_introducer, is_language, is_telling, is_telling_key, is_verb_auxiliary,
    is_volition,
};

/// What a name weighs.
const NAME: u32 = 4;

/// How a word reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It names something.
    Name,
    /// It belongs to the language of failures.
    Language,
    /// It tells what happened.
    Telling,
}

/// What a word says of the place behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leads {
    /// Nothing.
    Anywhere,
    /// A name: `user`, `queue`.
    ToName,
    /// A value: `tenant=`.
    ToValue,
    /// A value that tells what happened: `reason=`.
    ToReason,
    /// A verb: `cannot`.
    ToVerb,
    /// A verb, with `to` between them: `failed to`.
    ToInfinitive,
    /// It is the `to` of an infinitive, or one of place.
    To,
}

/// What is known of a word by itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Traits {
    pub(super) kind: Kind,
    pub(super) leads: Leads,
    /// What it weighs.
    pub(super) weight: u32,
}

impl Traits {
    pub(super) fn of(word: &str) -> Self {
        let (kind, weight) = if word.len() == 1 && !matches!(word, "a" | "i") {
            // A single letter that is not an English word.
            (Kind::Name, 2 * NAME)
        } else if is_telling(word) || word.ends_with('=') {
            (Kind::Telling, NAME / 4)
        } else if looks_named(word) {
            (Kind::Name, 3 * NAME / 2)
        } else if is_account(word) || !is_language(word) {
            (Kind::Name, NAME)
        } else {
            (Kind::Language, NAME / 2)
        };
        Self { kind, leads: Leads::of(word), weight }
    }

    /// The same word, having turned out to be a name.
    pub(super) fn learned(self) -> Self {
        Self { kind: Kind::Name, weight: self.weight.max(NAME), ..self }
    }
}

impl Leads {
    fn of(word: &str) -> Self {
        match word.strip_suffix('=') {
            Some(key) if is_telling_key(key) => Self::ToReason,
            Some(_) => Self::ToValue,
            None if word == "to" => Self::To,
            None if is_verb_auxiliary(word) => Self::ToVerb,
            None if is_volition(word) => Self::ToInfinitive,
            None if is_introducer(word) => Self::ToName,
            None => Self::Anywhere,
        }
    }
}

/// What stands before a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing: the message begins with it.
    Start,
    /// A variable.
    Variable,
    /// A word.
    Word(Leads),
}

/// The weights from which a place varies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bars {
    /// For names: what the names in it weigh.
    pub(super) names: u32,
    /// Whether words of the language count like names: `user test`.
    pub(super) is_introduced: bool,
    /// For words of the language, where names vary: what all words in it weigh.
    pub(super) language: u32,
    /// For words of the language: what names and words of the language in it weigh, also where no names are.
    pub(super) nouns: u32,
    /// For any word: what all words in it weigh.
    pub(super) any: u32,
}

/// The weights from which a place varies; `None` when it never does.
///
/// `constants` is the number of words around the place: the less else two messages have in common, the more it takes.
/// The word that a message begins with tells what it is about, so it takes more, unless punctuation sets it apart.
pub(super) fn bars(before: Before, is_apart: bool, constants: usize) -> Option<Bars> {
    let (names, language) = match (before, constants) {
        // `cannot open` and `cannot close` are two failures.
        (_, 0) | (Before::Word(Leads::ToVerb), _) => return None,
        (Before::Word(Leads::ToReason), _) => (12, 12),
        (Before::Word(Leads::ToValue), _) => (3, 4),
        (Before::Word(Leads::ToName), 2..) => (2, 4),
        (_, 1) if is_apart => (3, 6),
        (_, _) if is_apart => (2, 3),
        (Before::Start, 1) => (6, 16),
        (Before::Start, 2) => (5, 12),
        (Before::Start, _) => (3, 6),
        (_, 1) => (4, 10),
        (_, _) => (2, 3),
    };
    // The more words messages have in common, the less likely the one that differs tells another failure.
    let nouns = match constants {
        0 | 1 => 2 * language,
        2 => 6,
        3 => 4,
        _ => 3,
    };
    let is_introduced = matches!(before, Before::Word(Leads::ToName | Leads::ToValue));
    Some(Bars {
        names: names * NAME,
        is_introduced,
        language: language * NAME,
        nouns: NAME * nouns,
        any: 2 * language * NAME,
    })
}

/// Whether a place is one for values, by what stands before it or by the word in it.
pub(super) fn is_slot(before: Before, is_apart: bool, word: Traits) -> bool {
    match before {
        Before::Word(Leads::ToVerb) => false,
        Before::Word(Leads::ToName | Leads::ToValue | Leads::ToReason) => true,
        _ => is_apart || word.kind == Kind::Name,
    }
}

/// Whether a word is spelled like a name in a program: `order_total`, `OrderPlaced`, `acme.orders`.
fn looks_named(word: &str) -> bool {
    word.contains(['_', '.', '\\', '$']) || has_humps(word.as_bytes())
}
