//! The letters of a lane between their mark and the broker's answer: a few leave at a time, and how far they are is
//! noted (`store/replays/progress.rs`), so that an office that is killed leaves only these few unknown.
//!
//! Each batch has a channel to itself: one that breaks it harms no other.

mod work;

use std::collections::BTreeSet;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tracing::Instrument as _;

use self::work::Work;
use super::halt::Halt;
use super::lane::Line;
use super::writing::Marked;
use crate::broker::{Published, Publisher};
use crate::store::replays::outcomes::Recorded;

/// What came of letters that were marked.
pub(super) struct Arrived {
    /// Where they went, beside the default exchange.
    pub(super) exchanges: BTreeSet<String>,
    /// What is known of each.
    pub(super) answers: Vec<Published>,
    /// What is to be written down. Letters that never left are not in it.
    pub(super) recorded: Vec<Recorded>,
}

/// What a wire is told.
enum Order {
    Send(Marked),
    /// Letters are written down: nothing of them is unknown any more.
    Written(Vec<i32>),
    /// No more letters are to leave.
    Hold,
}

/// A wire at work, on a task of its own: whoever prepares letters and reads rows would hold it up. When this is
/// dropped, it ends as a kill would end it.
pub(super) struct Wire {
    orders: mpsc::UnboundedSender<Order>,
    arrivals: mpsc::UnboundedReceiver<Arrived>,
    task: JoinSet<Result<(), Halt>>,
    /// Letters that have no answer.
    out: usize,
    is_held: bool,
}

impl Wire {
    /// A wire of a lane, through this connection.
    pub(super) fn open(line: &Line<'_>, publisher: &Publisher) -> Self {
        let (orders, ordered) = mpsc::unbounded_channel();
        let (arrive, arrivals) = mpsc::unbounded_channel();
        let work = Work::new(line, publisher, arrive);
        let mut task = JoinSet::new();
        task.spawn(work.run(ordered).in_current_span());
        Self { orders, arrivals, task, out: 0, is_held: false }
    }

    /// Sends letters that were marked.
    pub(super) fn send(&mut self, marked: Marked) {
        self.out += marked.ready.len();
        self.order(Order::Send(marked));
    }

    /// Says that letters are written down.
    pub(super) fn written(&self, recorded: &[Recorded]) {
        let positions = recorded.iter().map(|one| one.seat.position);
        self.order(Order::Written(positions.collect()));
    }

    /// Lets no more letters leave.
    pub(super) fn hold(&mut self) {
        if !std::mem::replace(&mut self.is_held, true) {
            self.order(Order::Hold);
        }
    }

    fn order(&self, order: Order) {
        // One that has ended says why at its end.
        let _ = self.orders.send(order);
    }

    /// How many letters have no answer.
    pub(super) fn out(&self) -> usize {
        self.out
    }

    /// What came of the next letters; nothing when none is without an answer. It may be dropped while it waits.
    pub(super) async fn next(&mut self) -> Option<Arrived> {
        if self.out == 0 {
            return None;
        }
        let arrived = self.arrivals.recv().await?;
        self.out -= arrived.answers.len();
        Some(arrived)
    }

    /// Ends it, and tells what was wrong.
    pub(super) async fn end(mut self) -> Result<(), Halt> {
        drop(self.orders);
        match self.task.join_next().await {
            Some(Ok(done)) => done,
            Some(Err(why)) => match why.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(Halt::Stopped),
            },
            None => Ok(()),
        }
    }
}

impl Arrived {
    /// Whether the broker did not answer, or letters never left.
    pub(super) fn has_losses(&self) -> bool {
        let is_lost = |one: &Published| matches!(one, Published::Lost(_) | Published::NotSent);
        self.answers.iter().any(is_lost)
    }

    /// Whether every letter was taken in by its exchange.
    pub(super) fn proves_exchanges(&self) -> bool {
        !self.has_losses() && !self.answers.iter().any(|one| matches!(one, Published::Refused(_)))
    }
}
