//! The miner: folds signatures into groups, by the words that vary between them.
//!
//! Two messages that are equal but for one word belong together when many different words have been
//! seen in that place, and apart when there are few. So the miner keeps, for every message and every
//! word of it, the *family* of messages that differ in that word only. A family that has grown large
//! enough becomes a template, its members one group; and the template is mined like a message, so
//! that further words of it may turn out to vary.
//!
//! Nothing is ever taken apart. Which signatures end in one group does not depend on the order of
//! their arrival; which of them leads it does: the first.

mod explain;
mod family;
mod learning;
mod mining;
mod state;
mod words;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::signature::{Signature, SignatureId, SignatureVersion};
use family::{Families, Family};
use learning::Learned;
use words::{Sentence, Words};

pub use explain::{Explanation, Segment};
pub use state::MinerStateError;

/// Longer messages are equal or not: they are not mined.
const MOST_MINED_WORDS: usize = 64;

/// In longer messages no two words are looked at together: there are too many pairs.
const MOST_PAIRED_WORDS: usize = 12;

/// How many places for values are looked at together.
const MOST_SLOTS: usize = 8;

/// How many different messages are mined. More are grouped by their signature alone.
pub const MOST_MINED_MESSAGES: usize = 20_000;

/// A message or a template: an index into the miner's lists.
type Node = u32;

/// Where a family is kept. Most have one member and stay so, which is why these are kept small.
#[derive(Debug, Clone, Copy)]
enum Seat {
    One(Node),
    Many(u32),
}

/// Folds signatures. Two miners that were given the same signatures in the same order are equal.
#[derive(Debug, Clone)]
pub struct Miner {
    version: SignatureVersion,
    words: Words,
    /// What the nodes are made of.
    sentences: Vec<Sentence>,
    nodes: HashMap<Sentence, Node>,
    /// A forest: the leader of a group is its own leader, and older than its members.
    leaders: Vec<Node>,
    /// The template that a node was folded into, and the family that did it.
    folds: Vec<Option<(Node, u32)>>,
    families: Families<Seat>,
    large: Vec<Family>,
    signatures: Vec<Signature>,
    /// Where a signature stands in `signatures`, and its node if it is mined.
    seats: HashMap<SignatureId, (usize, Option<Node>)>,
    /// The first signature of a node.
    founders: HashMap<Node, usize>,
    /// Joins that are to be made.
    work: Vec<Node>,
    learned: Learned,
}

/// Where a signature was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The group, named by the signature that founded it.
    pub group: SignatureId,
    /// Whether this signature founded it.
    pub is_new: bool,
    /// Groups that turned out to be the same as others, in the order in which they are to be moved. They need not have
    /// to do with `group`: what varies here may show what varies there.
    pub absorbed: Vec<Absorbed>,
}

/// A group whose signatures belong to another now; both are named by the signature that founded them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absorbed {
    /// The group that is none any more.
    pub group: SignatureId,
    /// Where it belongs.
    pub into: SignatureId,
}

impl Default for Miner {
    fn default() -> Self {
        Self::new()
    }
}

impl Miner {
    /// A miner that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self {
            version: super::signature::CURRENT,
            words: Words::default(),
            sentences: Vec::new(),
            nodes: HashMap::new(),
            leaders: Vec::new(),
            folds: Vec::new(),
            families: Families::default(),
            large: Vec::new(),
            signatures: Vec::new(),
            seats: HashMap::new(),
            founders: HashMap::new(),
            work: Vec::new(),
            learned: Learned::default(),
        }
    }

    /// The version of the signatures that it folds.
    #[must_use]
    pub fn version(&self) -> SignatureVersion {
        self.version
    }

    /// The number of signatures that it was given.
    #[must_use]
    pub fn len(&self) -> usize {
        self.signatures.len()
    }

    /// Whether it was given none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.signatures.is_empty()
    }

    /// Whether it mines no further messages: new ones are groups of their own.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.sentences.len() >= MOST_MINED_MESSAGES
    }

    /// Puts a signature into its group. A signature that is known stays where it is.
    pub fn insert(&mut self, signature: &Signature) -> Placement {
        let is_known = self.seats.contains_key(&signature.id);
        let mut absorbed = Vec::new();
        if !is_known {
            let seat = self.signatures.len();
            let mined = self.is_mined(signature).then(|| self.mine(signature));
            let node = mined.map(|(node, change)| {
                self.founders.entry(node).or_insert(seat);
                absorbed = change.absorbed;
                node
            });
            self.signatures.push(signature.clone());
            self.seats.insert(signature.id, (seat, node));
        }
        let group = self.group_of(signature.id).unwrap_or(signature.id);
        Placement { group, is_new: !is_known && group == signature.id, absorbed }
    }

    /// The group of a signature, named by the signature that founded it.
    #[must_use]
    pub fn group_of(&self, id: SignatureId) -> Option<SignatureId> {
        let (_, node) = self.seats.get(&id)?;
        match node {
            Some(node) => self.founder(self.leader(*node)),
            None => Some(id),
        }
    }

    fn founder(&self, node: Node) -> Option<SignatureId> {
        self.founders.get(&node).map(|seat| self.signatures[*seat].id)
    }

    fn is_mined(&self, signature: &Signature) -> bool {
        !signature.canon.is_empty() && !self.is_full()
    }
}
