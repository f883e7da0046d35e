//! What is decided of batches, against a model of the broker and of lapin: returned messages are attached to
//! whichever confirm is completed next, and those of one `multiple` are completed in any order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};

use super::{Answer, Ended, MessageKey, ReturnedMessage, decide};
use crate::broker::Published;

/// Runs of the model.
const RUNS: u64 = 1_000;

/// Messages of a batch.
const BATCH: usize = 40;

/// What goes from the broker to lapin.
enum Frame {
    Return(usize),
    Ack { tag: usize, multiple: bool },
}

/// A batch of which everything was handed over at once.
struct Model {
    random: StdRng,
    unroutable: BTreeSet<usize>,
    /// Not looked at by the broker.
    at_broker: VecDeque<usize>,
    /// To be confirmed.
    ready: BTreeSet<usize>,
    confirmed: BTreeSet<usize>,
    frames: VecDeque<Frame>,
    /// lapin's: returned messages that wait for a confirm, and publishes without one.
    waiting: VecDeque<usize>,
    pending: BTreeSet<usize>,
    /// What each confirm carried.
    completed: BTreeMap<usize, Option<usize>>,
}

fn key(tag: usize) -> MessageKey {
    MessageKey::Message(tag.to_string())
}

fn returned(tag: usize) -> ReturnedMessage {
    ReturnedMessage { key: Some(key(tag)), why: "no route".to_owned() }
}

fn ended(tag: usize, answer: Answer, carried: Option<ReturnedMessage>) -> Ended {
    Ended { key: Some(key(tag)), answer, carried }
}

fn lost() -> Answer {
    Answer::Missing(Published::Lost("cut".to_owned()))
}

fn is_lost(published: &Published) -> bool {
    matches!(published, Published::Lost(_))
}

impl Model {
    fn new(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let percent = [1, 10, 50, 100][random.random_range(0..4)];
        let unroutable = (0..BATCH).filter(|_| random.random_ratio(percent, 100)).collect();
        Self {
            random,
            unroutable,
            at_broker: (0..BATCH).collect(),
            ready: BTreeSet::new(),
            confirmed: BTreeSet::new(),
            frames: VecDeque::new(),
            waiting: VecDeque::new(),
            pending: (0..BATCH).collect(),
            completed: BTreeMap::new(),
        }
    }

    fn route(&mut self) {
        let Some(tag) = self.at_broker.pop_front() else {
            return;
        };
        if self.unroutable.contains(&tag) {
            self.frames.push_back(Frame::Return(tag));
        }
        self.ready.insert(tag);
    }

    /// One confirm, or one for all up to the first that is not to be confirmed yet.
    fn confirm(&mut self) {
        let ready: Vec<usize> = self.ready.iter().copied().collect();
        if ready.is_empty() {
            return;
        }
        let tag = ready[self.random.random_range(0..ready.len())];
        let mut before = 0..tag;
        let is_last = before.all(|tag| self.ready.contains(&tag) || self.confirmed.contains(&tag));
        let multiple = is_last && self.random.random_bool(0.8);
        let now = ready.into_iter().filter(|one| *one == tag || multiple && *one < tag);
        for one in now {
            self.ready.remove(&one);
            self.confirmed.insert(one);
        }
        self.frames.push_back(Frame::Ack { tag, multiple });
    }

    /// lapin takes a frame in.
    fn receive(&mut self) {
        match self.frames.pop_front() {
            None => {}
            Some(Frame::Return(tag)) => self.waiting.push_back(tag),
            Some(Frame::Ack { tag, multiple }) => {
                let first = if multiple { 0 } else { tag };
                let mut tags: Vec<usize> = self.pending.range(first..=tag).copied().collect();
                tags.shuffle(&mut self.random);
                for tag in tags {
                    self.pending.remove(&tag);
                    self.completed.insert(tag, self.waiting.pop_front());
                }
            }
        }
    }

