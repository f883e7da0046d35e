//! A model of a broker and of our intake that crash at any point, against which the settlement
//! is held: whatever happens, each message is stored once.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

fn content(number: u8) -> Fingerprint {
    let mut bytes = [0; 16];
    bytes[0] = number;
    bytes[1] = 1;
    Fingerprint(bytes)
}

fn batch(fenced: bool, contents: &[u8], telling: &[usize]) -> UnsettledBatch {
    UnsettledBatch {
        batch: 1,
        fenced,
        fingerprints: contents.iter().map(|n| content(*n)).collect(),
        telling: telling.to_vec(),
        recoveries: 0,
    }
}

fn contents(numbers: &[u8]) -> Vec<Fingerprint> {
    numbers.iter().map(|n| content(*n)).collect()
}

#[test]
fn a_batch_that_comes_again_is_stored_already() {
    let settlement = settle(
        &[batch(false, &[1, 2], &[0, 1])],
        &contents(&[1, 2, 3]),
        &[],
    );
    assert_eq!(settlement.stored, [true, true, false]);
    assert!(settlement.left.is_empty());
}

#[test]
fn a_twin_of_an_acknowledged_message_is_new() {
    let settlement = settle(
        &[batch(false, &[1, 2, 3], &[0, 1, 2])],
        &contents(&[2, 9]),
        &[],
    );
    assert_eq!(settlement.stored, [false, false]);
}

#[test]
fn copies_are_matched_by_number() {
    let settlement = settle(&[batch(true, &[7, 7, 7], &[])], &contents(&[7, 7, 8]), &[]);
    assert_eq!(settlement.stored, [true, true, false]);
    assert_eq!(settlement.left, [batch(true, &[7], &[])]);
}

#[test]
fn more_copies_than_were_in_flight_prove_nothing() {
    let settlement = settle(&[batch(true, &[7, 7], &[])], &contents(&[7, 7, 7]), &[]);
    assert_eq!(settlement.stored, [false, false, false]);
}

#[test]
fn what_follows_a_batch_that_came_again_came_again_too() {
    let batches = [batch(false, &[1], &[0]), batch(false, &[2, 2], &[])];
    let settlement = settle(&batches, &contents(&[1, 2, 2, 2]), &[]);
    assert_eq!(settlement.stored, [true, true, true, false]);
}

#[test]
fn what_is_redelivered_elsewhere_is_left() {
    let settlement = settle(
        &[batch(false, &[1, 2, 3], &[0, 1, 2])],
        &contents(&[1, 3]),
        &[],
    );
    assert_eq!(settlement.stored, [true, true]);
    assert_eq!(settlement.left, [batch(true, &[2], &[])]);
}

#[test]
fn a_redelivery_that_is_explained_is_not_explained_twice() {
    let settlement = settle(&[batch(true, &[5], &[])], &contents(&[5]), &[true]);
    assert_eq!(settlement.stored, [false]);
}

#[test]
fn copies_within_and_across_batches_do_not_tell() {
    let mut recent = RecentContents::new(100);
    assert_eq!(recent.telling(&contents(&[1, 2, 2, 3])), [0, 3]);
    assert_eq!(recent.telling(&contents(&[1, 4])), [1]);
}

#[test]
fn remembering_is_bounded() {
    let mut recent = RecentContents::new(4);
    for round in 0..100 {
        let _ = recent.telling(&contents(&[round]));
    }
    assert!(recent.fresh.len() + recent.stale.len() <= 8);
}

/// Identity, content, delivered before.
type Message = (usize, u8, bool);

/// The broker: a queue.
struct Broker {
    ready: VecDeque<Message>,
    unacknowledged: Vec<(usize, u8)>,
}

impl Broker {
    fn deliver(&mut self) -> Option<Message> {
        let message = self.ready.pop_front()?;
        self.unacknowledged.push((message.0, message.1));
        Some(message)
    }

    fn acknowledge(&mut self, ids: &[usize]) {
        self.unacknowledged.retain(|(id, _)| !ids.contains(id));
    }

    fn consumer_died(&mut self) {
        for (id, content) in self.unacknowledged.drain(..).rev() {
            self.ready.push_front((id, content, true));
        }
    }
}

/// Where the intake dies, within one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Crash {
    BeforeCommit,
    BeforeAck,
    BeforeSettled,
    Never,
}

/// How often each message was stored, by its true identity, plus what the office would persist.
struct Office {
    stored: Vec<u32>,
    unsettled: Vec<UnsettledBatch>,
}

