//! What counts as having come again, and that no copy is lost by it.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;

use super::super::RecentContents;
use super::*;

fn letters(text: &str) -> Vec<Fingerprint> {
    let one = |letter: u8| Fingerprint([letter; 16]);
    text.bytes().map(one).collect()
}

/// A batch in which capital letters tell.
fn batch(text: &str) -> AcknowledgedBatch {
    let telling = text.bytes().enumerate();
    AcknowledgedBatch {
        fingerprints: letters(text),
        telling: telling
            .filter_map(|(place, letter)| letter.is_ascii_uppercase().then_some(place))
            .collect(),
        is_adjacent: true,
    }
}

fn stored(batches: &[AcknowledgedBatch], came: &str) -> String {
    let settlement = settle_forgotten(batches, &letters(came));
    let came = came.chars().zip(&settlement.stored);
    came.filter_map(|(letter, stored)| stored.then_some(letter)).collect()
}

#[test]
fn a_copy_of_what_stayed_acknowledged_is_new() {
    let batches = [batch("xABCDEFGHIJ"), batch("KLM")];
    // The broker forgot from B on; another x had never been delivered, and comes last.
    assert_eq!(stored(&batches, "BCDEFGHIJKLMx"), "IJKLM");
    // Or it had been delivered to somebody else, and comes first.
    assert_eq!(stored(&batches, "xBCDEFGHIJKLM"), "IJKLM");
}

#[test]
fn a_copy_that_comes_right_before_what_was_forgotten_is_new() {
    // The broker forgot from C on, and somebody sent A and B once more.
    let batches = [batch("ABCDEFGHIJ")];
    assert_eq!(stored(&batches, "ABCDEFGHIJ"), "HIJ");
    // What tells nothing is in doubt with what stands before it.
    let batches = [batch("ABCDEFGxxxHIJ")];
    assert_eq!(stored(&batches, "ABCDEFGxxxHIJ"), "HIJ");
}

#[test]
fn what_telling_contents_have_published_again_is_new_too() {
    let batches = [batch("ABCDEFGHIJKLM")];
    assert_eq!(stored(&batches, "CDEFGHIJKLMA"), "JKLM");
}

#[test]
fn a_run_goes_over_the_ends_of_batches() {
    let batches = [batch("A"), batch("BCDEFGHIJK")];
    assert_eq!(stored(&batches, "A"), "", "it may have been published once more");
    assert_eq!(stored(&batches, "ABCDEFGHIJK"), "HIJK");
}

#[test]
fn messages_that_tell_too_little_are_stored_once_more() {
    let batches = [batch("ABCDEFG"), batch("xyz")];
    assert_eq!(stored(&batches, "ABCDEFGxyz"), "", "seven tell");
    assert_eq!(stored(&[batch("xyxyxyxyxyxy")], "xyxyxyxyxyxy"), "");
}

#[test]
fn what_breaks_the_order_is_stored_once_more() {
    let batches = [batch("ABCDEFGHIJKLMNOPQRST")];
    // A message between them, and one that is missing.
    assert_eq!(stored(&batches, "ABCDEFGHxKLMNOPQRS"), "HRS");
    assert_eq!(stored(&batches, "ABCDExKLMNOPQRS"), "RS");
    // A queue that was killed while it gave them back begins in the middle.
    assert_eq!(stored(&batches, "KLMNOPQRSTABCDEFGHIJ"), "RSTHIJ");
}

#[test]
fn what_did_not_come_is_left_and_what_stood_apart_is_not_joined() {
    let batches = [batch("ABCDEFGHI"), batch("JKL")];
    let settlement = settle_forgotten(&batches, &letters("BCDEFGHIJ"));
    let is_certain = |place: usize| place >= 7;
    assert_eq!(settlement.stored, [0, 1, 2, 3, 4, 5, 6, 7, 8].map(is_certain));
    let behind = AcknowledgedBatch { is_adjacent: false, ..batch("KL") };
    assert_eq!(settlement.left, [batch("ABCDEFGH"), behind]);
    let nothing = settle_forgotten(&batches, &letters("z"));
    assert_eq!(nothing.left, batches);
}

/// A message of the model: which one it is, and what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Message {
    id: usize,
    content: u16,
}

/// How a session goes, until the broker is killed.
#[derive(Debug, Clone)]
struct Life {
    /// Windows that are stored and acknowledged.
    windows: usize,
    /// How many of the last of these acknowledgements the broker forgets.
    forgotten: usize,
    /// Messages that are stored, and delivered, when it is killed.
    stored: usize,
    delivered: usize,
}

