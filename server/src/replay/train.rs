//! The windows of a lane at full speed, between loading and writing down: what goes on at once, and
//! what may begin next.

use std::collections::BTreeSet;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};

use super::cruise::can_cruise;
use super::halt::Halt;
use super::lane::{Line, Place, Progress, START};
use super::prepare::Ready;
use super::wire::{Arrived, Wire};
use super::writing::{Marked, are_confirmed};
use crate::broker::{Published, Publisher};
use crate::store::replays::outcomes::Recorded;

/// So many letters may be marked and not written down, beside those on their way.
const MOST_UNWRITTEN: usize = 2_000;

/// So many answers are worth being written down, although others are about to come.
const MOST_AT_ONCE: usize = 500;

/// Something that came to its end.
enum Event {
    Loaded(Place, Result<Option<Vec<Ready>>, Halt>),
    Marked(Result<Marked, Halt>),
    Written(Vec<Recorded>, Result<(), Halt>),
}

/// What is being done.
#[derive(Default)]
struct Busy {
    loading: bool,
    marking: bool,
    writing: bool,
}

/// The windows between loading and writing down.
pub(super) struct Train<'a> {
    line: &'a Line<'a>,
    publisher: &'a Publisher,
    /// The letters that are marked and have no answer.
    wire: Wire,
    /// What goes on beside it: at most one of loading, marking and writing.
    under_way: FuturesUnordered<BoxFuture<'a, Event>>,
    busy: Busy,
    /// Whether no letter is left to be loaded.
    is_over: bool,
    loaded: Option<Vec<Ready>>,
    /// The position of a letter that is marked, or about to be, and that travels alone.
    alone: Option<i32>,
    /// The positions that were marked and are not written down.
    unwritten: BTreeSet<i32>,
    answered: Vec<Recorded>,
    /// Exchanges that took letters.
    proven: BTreeSet<String>,
    /// Whether letters were marked that are not published.
    is_left_behind: bool,
    done: Result<(), Halt>,
}

impl<'a> Train<'a> {
    pub(super) fn new(line: &'a Line<'a>, publisher: &'a Publisher) -> Self {
        Self {
            line,
            publisher,
            wire: Wire::open(line, publisher),
            under_way: FuturesUnordered::new(),
            busy: Busy::default(),
            is_over: false,
            loaded: None,
            alone: None,
            unwritten: BTreeSet::new(),
            answered: Vec::new(),
            proven: BTreeSet::new(),
            is_left_behind: false,
            done: Ok(()),
        }
    }

    /// Publishes window after window until there are no more, or something is wrong. Tells what was
    /// answered and is not written down, and why it ended.
    pub(super) async fn run(
        mut self,
        progress: &mut Progress,
    ) -> (Vec<Recorded>, Result<(), Halt>) {
        loop {
            self.begin(progress);
            tokio::select! {
                Some(arrived) = self.wire.next() => self.arrive(arrived, progress),
                Some(event) = self.under_way.next() => self.take_in(event, progress),
                else => break,
            }
        }
        let sent = self.wire.end().await;
        // What was marked and not published is still pending.
        if self.is_left_behind || self.loaded.is_some() {
            progress.place.after = START;
        }
        progress.place.exchanges.proven.append(&mut self.proven);
        (self.answered, self.done.and(sent))
    }

    /// Whether nothing speaks against the next window.
    fn goes_on(&self, progress: &Progress) -> bool {
        let stopped = self.line.engine.stop.is_cancelled();
        let is_well = self.done.is_ok() && !stopped && !self.is_left_behind;
        is_well && progress.pace.is_full() && can_cruise(self.publisher)
    }

    /// Whether the window that is loaded may be marked. One is marked ahead, so that letters leave as soon as
    /// others have arrived.
    fn may_mark(&self, next: &[Ready]) -> bool {
        let most = MOST_UNWRITTEN + self.line.most_on_the_way;
        let has_room = self.unwritten.len() + next.len() <= most;
        !self.busy.marking && self.waiting() < next.len() && has_room
    }

    /// How many letters are marked and have not left, at least.
    fn waiting(&self) -> usize {
        self.wire.out().saturating_sub(self.line.most_on_the_way)
    }

