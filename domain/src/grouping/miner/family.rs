//! Messages that are equal but for the words in one place, or in a few.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::Node;
use super::words::Word;
use crate::grouping::hashing::{AsItIs, mix};

/// A family's name: a hash of what its members have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FamilyKey(u64);

/// The words of a message, hashed one by one, so that the key of each of its many families is made
/// by a few additions.
pub(super) struct Hashes {
    words: Vec<u64>,
    sum: u64,
}

impl Hashes {
    pub(super) fn of(items: &[Word]) -> Self {
        let hashed = |(at, word): (usize, &Word)| mix(at, u64::from(*word));
        let words: Vec<u64> = items.iter().enumerate().map(hashed).collect();
        let sum = words.iter().fold(mix(items.len(), 0), |sum, word| sum.wrapping_add(*word));
        Self { words, sum }
    }

    /// The family of all that differ only in `places`.
    pub(super) fn family(&self, places: &[usize], agreement: Agreement) -> FamilyKey {
        let without = places.iter().fold(self.sum, |sum, at| {
            sum.wrapping_sub(self.words[*at]).wrapping_add(mix(*at, u64::MAX))
        });
        FamilyKey(mix(agreement as usize, without))
    }
}

/// Families by their keys. A key is a hash already and is not hashed again.
pub(super) type Families<T> = HashMap<FamilyKey, T, BuildHasherDefault<AsItIs>>;

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
        Self { words: Vec::new(), weight: 0, threshold }
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
        let members = if is_news { self.members.clone() } else { vec![node] };
        Some(Fold { members, varying })
    }

    fn now_varying(&self) -> u32 {
        let bits = self.places.iter().enumerate();
        let varying = bits.fold(0, |bits, (at, place)| bits | u32::from(place.varies()) << at);
        let all = varying.count_ones() as usize == self.places.len();
        if self.agreement == Agreement::Together && !all { 0 } else { varying }
    }

    /// The words that were seen first in a place.
    pub(super) fn words(&self, place: usize) -> &[Word] {
        self.places.get(place).map_or(&[], |place| &place.words)
    }
}
