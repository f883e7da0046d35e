//! Messages that are equal but for the words in one place, or in a few.

use super::Node;
use super::words::Word;

/// A family's name: a hash of what its members have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FamilyKey(u64);

impl FamilyKey {
    /// The family of all that differ from `items` only in `places`.
    pub(super) fn of(items: &[Word], places: &[usize]) -> Self {
        // The same on every machine, unlike the standard library's hashes.
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        let mut add = |number: u64| {
            hash = (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        };
        for (index, word) in items.iter().enumerate() {
            let varies = places.contains(&index);
            add(if varies { u64::MAX } else { u64::from(*word) });
        }
        Self(hash)
    }
}

/// How the places of a family come to vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    /// All of them, or none.
    Together,
    /// Each by itself.
    Each,
}

/// One place of a family.
#[derive(Debug, Clone)]
pub(super) struct Place {
    words: Vec<Word>,
    weight: u32,
    threshold: u32,
}

impl Place {
    fn new(threshold: u32) -> Self {
        Self {
            words: Vec::new(),
            weight: 0,
            threshold,
        }
    }

    fn varies(&self) -> bool {
        self.weight >= self.threshold
    }

    fn see(&mut self, word: Word, weight: u32) {
        if !self.varies() && !self.words.contains(&word) {
            self.words.push(word);
            self.weight = self.weight.saturating_add(weight);
        }
    }
}

/// A family of more than one member.
#[derive(Debug, Clone)]
pub(super) struct Family {
    agreement: Agreement,
    places: Vec<Place>,
    members: Vec<Node>,
    /// The places that vary, as bits.
    varying: u32,
}

/// What is to be folded after a join: these members, in these places.
pub(super) struct Fold {
    pub(super) members: Vec<Node>,
    /// Bits of the family's places.
    pub(super) varying: u32,
}

impl Family {
    pub(super) fn new(agreement: Agreement, thresholds: &[u32]) -> Self {
        Self {
            agreement,
            places: thresholds.iter().copied().map(Place::new).collect(),
            members: Vec::new(),
            varying: 0,
        }
    }

    /// Takes a member in, with its words and their weights in the family's places.
    pub(super) fn join(&mut self, node: Node, words: &[(Word, u32)]) -> Option<Fold> {
        for (place, (word, weight)) in self.places.iter_mut().zip(words) {
            place.see(*word, *weight);
        }
        let varying = self.now_varying();
        let is_news = varying != self.varying;
        self.varying = varying;
        if varying == 0 {
            self.members.push(node);
            return None;
        }
        // All places vary: nobody has to be looked at again.
        if varying.count_ones() as usize == self.places.len() {
            let mut members = std::mem::take(&mut self.members);
            members.push(node);
            return Some(Fold { members, varying });
        }
        self.members.push(node);
        let members = if is_news {
            self.members.clone()
        } else {
            vec![node]
        };
        Some(Fold { members, varying })
    }

    fn now_varying(&self) -> u32 {
        let bits = self.places.iter().enumerate();
        let varying = bits.fold(0, |bits, (at, place)| {
            bits | u32::from(place.varies()) << at
        });
        let all = varying.count_ones() as usize == self.places.len();
        if self.agreement == Agreement::Together && !all {
            0
        } else {
            varying
        }
    }

    /// The words that were seen first in a place.
    pub(super) fn words(&self, place: usize) -> &[Word] {
        self.places.get(place).map_or(&[], |place| &place.words)
    }
}
