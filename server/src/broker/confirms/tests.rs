//! The ledger against a model of the broker and of lapin: returned messages are attached to whichever
//! confirm is completed next, and those of one `multiple` are completed in any order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};

use super::MessageKey;
use super::ledger::{Answer, Ledger, ReturnedMessage, Tag};
use crate::broker::Published;

/// Runs of the model.
const RUNS: u64 = 500;

/// What goes from the broker to lapin.
enum Frame {
    Return(Tag),
    Ack { tag: Tag, multiple: bool },
}

/// A confirm that lapin completed.
#[derive(Clone)]
struct Completed {
    tag: Tag,
    carried: Option<Tag>,
}

struct Model {
    random: StdRng,
    ledger: Ledger,
    /// So many of 100 reach no queue.
    unroutable_percent: u32,
    published: Tag,
    unroutable: BTreeSet<Tag>,
    /// Published, and not looked at by the broker.
    at_broker: VecDeque<Tag>,
    /// To be confirmed.
    ready: BTreeSet<Tag>,
    frames: VecDeque<Frame>,
    /// lapin's: returned messages that wait for a confirm, and publishes without one.
    waiting: VecDeque<Tag>,
    pending: BTreeSet<Tag>,
    completed: Vec<Completed>,
    /// Completed, and not observed.
    unobserved: Vec<Completed>,
    decided: BTreeMap<Tag, Published>,
}

fn key(tag: Tag) -> MessageKey {
    MessageKey::Message(tag.to_string())
}

fn returned(tag: Tag) -> ReturnedMessage {
    ReturnedMessage { key: Some(key(tag)), why: "no route".to_owned() }
}

impl Model {
    fn new(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        Self {
            unroutable_percent: [1, 10, 50, 100][random.random_range(0..4)],
            random,
            ledger: Ledger::default(),
            published: 0,
            unroutable: BTreeSet::new(),
            at_broker: VecDeque::new(),
            ready: BTreeSet::new(),
            frames: VecDeque::new(),
            waiting: VecDeque::new(),
            pending: BTreeSet::new(),
            completed: Vec::new(),
            unobserved: Vec::new(),
            decided: BTreeMap::new(),
        }
    }

    fn publish(&mut self) {
        self.published += 1;
        let tag = self.published;
        if self.random.random_ratio(self.unroutable_percent, 100) {
            self.unroutable.insert(tag);
        }
        self.ledger.register(tag, Some(key(tag)));
        self.pending.insert(tag);
        self.at_broker.push_back(tag);
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
        let ready: Vec<Tag> = self.ready.iter().copied().collect();
        if ready.is_empty() {
            return;
        }
        let tag = ready[self.random.random_range(0..ready.len())];
        let in_frames = self.frames.iter();
        let on_the_way = in_frames.filter_map(|frame| match frame {
            Frame::Ack { tag, .. } => Some(*tag),
            Frame::Return(_) => None,
        });
        let on_the_way: BTreeSet<Tag> = on_the_way.collect();
        let before = self.pending.range(..tag);
        let is_last =
            before.clone().all(|tag| self.ready.contains(tag) && !on_the_way.contains(tag));
        let multiple = is_last && self.random.random_bool(0.8);
        self.ready.retain(|other| *other != tag && !(multiple && *other < tag));
        self.frames.push_back(Frame::Ack { tag, multiple });
    }

    /// lapin takes a frame in.
    fn receive(&mut self) {
        match self.frames.pop_front() {
            None => {}
            Some(Frame::Return(tag)) => self.waiting.push_back(tag),
            Some(Frame::Ack { tag, multiple }) => {
                let first = if multiple { 0 } else { tag };
                let mut tags: Vec<Tag> = self.pending.range(first..=tag).copied().collect();
                tags.shuffle(&mut self.random);
                for tag in tags {
                    self.pending.remove(&tag);
                    let carried = self.waiting.pop_front();
                    let one = Completed { tag, carried };
                    self.completed.push(one.clone());
                    self.unobserved.push(one);
                }
            }
        }
    }

    fn observe(&mut self, one: &Completed) {
        let carried = one.carried.map(returned);
        self.ledger.resolve(one.tag, Answer::Acked, carried);
    }

    /// A publish is looked at as soon as it is handed over, and may be confirmed by then.
    fn observe_one_early(&mut self) {
        if !self.unobserved.is_empty() {
            let any = self.random.random_range(0..self.unobserved.len());
            let one = self.unobserved.remove(any);
            self.observe(&one);
        }
    }

    fn sweep(&mut self) {
        self.ledger.begin_sweep();
        let woken = std::mem::take(&mut self.unobserved);
        for one in &woken {
            self.observe(one);
            // Time goes on.
            if self.random.random_bool(0.3) {
                self.receive();
            }
        }
        for decision in self.ledger.end_sweep(woken.is_empty()) {
            let before = self.decided.insert(decision.tag, decision.published);
            assert_eq!(before, None, "decided twice");
        }
    }

    fn step(&mut self) {
        match self.random.random_range(0..10) {
            0..3 => self.publish(),
            3..5 => self.route(),
            5 => self.confirm(),
            6..8 => self.receive(),
            8 => self.observe_one_early(),
            _ => self.sweep(),
        }
    }

    /// Everything arrives, and is observed.
    fn end(&mut self) {
        while !self.at_broker.is_empty() {
            self.route();
        }
        while !self.ready.is_empty() {
            self.confirm();
        }
        while !self.frames.is_empty() {
            self.receive();
        }
        for _ in 0..3 {
            self.sweep();
        }
    }