impl Office {
    /// Starts: fetches what is redelivered and settles it. `None` when it died; else the
    /// first message that was not redelivered, which the first batch begins with.
    #[expect(
        clippy::option_option,
        reason = "dead, alive with a message, alive without"
    )]
    fn recover(
        &mut self,
        broker: &mut Broker,
        recent: &mut RecentContents,
        crash: Crash,
    ) -> Option<Option<Message>> {
        let before = self.unsettled.clone();
        for batch in &mut self.unsettled {
            batch.recoveries += 1;
        }
        let mut got = Vec::new();
        let mut fresh = None;
        while let Some(message) = broker.deliver() {
            if !message.2 {
                fresh = Some(message);
                break;
            }
            got.push(message);
        }
        if crash == Crash::BeforeCommit {
            return None;
        }
        let back: Vec<_> = got.iter().map(|m| content(m.1)).collect();
        let settlement = settle(&before, &back, &[]);
        for (message, stored) in got.iter().zip(settlement.stored) {
            self.stored[message.0] += u32::from(!stored);
        }
        recent.remember(before.iter().flat_map(UnsettledBatch::copies));
        self.unsettled.clear();
        if !got.is_empty() {
            self.unsettled.push(UnsettledBatch {
                batch: 0,
                fenced: true,
                telling: recent.telling(&back),
                fingerprints: back,
                recoveries: 1,
            });
        }
        self.finish(broker, &got, crash).then_some(fresh)
    }

    fn take(
        &mut self,
        broker: &mut Broker,
        recent: &mut RecentContents,
        (size, crash): (usize, Crash),
        fresh: Option<Message>,
    ) -> bool {
        let more = size.saturating_sub(usize::from(fresh.is_some()));
        let mut got: Vec<_> = fresh.into_iter().collect();
        got.extend((0..more).map_while(|_| broker.deliver()));
        // What is in flight behind the batch: delivered, and not yet seen by us.
        let mut behind: Vec<_> = (0..size).map_while(|_| broker.deliver()).collect();
        if got.is_empty() {
            return true;
        }
        let mut fingerprints: Vec<_> = got.iter().map(|m| content(m.1)).collect();
        let telling = recent.telling(&fingerprints);
        let fenced = needs_fence(&fingerprints, &telling);
        if fenced {
            got.append(&mut behind);
            fingerprints = got.iter().map(|m| content(m.1)).collect();
        }
        if crash == Crash::BeforeCommit {
            return false;
        }
        for message in &got {
            self.stored[message.0] += 1;
        }
        self.unsettled.push(UnsettledBatch {
            batch: 1,
            fenced,
            fingerprints,
            telling,
            recoveries: 0,
        });
        let alive = self.finish(broker, &got, crash);
        if alive {
            for (id, content) in behind.into_iter().map(|m| (m.0, m.1)).rev() {
                broker.unacknowledged.retain(|(other, _)| *other != id);
                broker.ready.push_front((id, content, false));
            }
        }
        alive
    }

    fn finish(&mut self, broker: &mut Broker, got: &[Message], crash: Crash) -> bool {
        if crash == Crash::BeforeAck {
            return false;
        }
        broker.acknowledge(&got.iter().map(|m| m.0).collect::<Vec<_>>());
        if crash == Crash::BeforeSettled {
            return false;
        }
        self.unsettled.clear();
        true
    }
}

/// A round: how many messages a batch takes, and where it dies in recovery and after.
type Round = (usize, Crash, Crash);

fn run(messages: &[u8], plan: &[Round]) -> Vec<u32> {
    let mut broker = Broker {
        ready: messages
            .iter()
            .enumerate()
            .map(|(id, c)| (id, *c, false))
            .collect(),
        unacknowledged: Vec::new(),
    };
    let mut office = Office {
        stored: vec![0; messages.len()],
        unsettled: Vec::new(),
    };
    let mut recent = RecentContents::new(1000);
    let calm = (messages.len().max(1), Crash::Never, Crash::Never);
    let rounds = plan
        .iter()
        .copied()
        .chain(std::iter::repeat_n(calm, messages.len() + 2));
    for (size, in_recovery, crash) in rounds {
        let alive = office
            .recover(&mut broker, &mut recent, in_recovery)
            .is_some_and(|fresh| office.take(&mut broker, &mut recent, (size, crash), fresh));
        if !alive {
            broker.consumer_died();
            recent = RecentContents::new(1000);
        }
    }
    office.stored
}

fn crash() -> impl Strategy<Value = Crash> {
    prop_oneof![
        Just(Crash::BeforeCommit),
        Just(Crash::BeforeAck),
        Just(Crash::BeforeSettled),
        Just(Crash::Never),
    ]
}

proptest! {
    /// Messages that are all different: exactly once, wherever it crashes after its recovery.
    #[test]
    fn different_messages_are_stored_once(
        count in 0_u8..60,
        plan in prop::collection::vec((1_usize..8, Just(Crash::Never), crash()), 0..30),
    ) {
        let messages: Vec<u8> = (0..count).collect();
        prop_assert_eq!(run(&messages, &plan), vec![1; messages.len()]);
    }

    /// Copies of one message: exactly once each, wherever it crashes after its recovery.
    #[test]
    fn copies_are_stored_once_each(
        count in 0_usize..60,
        plan in prop::collection::vec((2_usize..8, Just(Crash::Never), crash()), 0..30),
    ) {
        let messages = vec![7; count];
        prop_assert_eq!(run(&messages, &plan).iter().sum::<u32>() as usize, count);
    }

    /// Copies of one message: never fewer than there were, whatever crashes.
    #[test]
    fn no_copy_is_ever_lost(
        count in 0_usize..60,
        plan in prop::collection::vec((2_usize..8, crash(), crash()), 0..30),
    ) {
        let messages = vec![7; count];
        prop_assert!(run(&messages, &plan).iter().sum::<u32>() as usize >= count);
    }

    /// Some copies among different messages: nothing is lost.
    #[test]
    fn among_some_copies_nothing_is_lost(
        copies in prop::collection::vec((0_usize..200, 0_usize..200), 0..25),
        plan in prop::collection::vec((8_usize..24, crash(), crash()), 0..30),
    ) {
        let mut messages: Vec<u8> = (0..200).collect();
        for (place, original) in copies {
            messages[place] = messages[original];
        }
        let stored = run(&messages, &plan);
        for content in 0..200 {
            let of = |pick: &dyn Fn(usize) -> u32| -> u32 {
                (0..messages.len()).filter(|id| messages[*id] == content).map(pick).sum()
            };
            prop_assert!(of(&|id| stored[id]) >= of(&|_| 1));
        }
    }
}