    /// Begins what may be done now.
    fn begin(&mut self, progress: &mut Progress) {
        if self.goes_on(progress) {
            match self.loaded.take() {
                Some(next) if self.may_mark(&next) => self.mark(next),
                next => self.loaded = next,
            }
            if !(self.busy.loading || self.is_over || self.alone.is_some() || self.loaded.is_some())
            {
                self.load(progress);
            }
        } else {
            self.wire.hold();
        }
        if self.done.is_ok() && !self.busy.writing && self.should_write() {
            self.write();
        }
    }

    /// Whether answers are to be written down now: many together cost less. What the broker confirmed is noted
    /// until then; anything else, and whatever comes last, is not waited with.
    fn should_write(&self) -> bool {
        let is_pressing = self.answered.len() >= MOST_AT_ONCE || self.waiting() == 0;
        !self.answered.is_empty() && (is_pressing || !are_confirmed(&self.answered))
    }

    fn load(&mut self, progress: &mut Progress) {
        self.busy.loading = true;
        let (line, publisher) = (self.line, self.publisher);
        let mut place = std::mem::take(&mut progress.place);
        place.exchanges.proven.append(&mut self.proven);
        let most = progress.pace.window();
        let loading = async move {
            let next = line.next_window(publisher, &mut place, most).await;
            Event::Loaded(place, next)
        };
        self.under_way.push(loading.boxed());
    }

    fn mark(&mut self, next: Vec<Ready>) {
        self.busy.marking = true;
        self.alone = alone(&next);
        let before = self.unwritten.first().copied();
        let line = self.line;
        let marking = async move { Event::Marked(line.marked(before, next).await) };
        self.under_way.push(marking.boxed());
    }

    fn write(&mut self) {
        self.busy.writing = true;
        let line = self.line;
        let answered = std::mem::take(&mut self.answered);
        let writing = async move {
            let written = line.write(&answered).await;
            Event::Written(answered, written)
        };
        self.under_way.push(writing.boxed());
    }

    /// Goes on from what came to its end.
    fn take_in(&mut self, event: Event, progress: &mut Progress) {
        match event {
            Event::Loaded(place, next) => {
                self.busy.loading = false;
                progress.place = place;
                self.is_over = matches!(next, Ok(None));
                self.loaded = self.keep(next).flatten().filter(|next| !next.is_empty());
            }
            Event::Marked(marked) => {
                self.busy.marking = false;
                match self.keep(marked) {
                    Some(marked) => {
                        self.alone = alone(&marked.ready);
                        self.unwritten.extend(marked.ready.iter().map(|one| one.seat.position));
                        self.wire.send(marked);
                    }
                    // Perhaps marked, and not published.
                    None => self.is_left_behind = true,
                }
            }
            Event::Written(recorded, written) => {
                self.busy.writing = false;
                if self.keep(written).is_some() {
                    self.wire.written(&recorded);
                    for one in recorded {
                        self.unwritten.remove(&one.seat.position);
                    }
                } else {
                    // Perhaps written down, perhaps not: to do it again changes nothing.
                    self.answered.extend(recorded);
                }
            }
        }
    }

    fn arrive(&mut self, arrived: Arrived, progress: &mut Progress) {
        if arrived.recorded.iter().any(|one| Some(one.seat.position) == self.alone) {
            self.alone = None;
        }
        self.is_left_behind |= arrived.answers.contains(&Published::NotSent);
        progress.pace.learn(&arrived.answers, self.publisher.is_open());
        if arrived.proves_exchanges() {
            self.proven.extend(arrived.exchanges);
        }
        self.answered.extend(arrived.recorded);
    }

    /// What was reached; what ended early ends the whole.
    fn keep<T>(&mut self, done: Result<T, Halt>) -> Option<T> {
        match done {
            Ok(done) => Some(done),
            Err(halt) => {
                self.done = Err(halt);
                None
            }
        }
    }
}

fn alone(ready: &[Ready]) -> Option<i32> {
    ready.iter().find(|one| one.alone).map(|one| one.seat.position)
}
