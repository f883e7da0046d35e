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
mod state;
mod words;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::evidence::{self, Before};
use super::signature::{Signature, SignatureId, SignatureVersion};
use family::{Agreement, Family, FamilyKey};
use words::{VARIABLE, Word, Words};

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
    /// What the nodes are made of; the first word is the scope.
    items: Vec<Box<[Word]>>,
    nodes: HashMap<Box<[Word]>, Node>,
    /// A forest: the leader of a group is its own leader, and older than its members.
    leaders: Vec<Node>,
    /// The template that a node was folded into, and the family that did it.
    folds: Vec<Option<(Node, u32)>>,
    families: HashMap<FamilyKey, Seat>,
    large: Vec<Family>,
    signatures: Vec<Signature>,
    /// Where a signature stands in `signatures`, and its node if it is mined.
    seats: HashMap<SignatureId, (usize, Option<Node>)>,
    /// The first signature of a node.
    founders: HashMap<Node, usize>,
    /// Joins that are to be made.
    work: Vec<Node>,
}

/// Where a signature was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The group, named by the signature that founded it.
    pub group: SignatureId,
    /// Whether this signature founded it.
    pub is_new: bool,
    /// Groups that turned out to be the same as `group`: their signatures belong there now.
    pub absorbed: Vec<SignatureId>,
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
            items: Vec::new(),
            nodes: HashMap::new(),
            leaders: Vec::new(),
            folds: Vec::new(),
            families: HashMap::new(),
            large: Vec::new(),
            signatures: Vec::new(),
            seats: HashMap::new(),
            founders: HashMap::new(),
            work: Vec::new(),
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
        self.items.len() >= MOST_MINED_MESSAGES
    }

    /// Puts a signature into its group. A signature that is known stays where it is.
    pub fn insert(&mut self, signature: &Signature) -> Placement {
        let is_known = self.seats.contains_key(&signature.id);
        let mut absorbed = Vec::new();
        if !is_known {
            let seat = self.signatures.len();
            let node = self
                .is_mined(signature)
                .then(|| self.mine(signature, &mut absorbed));
            if let Some(node) = node {
                self.founders.entry(node).or_insert(seat);
            }
            self.signatures.push(signature.clone());
            self.seats.insert(signature.id, (seat, node));
        }
        let group = self.group_of(signature.id).unwrap_or(signature.id);
        Placement {
            group,
            is_new: !is_known && group == signature.id,
            absorbed: absorbed
                .into_iter()
                .filter_map(|leader| self.founder(leader))
                .filter(|absorbed| *absorbed != group)
                .collect(),
        }
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
        self.founders
            .get(&node)
            .map(|seat| self.signatures[*seat].id)
    }

    fn is_mined(&self, signature: &Signature) -> bool {
        !signature.canon.is_empty() && !self.is_full()
    }

    /// The node of a message. Groups that became one with another are added to `absorbed`.
    fn mine(&mut self, signature: &Signature, absorbed: &mut Vec<Node>) -> Node {
        let items = self.words.of(&signature.scope, &signature.canon);
        let node = self.node(items);
        while let Some(next) = self.work.pop() {
            self.join_families(next, node, absorbed);
        }
        node
    }

    fn node(&mut self, items: Box<[Word]>) -> Node {
        if let Some(known) = self.nodes.get(&items) {
            return *known;
        }
        let node = Node::try_from(self.items.len()).expect("the miner is bounded");
        self.nodes.insert(items.clone(), node);
        self.items.push(items);
        self.leaders.push(node);
        self.folds.push(None);
        self.work.push(node);
        node
    }

    /// Takes a node into all its families.
    fn join_families(&mut self, node: Node, newest: Node, absorbed: &mut Vec<Node>) {
        let items = self.items[node as usize].clone();
        let places = word_places(&items);
        for (one, place) in places.iter().enumerate() {
            self.join(
                node,
                &items,
                &[*place],
                Agreement::Together,
                newest,
                absorbed,
            );
            if places.len() <= MOST_PAIRED_WORDS {
                for other in &places[one + 1..] {
                    let pair = [*place, *other];
                    self.join(node, &items, &pair, Agreement::Together, newest, absorbed);
                }
            }
        }
        let slots: Vec<usize> = places
            .iter()
            .copied()
            .filter(|at| self.is_slot(&items, *at))
            .take(MOST_SLOTS)
            .collect();
        if slots.len() > 1 {
            self.join(node, &items, &slots, Agreement::Each, newest, absorbed);
        }
    }

    /// Whether a place is one for values, by the word before it or by the looks of the word in it.
    fn is_slot(&self, items: &[Word], at: usize) -> bool {
        evidence::is_slot(self.before(items, at, &[]), self.words.name(items[at]))
    }

    /// What stands before a place. A word counts only if it is not in a place itself.
    fn before(&self, items: &[Word], at: usize, places: &[usize]) -> Before<'_> {
        match items[at - 1] {
            _ if at == 1 => Before::Start,
            VARIABLE => Before::Variable,
            _ if places.contains(&(at - 1)) => Before::Variable,
            word => Before::Word(self.words.name(word)),
        }
    }

    /// Takes a node into the family of those that differ in `places` only.
    fn join(
        &mut self,
        node: Node,
        items: &[Word],
        places: &[usize],
        agreement: Agreement,
        newest: Node,
        absorbed: &mut Vec<Node>,
    ) {
        let key = FamilyKey::of(items, places);
        let first = match self.families.get(&key) {
            None => {
                self.families.insert(key, Seat::One(node));
                return;
            }
            Some(Seat::One(first)) => Some(*first),
            Some(Seat::Many(_)) => None,
        };
        if let Some(first) = first {
            let Some(family) = self.found(items, places, agreement) else {
                return;
            };
            let seat = u32::try_from(self.large.len()).expect("the miner is bounded");
            self.large.push(family);
            self.families.insert(key, Seat::Many(seat));
            let items = self.items[first as usize].clone();
            self.join_large(seat, first, &items, places, newest, absorbed);
        }
        if let Some(Seat::Many(seat)) = self.families.get(&key) {
            self.join_large(*seat, node, items, places, newest, absorbed);
        }
    }

    /// A family for these places; none if one of them can never vary.
    fn found(&self, items: &[Word], places: &[usize], agreement: Agreement) -> Option<Family> {
        let words = items[1..].iter().filter(|word| **word != VARIABLE).count();
        let constants = words - places.len();
        let thresholds: Option<Vec<u32>> = places
            .iter()
            .map(|at| evidence::threshold(self.before(items, *at, places), constants))
            .collect();
        Some(Family::new(agreement, &thresholds?))
    }

    fn join_large(
        &mut self,
        seat: u32,
        node: Node,
        items: &[Word],
        places: &[usize],
        newest: Node,
        absorbed: &mut Vec<Node>,
    ) {
        let words: Vec<(Word, u32)> = places
            .iter()
            .map(|at| {
                let word = self.words.name(items[*at]);
                (
                    items[*at],
                    evidence::weight(self.before(items, *at, places), word),
                )
            })
            .collect();
        let Some(fold) = self.large[seat as usize].join(node, &words) else {
            return;
        };
        let varying = |place: &usize| fold.varying >> place & 1 == 1;
        let varying: Vec<usize> = (0..places.len())
            .filter(varying)
            .map(|p| places[p])
            .collect();
        for member in fold.members {
            self.fold(member, &varying, seat, newest, absorbed);
        }
    }

    /// Puts a member of a family into the group of its template.
    fn fold(
        &mut self,
        member: Node,
        varying: &[usize],
        seat: u32,
        newest: Node,
        absorbed: &mut Vec<Node>,
    ) {
        let template = words::with_variables(&self.items[member as usize], varying);
        let template = self.node(template);
        let fold = &mut self.folds[member as usize];
        if fold.is_none() && member != template {
            *fold = Some((template, seat));
        }
        if let Some(gone) = self.unite(member, template)
            && gone != newest
            && self.founders.contains_key(&gone)
        {
            absorbed.push(gone);
        }
    }

    fn leader(&self, mut node: Node) -> Node {
        while self.leaders[node as usize] != node {
            node = self.leaders[node as usize];
        }
        node
    }

    /// Makes two groups one, led by the older; tells which leader leads no longer.
    fn unite(&mut self, one: Node, other: Node) -> Option<Node> {
        let (first, second) = (self.leader(one), self.leader(other));
        let (older, younger) = (first.min(second), first.max(second));
        // Short ways to the leader keep looking for it cheap.
        for node in [one, other, younger] {
            self.leaders[node as usize] = older;
        }
        (older != younger).then_some(younger)
    }
}

/// The places of a node that hold words; none if there are too many to be mined.
fn word_places(items: &[Word]) -> Vec<usize> {
    if items.len() > MOST_MINED_WORDS + 1 {
        return Vec::new();
    }
    (1..items.len())
        .filter(|at| items[*at] != VARIABLE)
        .collect()
}
