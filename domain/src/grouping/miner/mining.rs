//! The mining itself: which nodes are in which families, and what follows when a family has grown.

use super::family::{Agreement, Family, Hashes};
use super::words::{VARIABLE, Word, with_variables};
use super::{MOST_MINED_WORDS, MOST_PAIRED_WORDS, MOST_SLOTS, Miner, Node, Seat};
use crate::grouping::evidence::{self, Before};
use crate::grouping::signature::Signature;

/// What an insertion changes.
pub(super) struct Change {
    /// The leaders of groups that became part of another.
    pub(super) absorbed: Vec<Node>,
    /// The node that is being inserted: nothing knew it before, so it cannot be absorbed.
    newest: Node,
}

/// A node on its way into its families.
struct Joining<'a> {
    node: Node,
    items: &'a [Word],
    hashes: Hashes,
}

impl Miner {
    /// The node of a message, and what its insertion changed.
    pub(super) fn mine(&mut self, signature: &Signature) -> (Node, Change) {
        let items = self.words.of(&signature.scope, &signature.canon);
        let newest = self.node(items);
        let mut change = Change { absorbed: Vec::new(), newest };
        while let Some(next) = self.work.pop() {
            self.join_families(next, &mut change);
        }
        (newest, change)
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
    fn join_families(&mut self, node: Node, change: &mut Change) {
        let items = self.items[node as usize].clone();
        let places = word_places(&items);
        let joining = Joining { node, items: &items, hashes: Hashes::of(&items) };
        for (one, place) in places.iter().enumerate() {
            self.join(&joining, &[*place], Agreement::Together, change);
            if places.len() <= MOST_PAIRED_WORDS {
                for other in &places[one + 1..] {
                    self.join(&joining, &[*place, *other], Agreement::Together, change);
                }
            }
        }
        let is_slot = |at: &usize| {
            evidence::is_slot(self.before(&items, *at, &[]), self.words.name(items[*at]))
        };
        let slots: Vec<usize> = places.into_iter().filter(is_slot).take(MOST_SLOTS).collect();
        if slots.len() > 1 {
            self.join(&joining, &slots, Agreement::Each, change);
        }
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
        joining: &Joining<'_>,
        places: &[usize],
        agreement: Agreement,
        change: &mut Change,
    ) {
        let key = joining.hashes.family(places, agreement);
        let seat = match self.families.get(&key) {
            None => {
                self.families.insert(key, Seat::One(joining.node));
                return;
            }
            Some(Seat::Many(seat)) => *seat,
            Some(Seat::One(first)) => {
                let first = *first;
                let Some(family) = self.found(joining.items, places, agreement) else {
                    return;
                };
                let seat = u32::try_from(self.large.len()).expect("the miner is bounded");
                self.large.push(family);
                self.families.insert(key, Seat::Many(seat));
                let items = self.items[first as usize].clone();
                self.join_large(seat, first, &items, places, change);
                seat
            }
        };
        self.join_large(seat, joining.node, joining.items, places, change);
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
        change: &mut Change,
    ) {
        let weigh = |at: &usize| {
            let name = self.words.name(items[*at]);
            (items[*at], evidence::weight(self.before(items, *at, places), name))
        };
        let words: Vec<(Word, u32)> = places.iter().map(weigh).collect();
        let Some(fold) = self.large[seat as usize].join(node, &words) else {
            return;
        };
        let bits = places.iter().enumerate();
        let varying: Vec<usize> =
            bits.filter(|(bit, _)| fold.varying >> bit & 1 == 1).map(|(_, place)| *place).collect();
        for member in fold.members {
            self.fold(member, &varying, seat, change);
        }
    }

    /// Puts a member of a family into the group of its template.
    fn fold(&mut self, member: Node, varying: &[usize], seat: u32, change: &mut Change) {
        let template = with_variables(&self.items[member as usize], varying);
        let template = self.node(template);
        let fold = &mut self.folds[member as usize];
        if fold.is_none() && member != template {
            *fold = Some((template, seat));
        }
        if let Some(gone) = self.unite(member, template)
            && gone != change.newest
            && self.founders.contains_key(&gone)
        {
            change.absorbed.push(gone);
        }
    }

    pub(super) fn leader(&self, mut node: Node) -> Node {
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
    (1..items.len()).filter(|at| items[*at] != VARIABLE).collect()
}
