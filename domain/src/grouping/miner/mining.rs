//! The mining itself: which nodes are in which families, and what follows when a family has grown.

use super::family::{Agreement, Family, Fold, Hashes, Varying};
use super::words::{Sentence, VARIABLE, Word};
use super::{Absorbed, MOST_MINED_WORDS, MOST_PAIRED_WORDS, MOST_SLOTS, Miner, Node, Seat};
use crate::grouping::evidence::{self, Bars, Before, Leads, Traits};
use crate::grouping::signature::Signature;

/// What an insertion changes.
pub(super) struct Change {
    /// The groups that became part of another.
    pub(super) absorbed: Vec<Absorbed>,
    /// The node that is being inserted: nothing knew it before, so it cannot be absorbed.
    newest: Node,
}

/// A node on its way into its families.
struct Joining<'a> {
    node: Node,
    sentence: &'a Sentence,
    hashes: Hashes,
}

impl Miner {
    /// The node of a message, and what its insertion changed.
    pub(super) fn mine(&mut self, signature: &Signature) -> (Node, Change) {
        let words = self.words.of(&signature.scope, &signature.canon);
        let newest = self.node(Sentence::new(words, &signature.slots));
        let mut change = Change { absorbed: Vec::new(), newest };
        self.join_masked(newest, &mut change);
        loop {
            if let Some(next) = self.work.pop() {
                self.join_families(next, &mut change);
                self.compare_bare(next, &mut change);
            } else if let Some(word) = self.learned.news.pop() {
                self.apply(word, &mut change);
            } else {
                return (newest, change);
            }
        }
    }

    /// Takes a message into the families of those that have a word where a value was masked in it: such a value weighs
    /// like a name.
    fn join_masked(&mut self, node: Node, change: &mut Change) {
        let sentence = self.sentences[node as usize].clone();
        let words = &sentence.words;
        if words.len() > MOST_MINED_WORDS + 1 {
            return;
        }
        for place in (1..words.len()).filter(|at| words[*at] == VARIABLE) {
            // Whether punctuation sets it apart is not told of a value.
            for sentence in [sentence.clone(), sentence.set_apart(place)] {
                let hashes = Hashes::of(&sentence);
                let joining = Joining { node, sentence: &sentence, hashes };
                self.join(&joining, &[place], Agreement::Together, change);
            }
        }
    }

    fn node(&mut self, sentence: Sentence) -> Node {
        if let Some(known) = self.nodes.get(&sentence) {
            return *known;
        }
        let node = Node::try_from(self.sentences.len()).expect("the miner is bounded");
        self.learned.hold(node, &sentence.words);
        self.nodes.insert(sentence.clone(), node);
        self.sentences.push(sentence);
        self.leaders.push(node);
        self.folds.push(None);
        self.work.push(node);
        node
    }

    /// Takes a node into all its families.
    fn join_families(&mut self, node: Node, change: &mut Change) {
        let sentence = self.sentences[node as usize].clone();
        let words = &sentence.words;
        let places = word_places(words);
        let joining = Joining { node, sentence: &sentence, hashes: Hashes::of(&sentence) };
        for (one, place) in places.iter().enumerate() {
            self.join(&joining, &[*place], Agreement::Together, change);
            if places.len() <= MOST_PAIRED_WORDS {
                for other in &places[one + 1..] {
                    self.join(&joining, &[*place, *other], Agreement::Together, change);
                }
            }
        }
        let is_slot = |at: &usize| {
            let before = self.before(words, *at, &[]);
            evidence::is_slot(before, sentence.is_apart(*at), self.words.traits(words[*at]))
        };
        let slots: Vec<usize> = places.into_iter().filter(is_slot).take(MOST_SLOTS).collect();
        if slots.len() > 1 {
            self.join(&joining, &slots, Agreement::Each, change);
        }
    }