    /// What came of all, with so many steps before the connection broke.
    fn run(&mut self, steps: usize) -> Vec<Published> {
        for _ in 0..steps {
            match self.random.random_range(0..4) {
                0..2 => self.route(),
                2 => self.confirm(),
                _ => self.receive(),
            }
        }
        let batch = (0..BATCH).map(|tag| match self.completed.get(&tag) {
            Some(carried) => ended(tag, Answer::Acked, carried.map(returned)),
            None => ended(tag, lost(), None),
        });
        decide(batch.collect())
    }

    fn assert_true(&self, published: &[Published]) {
        for (tag, published) in published.iter().enumerate() {
            let is_unroutable = self.unroutable.contains(&tag);
            match published {
                Published::Confirmed => assert!(!is_unroutable, "{tag}: a false success"),
                Published::Returned(_) => assert!(is_unroutable, "{tag}: a false failure"),
                Published::Lost(_) => {
                    assert!(!self.pending.is_empty(), "{tag} is unknown for nothing");
                }
                other => panic!("{tag}: {other:?}"),
            }
        }
    }
}

#[test]
fn each_return_is_told_of_the_publish_that_it_names() {
    for seed in 0..RUNS {
        let mut model = Model::new(seed);
        let published = model.run(BATCH * 100);
        assert!(model.pending.is_empty(), "some are left");
        model.assert_true(&published);
    }
}

#[test]
fn a_channel_that_breaks_leaves_no_false_word() {
    let mut confirmed = 0;
    for seed in 0..RUNS {
        let mut model = Model::new(seed);
        let published = model.run(BATCH * 2);
        model.assert_true(&published);
        confirmed += published.iter().filter(|one| **one == Published::Confirmed).count();
    }
    assert!(confirmed > 0, "the test proved nothing");
}

/// The model does what lapin does: without it, the tests above would prove nothing.
#[test]
fn most_returns_are_attached_to_other_publishes() {
    let (mut own, mut other) = (0, 0);
    for seed in 0..RUNS {
        let mut model = Model::new(seed);
        model.run(BATCH * 100);
        for (tag, carried) in &model.completed {
            match carried {
                Some(carried) if carried == tag => own += 1,
                Some(_) => other += 1,
                None => {}
            }
        }
    }
    assert!(other > own / 10, "{own} of their own, {other} of others");
}

#[test]
fn a_return_that_names_nobody_leaves_its_batch_unknown() {
    for named in [None, Some(key(99))] {
        let message = ReturnedMessage { key: named, why: "no route".to_owned() };
        let published = decide(vec![
            ended(1, Answer::Acked, Some(message)),
            ended(2, Answer::Acked, None),
            ended(3, Answer::Nacked, None),
        ]);
        assert!(published.iter().all(is_lost), "{published:?}");
    }
}

#[test]
fn of_one_message_that_is_on_its_way_twice_a_return_tells_neither() {
    let published = decide(vec![
        ended(7, Answer::Acked, Some(returned(7))),
        ended(7, Answer::Acked, None),
        ended(3, Answer::Acked, None),
    ]);
    assert!(is_lost(&published[0]) && is_lost(&published[1]), "{published:?}");
    assert_eq!(published[2], Published::Confirmed);
}

#[test]
fn a_confirm_that_carries_another_message_is_not_trusted_when_the_batch_was_cut_off() {
    // The message of 1 may have waited behind that of 2.
    let published = decide(vec![
        ended(1, Answer::Acked, Some(returned(2))),
        ended(2, lost(), None),
        ended(3, Answer::Acked, None),
    ]);
    assert!(is_lost(&published[0]), "{published:?}");
    assert!(matches!(published[1], Published::Returned(_)), "{published:?}");
    assert_eq!(published[2], Published::Confirmed);
}

#[test]
fn what_was_refused_before_it_was_sent_casts_no_doubt_on_others() {
    let refused = Published::Refused("too long".to_owned());
    let published = decide(vec![
        Ended::without_answer(None, refused.clone()),
        ended(2, Answer::Acked, Some(returned(3))),
        ended(3, Answer::Acked, None),
    ]);
    let why = "no route".to_owned();
    assert_eq!(published, [refused, Published::Confirmed, Published::Returned(why)]);
}
