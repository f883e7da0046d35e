//! Messages that are equal but for the word in one place.

use super::Node;
use super::words::Word;

/// A family's name: a hash of what its members have in common. Of 128 bits, so that two families
/// never share one by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FamilyKey(u128);

impl FamilyKey {
    /// The family of all that differ from `items` only in the place `at`.
    pub(super) fn of(items: &[Word], at: usize) -> Self {
        // FNV-1a: the same on every machine, unlike the standard library's hashes.
        let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        let mut add = |number: u64| {
            hash ^= u128::from(number);
            hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        };
        add(at as u64);
        for (index, word) in items.iter().enumerate() {
            add(if index == at { u64::MAX } else { u64::from(*word) });
        }
        Self(hash)
    }
}

/// A family. Most have one member and stay so, which is why it is kept small.
#[derive(Debug, Clone, Default)]
pub(super) struct Family {
    words: Vec<Word>,
    waiting: Vec<Node>,
    weight: u32,
}

impl Family {
    /// Takes a member in. From the moment that the place varies, tells who is to be folded.
    pub(super) fn join(
        &mut self,
        node: Node,
        word: Word,
        weight: u32,
        threshold: u32,
    ) -> Option<Vec<Node>> {
        // Every node joins a family once, and no two nodes of one family have the same word.
        if self.weight < threshold || self.words.len() < super::explain::MOST_EXAMPLES {
            self.words.push(word);
        }
        self.waiting.push(node);
        self.weight = self.weight.saturating_add(weight);
        (self.weight >= threshold).then(|| std::mem::take(&mut self.waiting))
    }

    /// The words that were seen first.
    pub(super) fn words(&self) -> &[Word] {
        &self.words
    }
}
