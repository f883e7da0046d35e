//! The miner: folds signatures into groups, by the words that vary between them.
//!
//! Two messages that are equal but for one word belong together when many different words have been
//! seen in that place, and apart when there are few. So the miner keeps, for every message and every
//! word of it, the *family* of messages that differ in that word only. A family that has grown large
//! enough becomes a template, its members one group; and the template is mined like a message, so
//! that further words of it may turn out to vary.
//!
//! Nothing is ever taken apart, and the groups do not depend on the order of arrival.

use std::collections::HashMap;

use super::evidence::{threshold, weight};
use super::mask::ANY;

/// Number of a word. 0 is a variable.
type Word = u32;

const VARIABLE: Word = 0;

/// In a family's key: the place that may vary.
const PLACE: Word = Word::MAX;

/// More words than this are not looked at: longer messages are equal or not.
const MOST_MINED_WORDS: usize = 64;

/// Folds messages.
#[derive(Debug, Default)]
pub struct Miner {
    words: HashMap<Box<str>, Word>,
    names: Vec<Box<str>>,
    nodes: HashMap<Vec<Word>, usize>,
    leaders: Vec<usize>,
    families: HashMap<Vec<Word>, Family>,
    seen: HashMap<Box<str>, usize>,
}

#[derive(Debug, Default)]
struct Family {
    words: Vec<Word>,
    weight: u32,
    members: Vec<usize>,
    template: Option<usize>,
}

impl Miner {
    /// An empty miner.
    #[must_use]
    pub fn new() -> Self {
        Self { names: vec![ANY.into()], ..Self::default() }
    }

    /// Insert.
    pub fn insert(&mut self, canon: &str) -> usize {
        if let Some(node) = self.seen.get(canon) {
            return *node;
        }
        let items = canon.split(' ').map(|word| self.word(word)).collect();
        let node = self.node(items);
        self.seen.insert(canon.into(), node);
        node
    }

    /// The leader.
    pub fn leader(&self, mut node: usize) -> usize {
        while self.leaders[node] != node {
            node = self.leaders[node];
        }
        node
    }

    fn word(&mut self, word: &str) -> Word {
        if word == ANY {
            return VARIABLE;
        }
        if let Some(known) = self.words.get(word) {
            return *known;
        }
        let id = Word::try_from(self.names.len()).unwrap();
        self.names.push(word.into());
        self.words.insert(word.into(), id);
        id
    }

    fn node(&mut self, items: Vec<Word>) -> usize {
        let mut work = vec![items];
        let mut first = None;
        while let Some(items) = work.pop() {
            if let Some(known) = self.nodes.get(&items) {
                first.get_or_insert(*known);
                continue;
            }
            let node = self.leaders.len();
            self.leaders.push(node);
            self.nodes.insert(items.clone(), node);
            first.get_or_insert(node);
            for at in 0..items.len().min(MOST_MINED_WORDS) {
                if items[at] != VARIABLE {
                    self.join(&items, at, node, &mut work);
                }
            }
        }
        first.unwrap()
    }

    fn join(&mut self, items: &[Word], at: usize, node: usize, work: &mut Vec<Vec<Word>>) {
        let mut key = items.to_vec();
        key[at] = PLACE;
        let constants = items.iter().filter(|w| **w != VARIABLE).count() - 1;
        let before = at.checked_sub(1).map(|b| items[b]).filter(|w| *w != VARIABLE);
        let before = before.map(|w| &*self.names[w as usize]);
        let Some(threshold) = threshold(before, constants) else { return };
        let name = &self.names[items[at] as usize];
        let family = self.families.entry(key).or_default();
        family.members.push(node);
        if !family.words.contains(&items[at]) {
            family.words.push(items[at]);
            family.weight += weight(name);
        }
        if family.weight < threshold {
            return;
        }
        let template = collapse(items, at);
        let members = std::mem::take(&mut family.members);
        // fold
        if family.template.is_none() {
            family.template = Some(0);
            if !self.nodes.contains_key(&template) {
                let id = self.leaders.len();
                self.leaders.push(id);
                self.nodes.insert(template.clone(), id);
                for at in 0..template.len().min(MOST_MINED_WORDS) {
                    if template[at] != VARIABLE {
                        self.join(&template, at, id, work);
                    }
                }
            }
        }
        let t = self.nodes[&template];
        for m in members {
            self.union(m, t);
        }
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.leader(a), self.leader(b));
        let (low, high) = (a.min(b), a.max(b));
        self.leaders[high] = low;
    }
}

fn collapse(items: &[Word], at: usize) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::with_capacity(items.len());
    for (i, w) in items.iter().enumerate() {
        let w = if i == at { VARIABLE } else { *w };
        if w == VARIABLE && out.last() == Some(&VARIABLE) {
            continue;
        }
        out.push(w);
    }
    out
}