    /// What stands before a place. A word counts only if it is not in a place itself.
    fn before(&self, words: &[Word], at: usize, places: &[usize]) -> Before {
        let leads = |at: usize| self.words.traits(words[at]).leads;
        match words[at - 1] {
            _ if at == 1 => Before::Start,
            VARIABLE => Before::Variable,
            _ if places.contains(&(at - 1)) => Before::Variable,
            _ => match leads(at - 1) {
                Leads::To if at > 2 && leads(at - 2) == Leads::ToInfinitive => {
                    Before::Word(Leads::ToVerb)
                }
                leads => Before::Word(leads),
            },
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
                let Some(family) = self.found(joining.sentence, places, agreement) else {
                    return;
                };
                let seat = u32::try_from(self.large.len()).expect("the miner is bounded");
                self.large.push(family);
                self.families.insert(key, Seat::Many(seat));
                self.join_large(seat, first, places, change);
                seat
            }
        };
        self.join_large(seat, joining.node, places, change);
    }

    /// A family for these places; `None` if one of them never varies.
    fn found(&self, sentence: &Sentence, places: &[usize], agreement: Agreement) -> Option<Family> {
        let is_around = |at: &usize| sentence.words[*at] != VARIABLE && !places.contains(at);
        let constants = (1..sentence.words.len()).filter(is_around).count();
        let bars = places.iter().map(|at| {
            let before = self.before(&sentence.words, *at, places);
            evidence::bars(before, sentence.is_apart(*at), constants)
        });
        let bars: Option<Vec<Bars>> = bars.collect();
        Some(Family::new(agreement, &bars?))
    }

    fn join_large(&mut self, seat: u32, node: Node, places: &[usize], change: &mut Change) {
        let word = |at: &usize| self.sentences[node as usize].words[*at];
        let words: Vec<(Word, Traits)> =
            places.iter().map(word).map(|word| (word, self.traits(word))).collect();
        for (at, (word, _)) in words.iter().enumerate() {
            self.sight(*word, seat, at, places);
        }
        let fold = self.large[seat as usize].join(node, &words);
        self.fold_all(seat, places, &fold, change);
    }

    /// Folds the members of a family whose words stand in places that vary for them.
    pub(super) fn fold_all(
        &mut self,
        seat: u32,
        places: &[usize],
        fold: &Fold,
        change: &mut Change,
    ) {
        if fold.varying == Varying::default() {
            return;
        }
        for member in &fold.members {
            let word = |place: usize| self.sentences[*member as usize].words[place];
            let places_that_vary = places
                .iter()
                .enumerate()
                .filter(|(at, place)| fold.varying.has(*at, self.traits(word(**place)).kind));
            let varying: Vec<(usize, Word)> =
                places_that_vary.map(|(_, place)| (*place, word(*place))).collect();
            let is_all = varying.len() == places.len();
            if varying.is_empty() || (fold.agreement == Agreement::Together && !is_all) {
                continue;
            }
            for (_, word) in varying.iter().filter(|(_, word)| *word != VARIABLE) {
                self.learn(*word);
            }
            let varying: Vec<usize> = varying.into_iter().map(|(place, _)| place).collect();
            self.fold(*member, &varying, seat, change);
        }
    }

    /// Puts a member of a family into the group of its template.
    fn fold(&mut self, member: Node, varying: &[usize], seat: u32, change: &mut Change) {
        let template = self.sentences[member as usize].with_variables(varying);
        let template = self.node(template);
        let fold = &mut self.folds[member as usize];
        if fold.is_none() && member != template {
            *fold = Some((template, seat));
        }
        self.join_groups(member, template, change);
    }

    /// Makes the groups of two nodes one.
    pub(super) fn join_groups(&mut self, one: Node, other: Node, change: &mut Change) {
        if let Some(gone) = self.unite(one, other)
            && gone != change.newest
            && let Some(group) = self.founder(gone)
            && let Some(into) = self.founder(self.leader(gone))
        {
            change.absorbed.push(Absorbed { group, into });
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
