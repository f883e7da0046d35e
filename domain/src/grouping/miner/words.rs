//! Words as numbers: comparing messages is comparing numbers.

use std::collections::HashMap;

use crate::grouping::evidence::Traits;
use crate::grouping::mask::ANY;

/// A word's number.
pub(super) type Word = u32;

/// The word that stands for a variable.
pub(super) const VARIABLE: Word = 0;

/// All words that were seen.
#[derive(Debug, Clone)]
pub(super) struct Words {
    numbers: HashMap<Box<str>, Word>,
    names: Vec<Box<str>>,
    traits: Vec<Traits>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            numbers: HashMap::from([(ANY.into(), VARIABLE)]),
            names: vec![ANY.into()],
            traits: vec![Traits::of(ANY)],
        }
    }
}

impl Words {
    /// A scope and the words of a message.
    pub(super) fn of(&mut self, scope: &str, canon: &str) -> Box<[Word]> {
        let scope = self.number(&format!("scope {scope}"));
        let words: Vec<Word> = canon.split(' ').map(|word| self.number(word)).collect();
        std::iter::once(scope).chain(words).collect()
    }

    fn number(&mut self, name: &str) -> Word {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let number = Word::try_from(self.names.len()).expect("the miner is bounded");
        self.names.push(name.into());
        self.traits.push(Traits::of(name));
        self.numbers.insert(name.into(), number);
        number
    }

    pub(super) fn name(&self, word: Word) -> &str {
        &self.names[word as usize]
    }

    pub(super) fn traits(&self, word: Word) -> Traits {
        self.traits[word as usize]
    }
}

/// The words of a message or a template, and which of them punctuation sets apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Sentence {
    /// The first is the scope.
    pub(super) words: Box<[Word]>,
    /// Bits of the words.
    apart: u128,
}

impl Sentence {
    /// A scope with the words of a message, of which these, from 0, are set apart.
    pub(super) fn new(words: Box<[Word]>, slots: &[u8]) -> Self {
        let apart = slots.iter().fold(0, |bits, slot| bits | bit(usize::from(*slot) + 1));
        Self { words, apart }
    }

    /// Whether the word in this place is set apart.
    pub(super) fn is_apart(&self, place: usize) -> bool {
        self.apart & bit(place) != 0
    }

    /// The same with the word in this place set apart.
    pub(super) fn set_apart(&self, place: usize) -> Self {
        Self { apart: self.apart | bit(place), ..self.clone() }
    }

    /// The message with variables in more places. Variables side by side are one.
    pub(super) fn with_variables(&self, places: &[usize]) -> Self {
        let mut collapsed: Vec<Word> = Vec::with_capacity(self.words.len());
        let mut apart = 0;
        for (index, word) in self.words.iter().enumerate() {
            let word = if places.contains(&index) { VARIABLE } else { *word };
            if word != VARIABLE || collapsed.last() != Some(&VARIABLE) {
                if word != VARIABLE && self.is_apart(index) {
                    apart |= bit(collapsed.len());
                }
                collapsed.push(word);
            }
        }
        Self { words: collapsed.into_boxed_slice(), apart }
    }
}

/// Longer messages are not mined, so that what does not fit is not asked for.
fn bit(place: usize) -> u128 {
    u32::try_from(place).ok().and_then(|place| 1_u128.checked_shl(place)).unwrap_or(0)
}
