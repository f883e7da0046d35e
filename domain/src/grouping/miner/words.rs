//! Words as numbers: comparing messages is comparing numbers.

use std::collections::HashMap;

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
}

impl Default for Words {
    fn default() -> Self {
        Self { numbers: HashMap::from([(ANY.into(), VARIABLE)]), names: vec![ANY.into()] }
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
        self.numbers.insert(name.into(), number);
        number
    }

    pub(super) fn name(&self, word: Word) -> &str {
        &self.names[word as usize]
    }
}

/// A message with variables in more places. Variables side by side are one.
pub(super) fn with_variables(items: &[Word], places: &[usize]) -> Box<[Word]> {
    let mut collapsed: Vec<Word> = Vec::with_capacity(items.len());
    for (index, word) in items.iter().enumerate() {
        let word = if places.contains(&index) { VARIABLE } else { *word };
        if word != VARIABLE || collapsed.last() != Some(&VARIABLE) {
            collapsed.push(word);
        }
    }
    collapsed.into_boxed_slice()
}