/// An office and a broker that is killed again and again.
struct World {
    /// Messages that were never delivered.
    fresh: VecDeque<Message>,
    /// Messages that come again: a quorum queue appends to them what it gives back.
    again: VecDeque<Message>,
    memory: Vec<AcknowledgedBatch>,
    unsettled: Vec<u16>,
    stored: BTreeMap<u16, i64>,
}

impl World {
    fn new(contents: &[u16]) -> Self {
        let messages = contents.iter().copied().enumerate();
        Self {
            fresh: messages.map(|(id, content)| Message { id, content }).collect(),
            again: VecDeque::new(),
            memory: Vec::new(),
            unsettled: Vec::new(),
            stored: BTreeMap::new(),
        }
    }

    fn deliver(&mut self, most: usize) -> Vec<Message> {
        let next = std::iter::from_fn(|| self.again.pop_front().or_else(|| self.fresh.pop_front()));
        next.take(most).collect()
    }

    /// Stores what is not stored, as far as that is known.
    fn store(&mut self, messages: &[Message]) {
        let came: Vec<_> = messages.iter().map(|one| content(one.content)).collect();
        let settlement = settle_forgotten(&self.memory, &came);
        self.memory = settlement.left;
        for (message, was_forgotten) in messages.iter().zip(settlement.stored) {
            let mut unsettled = self.unsettled.iter();
            let place = unsettled.position(|one| *one == message.content);
            match place {
                _ if was_forgotten => {}
                Some(place) => drop(self.unsettled.remove(place)),
                None => *self.stored.entry(message.content).or_default() += 1,
            }
        }
    }

    fn live(&mut self, life: &Life) {
        let mut recent = RecentContents::new(20_000);
        let mut acknowledged: Vec<Vec<Message>> = Vec::new();
        let mut window = 1;
        for _ in 0..life.windows {
            let messages = self.deliver(window);
            self.store(&messages);
            let fingerprints: Vec<_> = messages.iter().map(|one| content(one.content)).collect();
            self.memory.push(AcknowledgedBatch {
                telling: recent.telling(&fingerprints),
                fingerprints,
                is_adjacent: !acknowledged.is_empty(),
            });
            acknowledged.push(messages);
            window = (window * 8).min(64);
        }
        let stored = self.deliver(life.stored);
        self.store(&stored);
        self.unsettled.extend(stored.iter().map(|one| one.content));
        let delivered = self.deliver(life.delivered);
        let kept = acknowledged.len().saturating_sub(life.forgotten);
        let forgotten = acknowledged.drain(kept..).flatten();
        self.again.extend(forgotten.chain(stored).chain(delivered));
    }
}

fn content(number: u16) -> Fingerprint {
    let mut bytes = [0; 16];
    bytes[..2].copy_from_slice(&number.to_be_bytes());
    Fingerprint(bytes)
}

/// Every fifth message is a copy of one a short way before it.
fn contents() -> impl Strategy<Value = Vec<u16>> {
    let back = prop_oneof![1..4_usize, 1..120_usize];
    prop::collection::vec((0..5_u8, back), 1..800).prop_map(|copies| {
        let mut contents: Vec<u16> = Vec::new();
        for (place, (kind, back)) in copies.into_iter().enumerate() {
            let copied = place.checked_sub(back).filter(|_| kind == 0);
            let own = || u16::try_from(place).expect("few");
            contents.push(copied.map_or_else(own, |from| contents[from]));
        }
        contents
    })
}

fn life() -> impl Strategy<Value = Life> {
    let parts = (0..9_usize, 0..4_usize, 0..65_usize, 0..65_usize);
    parts.prop_map(|(windows, forgotten, stored, delivered)| Life {
        windows,
        forgotten,
        stored,
        delivered,
    })
}

/// `PROPTEST_CASES` lengthens it, for a change of the rules.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.max(1_000), ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_copy_is_lost_by_what_a_killed_broker_forgot(
        contents in contents(),
        lives in prop::collection::vec(life(), 1..5),
    ) {
        let mut world = World::new(&contents);
        for life in &lives {
            world.live(life);
        }
        let rest = world.deliver(usize::MAX);
        for messages in rest.chunks(64) {
            world.store(messages);
        }
        for content in &contents {
            *world.stored.entry(*content).or_default() -= 1;
        }
        let lost = world.stored.values().filter(|surplus| **surplus < 0).count();
        prop_assert_eq!(lost, 0, "{:?}", world.stored);
    }
}
