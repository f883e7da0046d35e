//! Words that were found to be values in one place are values in others, too: the tenants of one message are those of
//! the next.

use std::collections::{HashMap, HashSet};

use super::mining::Change;
use super::words::{VARIABLE, Word};
use super::{MOST_MINED_WORDS, Miner, Node};
use crate::grouping::evidence::{Kind, Traits};

/// So many words that tell something are left of a message, where it is compared without its known values.
const FEWEST_CONSTANTS: usize = 2;

/// What was learned of words.
#[derive(Debug, Clone, Default)]
pub(super) struct Learned {
    /// Words that are values.
    values: HashSet<Word>,
    /// Those of which the consequences are still to be drawn.
    pub(super) news: Vec<Word>,
    /// Where a word of the language was seen: the family, which of its places, and all of them.
    sightings: HashMap<Word, Vec<Sighting>>,
    /// The nodes that hold a word.
    holders: HashMap<Word, Vec<Node>>,
    /// Messages without their known values.
    bare: HashMap<Box<[Word]>, Bare>,
}

/// Who shares a message without its known values.
#[derive(Debug, Clone, Copy)]
struct Bare {
    first: Node,
    is_shared: bool,
}

#[derive(Debug, Clone)]
struct Sighting {
    family: u32,
    place: usize,
    places: Box<[usize]>,
}

impl Learned {
    pub(super) fn hold(&mut self, node: Node, words: &[Word]) {
        for word in words.iter().skip(1).filter(|word| **word != VARIABLE) {
            let holders = self.holders.entry(*word).or_default();
            if holders.last() != Some(&node) {
                holders.push(node);
            }
        }
    }
}

impl Miner {
    /// What is known of a word by now.
    pub(super) fn traits(&self, word: Word) -> Traits {
        let traits = self.words.traits(word);
        if self.learned.values.contains(&word) { traits.learned() } else { traits }
    }

    /// Notes that a word was seen in one of a family's places, so that it can be weighed anew.
    pub(super) fn sight(&mut self, word: Word, family: u32, place: usize, places: &[usize]) {
        if self.traits(word).kind == Kind::Language {
            let sighting = Sighting { family, place, places: places.into() };
            self.learned.sightings.entry(word).or_default().push(sighting);
        }
    }

    /// Takes a word that varies in a family for a value. One that tells what happened never is.
    pub(super) fn learn(&mut self, word: Word) {
        let can_be_value = self.words.traits(word).kind != Kind::Telling;
        if can_be_value && self.learned.values.insert(word) {
            self.learned.news.push(word);
        }
    }

    /// Draws the consequences of a word's being a value.
    pub(super) fn apply(&mut self, word: Word, change: &mut Change) {
        let before = self.words.traits(word);
        for sighting in self.learned.sightings.remove(&word).unwrap_or_default() {
            let Sighting { family, place, places } = sighting;
            let fold = self.large[family as usize].learn(place, word, before);
            self.fold_all(family, &places, &fold, change);
        }
        for node in self.learned.holders.get(&word).cloned().unwrap_or_default() {
            self.compare_bare(node, change);
        }
    }

    /// Makes one group of the messages that differ in known values alone.
    pub(super) fn compare_bare(&mut self, node: Node, change: &mut Change) {
        let Some(bare) = self.without_values(node) else { return };
        let same = self.learned.bare.entry(bare).or_insert(Bare { first: node, is_shared: false });
        same.is_shared |= same.first != node;
        let first = same.first;
        self.join_groups(node, first, change);
    }

    /// A node without its known values, if others are the same without theirs.
    pub(super) fn shared_bare(&self, node: Node) -> Option<Box<[Word]>> {
        self.without_values(node)
            .filter(|bare| self.learned.bare.get(bare).is_some_and(|same| same.is_shared))
    }

    /// A node without its known values; `None` if too little would be left to compare. Words of the language stay here,
    /// however often they were values: `name`, `file`.
    fn without_values(&self, node: Node) -> Option<Box<[Word]>> {
        let sentence = &self.sentences[node as usize];
        let words = &sentence.words;
        let kind = |word: Word| self.words.traits(word).kind;
        let tells = |word: &&Word| **word != VARIABLE && kind(**word) != Kind::Name;
        let constants = words.iter().skip(1).filter(tells).count();
        if words.len() > MOST_MINED_WORDS + 1 || constants < FEWEST_CONSTANTS {
            return None;
        }
        let is_value = |at: &usize| {
            kind(words[*at]) == Kind::Name && self.learned.values.contains(&words[*at])
        };
        let places: Vec<usize> = (1..words.len()).filter(is_value).collect();
        Some(sentence.with_variables(&places).words)
    }
}
