//! Messages that are equal but for the words in one place, or in a few.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::Node;
use super::words::{Sentence, Word};
use crate::grouping::evidence::{Bars, Kind, Traits};
use crate::grouping::hashing::{AsItIs, mix};

/// A family's name: a hash of what its members have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FamilyKey(u64);

/// The words of a message, hashed one by one, so that the key of each of its many families is made
/// by a few additions.
pub(super) struct Hashes {
    words: Vec<u64>,
    /// What stands for any word in a place.
    any: Vec<u64>,
    sum: u64,
}

impl Hashes {
    pub(super) fn of(sentence: &Sentence) -> Self {
        let places = sentence.words.iter().enumerate();
        let words: Vec<u64> = places.clone().map(|(at, word)| mix(at, u64::from(*word))).collect();
        let sum = words.iter().fold(mix(words.len(), 0), |sum, word| sum.wrapping_add(*word));
        let any = places.map(|(at, _)| mix(at, u64::MAX - u64::from(sentence.is_apart(at))));
        Self { any: any.collect(), words, sum }
    }

    /// The family of all that differ only in `places`, and have each of these set apart or not.
    pub(super) fn family(&self, places: &[usize], agreement: Agreement) -> FamilyKey {
        let without = places.iter().fold(self.sum, |sum, at| {
            sum.wrapping_sub(self.words[*at]).wrapping_add(self.any[*at])
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
struct Place {
    words: Vec<Word>,
    /// What the names weigh.
    names: u32,
    /// What names and words of the language weigh.
    nouns: u32,
    /// What all words weigh.
    all: u32,
    bars: Bars,
}

impl Place {
    fn see(&mut self, word: Word, traits: Traits) {
        if self.all < self.bars.any && !self.words.contains(&word) {
            self.words.push(word);
            self.all = self.all.saturating_add(traits.weight);
            if traits.kind != Kind::Telling {
                self.nouns = self.nouns.saturating_add(traits.weight);
            }
            if self.counts(traits.kind) {
                self.names = self.names.saturating_add(traits.weight);
            }
        }
    }

    /// A word turns out to be a name.
    fn learn(&mut self, word: Word, before: Traits) {
        if self.words.contains(&word) {
            let weight = before.learned().weight;
            self.all = self.all.saturating_add(weight - before.weight);
            self.nouns = self.nouns.saturating_add(weight - before.weight);
            let counted = if self.counts(before.kind) { before.weight } else { 0 };
            self.names = self.names.saturating_add(weight - counted);
        }
    }

    /// Whether a word counts like a name here.
    fn counts(&self, kind: Kind) -> bool {
        kind == Kind::Name || (kind == Kind::Language && self.bars.is_introduced)
    }

    fn varies_for(&self, kind: Kind) -> bool {
        let of_names = self.names >= self.bars.names;
        let of_any = self.all >= self.bars.any;
        match kind {
            kind if self.counts(kind) => of_names,
            Kind::Name | Kind::Language => {
                of_any
                    || self.nouns >= self.bars.nouns
                    || (of_names && self.all >= self.bars.language)
            }
            Kind::Telling => of_any,
        }
    }
}

/// Which places of a family vary, as bits, for words of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Varying {
    names: u32,
    language: u32,
    telling: u32,
}

impl Varying {
    pub(super) fn has(self, place: usize, kind: Kind) -> bool {
        let bits = match kind {
            Kind::Name => self.names,
            Kind::Language => self.language,
            Kind::Telling => self.telling,
        };
        bits >> place & 1 == 1
    }
}

/// A family of more than one member.
#[derive(Debug, Clone)]
pub(super) struct Family {
    agreement: Agreement,
    places: Vec<Place>,
    members: Vec<Node>,
    varying: Varying,
}

/// What may have to be folded: these members, in the places that vary for their words.
pub(super) struct Fold {
    pub(super) agreement: Agreement,
    pub(super) members: Vec<Node>,
    pub(super) varying: Varying,
}

impl Family {
    pub(super) fn new(agreement: Agreement, bars: &[Bars]) -> Self {
        let place =
            |bars: &Bars| Place { words: Vec::new(), names: 0, nouns: 0, all: 0, bars: *bars };
        let places = bars.iter().map(place).collect();
        Self { agreement, places, members: Vec::new(), varying: Varying::default() }
    }

    /// Takes a member in, with its words in the family's places.
    pub(super) fn join(&mut self, node: Node, words: &[(Word, Traits)]) -> Fold {
        for (place, (word, traits)) in self.places.iter_mut().zip(words) {
            place.see(*word, *traits);
        }
        self.members.push(node);
        if self.look() { self.fold(self.members.clone()) } else { self.fold(vec![node]) }
    }

    /// Weighs a word that was seen in a place as a name, which it turned out to be.
    pub(super) fn learn(&mut self, place: usize, word: Word, before: Traits) -> Fold {
        self.places[place].learn(word, before);
        self.look();
        // That word's members may be folded now, even if no other place or word is.
        self.fold(self.members.clone())
    }

    fn fold(&self, members: Vec<Node>) -> Fold {
        Fold { agreement: self.agreement, members, varying: self.varying }
    }

    /// Looks which places vary; tells whether more of them do than before.
    fn look(&mut self) -> bool {
        let bits = |kind| {
            let places = self.places.iter().enumerate();
            places.fold(0, |bits, (at, place)| bits | u32::from(place.varies_for(kind)) << at)
        };
        let varying = Varying {
            names: bits(Kind::Name),
            language: bits(Kind::Language),
            telling: bits(Kind::Telling),
        };
        let before = std::mem::replace(&mut self.varying, varying);
        before != varying
    }

    /// The words that were seen first in a place.
    pub(super) fn words(&self, place: usize) -> &[Word] {
        self.places.get(place).map_or(&[], |place| &place.words)
    }
}
