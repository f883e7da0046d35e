//! The broker of the model: a queue that gives back, in whatever order, what ended sessions had.

use std::collections::BTreeMap;

use super::Foreign;

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Message {
    /// Who it is; nobody but the model knows.
    pub(super) id: usize,
    pub(super) content: u8,
    pub(super) priority: u8,
    /// It was delivered before.
    pub(super) marked: bool,
}

/// A session's end that the broker has not seen.
#[derive(Debug)]
struct End {
    session: usize,
    /// An acknowledgement of so many messages is read before.
    acknowledged: Option<usize>,
}

/// One queue.
#[derive(Debug)]
pub(super) struct Broker {
    pub(super) ready: Vec<Message>,
    /// What each session has, in the order of delivery.
    pub(super) in_flight: BTreeMap<usize, Vec<Message>>,
    /// Sessions whose end it has seen.
    pub(super) gave_back: Vec<usize>,
    /// How many acknowledgements of a session it carried out.
    pub(super) receipts: BTreeMap<usize, i64>,
    /// What a consumer of somebody else has.
    foreign: Vec<Message>,
    /// What it does not have any more though no office acknowledged it.
    pub(super) removed: Vec<Message>,
    /// It marks what it had on its way to a cancelled consumer, as quorum queues do.
    pub(super) marks_more: bool,
    ends: Vec<End>,
}

impl Broker {
    pub(super) fn new(contents: &[u8], priorities: &[u8], marks_more: bool) -> Self {
        let all = contents.iter().zip(priorities).enumerate();
        let mut ready: Vec<Message> = all
            .map(|(id, (content, priority))| Message {
                id,
                content: *content,
                priority: *priority,
                marked: false,
            })
            .collect();
        ready.sort_by_key(|message| std::cmp::Reverse(message.priority));
        Self {
            ready,
            in_flight: BTreeMap::new(),
            gave_back: Vec::new(),
            receipts: BTreeMap::new(),
            foreign: Vec::new(),
            removed: Vec::new(),
            marks_more,
            ends: Vec::new(),
        }
    }

    pub(super) fn deliver(&mut self, session: usize, most: usize) {
        let most = most.min(self.ready.len());
        let messages = self.ready.drain(..most);
        self.in_flight.entry(session).or_default().extend(messages);
    }

    /// A consumer is cancelled, with so many messages on their way to it.
    pub(super) fn cancel(&mut self, on_their_way: usize) {
        let marked = if self.marks_more { on_their_way } else { 0 };
        for message in self.ready.iter_mut().take(marked) {
            message.marked = true;
        }
    }

    /// Acknowledges the first messages that a session has, and counts that, in one step.
    pub(super) fn acknowledge(&mut self, session: usize, messages: usize) {
        self.in_flight.entry(session).or_default().drain(..messages);
        if let Some(receipt) = self.receipts.get_mut(&session) {
            *receipt += 1;
        }
    }

    /// A session ends; the broker has not seen it.
    pub(super) fn end(&mut self, session: usize, acknowledged: Option<usize>) {
        self.ends.push(End { session, acknowledged });
    }

    /// What others do.
    pub(super) fn foreign(&mut self, foreign: Foreign, shuffle: u64) {
        let all = self.ready.len();
        match foreign {
            Foreign::Takes(most) => self.foreign.extend(self.ready.drain(..most.min(all))),
            Foreign::GivesBack => {
                let back = std::mem::take(&mut self.foreign);
                self.requeue(back, shuffle);
            }
            Foreign::Keeps => self.removed.append(&mut self.foreign),
            Foreign::Expire(most) => self.removed.extend(self.ready.drain(..most.min(all))),
            Foreign::Purge => self.removed.append(&mut self.ready),
            Foreign::LosesReceipts => self.receipts.clear(),
        }
    }

    pub(super) fn has_unseen_ends(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Whether nothing is ready and nothing is in flight.
    pub(super) fn is_empty(&self) -> bool {
        let mut held = self.in_flight.values().chain([&self.foreign]);
        self.ready.is_empty() && held.all(Vec::is_empty)
    }

    /// Sees one end: first the last or the first, as it comes.
    pub(super) fn sees_an_end(&mut self, shuffle: u64) {
        if self.ends.is_empty() {
            return;
        }
        let turns = u32::try_from(self.gave_back.len() % 64).expect("fits");
        let order = shuffle.rotate_left(turns);
        let which = usize::try_from(order % self.ends.len() as u64).expect("fits");
        let end = self.ends.remove(which);
        if let Some(messages) = end.acknowledged {
            self.acknowledge(end.session, messages);
        }
        self.gave_back.push(end.session);
        let back = self.in_flight.remove(&end.session).unwrap_or_default();
        self.requeue(back, order);
    }

    /// Of each priority, what was delivered before stands before what was not, in any order.
    fn requeue(&mut self, back: Vec<Message>, order: u64) {
        for (place, mut message) in back.into_iter().enumerate() {
            message.marked = true;
            let first = self.ready.iter().filter(|other| other.priority > message.priority).count();
            let marked = self.ready[first..].iter();
            let marked = marked
                .take_while(|other| other.marked && other.priority == message.priority)
                .count();
            let turn = usize::try_from((order >> (place % 60)) % (marked as u64 + 1));
            self.ready.insert(first + turn.expect("fits"), message);
        }
    }
}