    /// The connection breaks: what was not completed never is.
    fn cut(&mut self) {
        self.waiting.clear();
        self.frames.clear();
        let lost = Answer::Failed(Published::Lost("cut".to_owned()));
        let completed = std::mem::take(&mut self.unobserved);
        self.ledger.begin_sweep();
        for one in &completed {
            self.observe(one);
        }
        for tag in std::mem::take(&mut self.pending) {
            self.ledger.resolve(tag, lost.clone(), None);
        }
        for decision in self.ledger.end_sweep(false) {
            self.decided.insert(decision.tag, decision.published);
        }
        self.sweep();
        self.sweep();
    }

    fn assert_true(&self, may_be_unknown: bool) {
        assert_eq!(self.decided.len() as u64, self.published, "some are left");
        for (tag, published) in &self.decided {
            let is_unroutable = self.unroutable.contains(tag);
            match published {
                Published::Confirmed => assert!(!is_unroutable, "{tag}: a false success"),
                Published::Returned(_) => assert!(is_unroutable, "{tag}: a false failure"),
                Published::Lost(_) => assert!(may_be_unknown, "{tag} is unknown for nothing"),
                other => panic!("{tag}: {other:?}"),
            }
        }
    }
}

#[test]
fn each_return_is_told_of_the_publish_that_it_names() {
    for seed in 0..RUNS {
        let mut model = Model::new(seed);
        for _ in 0..300 {
            model.step();
        }
        model.end();
        model.assert_true(false);
    }
}

#[test]
fn a_channel_that_breaks_leaves_no_false_word() {
    let mut confirmed = 0;
    for seed in 0..RUNS {
        let mut model = Model::new(seed);
        for _ in 0..300 {
            model.step();
        }
        model.cut();
        model.assert_true(true);
        let of = model.decided.values();
        confirmed += of.filter(|one| **one == Published::Confirmed).count();
    }
    assert!(confirmed > 0, "the test proved nothing");
}

/// The model does what lapin does: without it, the tests above would prove nothing.
#[test]
fn most_returns_are_attached_to_other_publishes() {
    let (mut own, mut other) = (0, 0);
    for seed in 0..RUNS {
        let mut model = Model::new(seed);
        for _ in 0..300 {
            model.step();
        }
        model.end();
        for one in &model.completed {
            match one.carried {
                Some(carried) if carried == one.tag => own += 1,
                Some(_) => other += 1,
                None => {}
            }
        }
    }
    assert!(other > own / 10, "{own} of their own, {other} of others");
}

#[test]
fn a_return_that_names_nobody_leaves_all_that_were_on_their_way_unknown() {
    for named in [None, Some(key(99))] {
        let mut ledger = Ledger::default();
        for tag in 1..=3 {
            ledger.register(tag, Some(key(tag)));
        }
        let message = ReturnedMessage { key: named, why: "no route".to_owned() };
        ledger.begin_sweep();
        ledger.resolve(1, Answer::Acked, Some(message));
        ledger.resolve(2, Answer::Acked, None);
        ledger.resolve(3, Answer::Nacked, None);
        let mut decided = ledger.end_sweep(false);
        // What is published afterwards is not in doubt.
        ledger.register(4, Some(key(4)));
        ledger.begin_sweep();
        ledger.resolve(4, Answer::Acked, None);
        decided.extend(ledger.end_sweep(false));
        ledger.begin_sweep();
        decided.extend(ledger.end_sweep(true));
        let lost = |one: &Published| matches!(one, Published::Lost(_));
        let told: BTreeMap<Tag, bool> =
            decided.iter().map(|one| (one.tag, lost(&one.published))).collect();
        let wanted = BTreeMap::from([(1, true), (2, true), (3, true), (4, false)]);
        assert_eq!(told, wanted);
    }
}

#[test]
fn of_one_message_that_is_on_its_way_twice_a_return_tells_neither() {
    let mut ledger = Ledger::default();
    for tag in [1, 2] {
        ledger.register(tag, Some(key(7)));
    }
    ledger.register(3, Some(key(3)));
    ledger.begin_sweep();
    ledger.resolve(1, Answer::Acked, Some(returned(7)));
    ledger.resolve(2, Answer::Acked, None);
    ledger.resolve(3, Answer::Acked, None);
    let decided = ledger.end_sweep(false);
    assert_eq!(decided.len(), 3);
    for one in decided {
        match one.tag {
            3 => assert_eq!(one.published, Published::Confirmed),
            _ => assert!(matches!(one.published, Published::Lost(_)), "{one:?}"),
        }
    }
}

#[test]
fn a_confirm_that_carries_another_message_is_not_trusted_before_the_returns_are_all_there() {
    let mut ledger = Ledger::default();
    for tag in 1..=3 {
        ledger.register(tag, Some(key(tag)));
    }
    ledger.begin_sweep();
    // The message of 1 may wait behind that of 2.
    ledger.resolve(1, Answer::Acked, Some(returned(2)));
    let decided = ledger.end_sweep(false);
    assert_eq!(decided.len(), 1, "{decided:?}");
    assert_eq!(decided[0].tag, 2);
    ledger.begin_sweep();
    assert_eq!(ledger.end_sweep(true), []);
    ledger.begin_sweep();
    ledger.resolve(3, Answer::Acked, Some(returned(1)));
    let decided = ledger.end_sweep(false);
    let returned = |one: &Published| matches!(one, Published::Returned(_));
    assert!(decided.len() == 1 && decided[0].tag == 1 && returned(&decided[0].published));
}
