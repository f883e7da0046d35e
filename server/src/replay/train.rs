//! The windows of a lane at full speed, between loading and writing down: what goes on at once, and
//! what may begin next.

use std::collections::BTreeSet;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};

use super::cruise::can_cruise;
use super::exchanges::exchanges_of;
use super::halt::Halt;
use super::lane::{Line, PATIENCE, Place, Progress, START};
use super::prepare::Ready;
use super::writing::{InFlight, recorded};
use crate::broker::{Company, Outgoing, Published, Publisher};
use crate::store::replays::outcomes::Recorded;

/// So many windows share what may be on its way at once.
const WINDOWS: i64 = 4;
/// So many may be on their way or not written down yet: after a crash their letters are unknown.
const MOST_OPEN: usize = 6;

/// Letters that were marked: their messages, and for each what its answer is to be read with.
struct Window {
    first: i32,
    messages: Vec<Outgoing>,
    in_flight: Vec<InFlight>,
    /// Whether nothing else may be on its way with it.
    is_alone: bool,
}

impl Window {
    fn of(first: i32, ready: Vec<Ready>) -> Self {
        let is_alone = is_alone(&ready);
        let (messages, in_flight) = ready.into_iter().map(Ready::depart).unzip();
        Self { first, messages, in_flight, is_alone }
    }

    async fn travel(self, publisher: &Publisher) -> Arrived {
        let company = if self.is_alone { Company::Alone } else { Company::Others };
        let exchanges = exchanges_of(&self.messages);
        let answers = publisher.publish(self.messages, PATIENCE, company).await;
        Arrived { first: self.first, exchanges, in_flight: self.in_flight, answers }
    }
}

fn is_alone(ready: &[Ready]) -> bool {
    ready.iter().any(|one| one.alone)
}

/// What came of a window.
struct Arrived {
    first: i32,
    exchanges: BTreeSet<String>,
    in_flight: Vec<InFlight>,
    answers: Vec<Published>,
}

/// Answers that are to be written down, and the first positions of the windows that they are of.
#[derive(Default)]
struct Answered {
    firsts: Vec<i32>,
    recorded: Vec<Recorded>,
}

/// Something that came to its end.
enum Event {
    Loaded(Place, Result<Option<Vec<Ready>>, Halt>),
    Marked(Result<Window, Halt>),
    Arrived(Arrived),
    Written(Answered, Result<(), Halt>),
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
    /// What goes on now: at most one of loading, marking and writing, and the windows on their way.
    under_way: FuturesUnordered<BoxFuture<'a, Event>>,
    busy: Busy,
    /// Whether no letter is left to be loaded.
    is_over: bool,
    loaded: Option<Vec<Ready>>,
    /// A window that is marked and waits until there is room on the way.
    waiting: Option<Window>,
    /// Windows on their way.
    departed: usize,
    /// Whether a window that has to be alone is marked or on its way.
    is_alone: bool,
    /// The first positions of all windows that were marked and are not written down.
    open: BTreeSet<i32>,
    answered: Answered,
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
            under_way: FuturesUnordered::new(),
            busy: Busy::default(),
            is_over: false,
            loaded: None,
            waiting: None,
            departed: 0,
            is_alone: false,
            open: BTreeSet::new(),
            answered: Answered::default(),
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
        self.begin(progress);
        while let Some(event) = self.under_way.next().await {
            self.take_in(event, progress);
            self.begin(progress);
        }
        // What was marked and not published is still pending.
        if self.is_left_behind || self.loaded.is_some() || self.waiting.is_some() {
            progress.place.after = START;
        }
        progress.place.exchanges.proven.append(&mut self.proven);
        (self.answered.recorded, self.done)
    }

    /// Whether nothing speaks against the next window.
    fn goes_on(&self, progress: &Progress) -> bool {
        let stopped = self.line.engine.stop.is_cancelled();
        self.done.is_ok() && !stopped && progress.pace.is_full() && can_cruise(self.publisher)
    }

    /// Whether the window that is loaded may be marked. One is marked ahead, so that it departs as
    /// soon as another one has arrived; one that has to be alone waits until all have arrived.
    fn may_mark(&self, next: &[Ready]) -> bool {
        if self.busy.marking || self.is_alone || self.waiting.is_some() {
            return false;
        }
        if is_alone(next) {
            return self.departed == 0;
        }
        self.open.len() < MOST_OPEN
    }

    fn may_depart(&self) -> bool {
        i64::try_from(self.departed).is_ok_and(|windows| windows < WINDOWS)
    }

    /// Begins what may be done now.
    fn begin(&mut self, progress: &mut Progress) {
        if self.goes_on(progress) {
            if self.may_depart()
                && let Some(window) = self.waiting.take()
            {
                self.depart(window);
            }
            match self.loaded.take() {
                Some(next) if self.may_mark(&next) => self.mark(next),
                next => self.loaded = next,
            }
            if !(self.busy.loading || self.is_over || self.is_alone || self.loaded.is_some()) {
                self.load(progress);
            }
        }
        if self.done.is_ok() && !self.busy.writing && !self.answered.firsts.is_empty() {
            self.write();
        }
    }

    fn load(&mut self, progress: &mut Progress) {
        self.busy.loading = true;
        let (line, publisher) = (self.line, self.publisher);
        let mut place = std::mem::take(&mut progress.place);
        place.exchanges.proven.append(&mut self.proven);
        let most = (progress.pace.window() / WINDOWS).max(1);
        let loading = async move {
            let next = line.next_window(publisher, &mut place, most).await;
            Event::Loaded(place, next)
        };
        self.under_way.push(loading.boxed());
    }

    fn mark(&mut self, next: Vec<Ready>) {
        let Some(first) = next.first().map(|one| one.seat.position) else {
            return;
        };
        self.busy.marking = true;
        self.is_alone = is_alone(&next);
        self.open.insert(first);
        let (line, since) = (self.line, self.open.first().copied());
        let marking = async move {
            let marked = line.marked(since, next).await;
            Event::Marked(marked.map(|ready| Window::of(first, ready)))
        };
        self.under_way.push(marking.boxed());
    }

    fn depart(&mut self, window: Window) {
        self.departed += 1;
        let travel = window.travel(self.publisher).map(Event::Arrived);
        self.under_way.push(travel.boxed());
    }

    fn write(&mut self) {
        self.busy.writing = true;
        let line = self.line;
        let answered = std::mem::take(&mut self.answered);
        let writing = async move {
            let written = line.write(&answered.recorded).await;
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
            Event::Marked(window) => {
                self.busy.marking = false;
                self.waiting = self.keep(window);
                // Perhaps marked, and not published.
                self.is_left_behind |= self.waiting.is_none();
            }
            Event::Arrived(arrived) => self.arrive(arrived, progress),
            Event::Written(answered, written) => {
                self.busy.writing = false;
                if self.keep(written).is_some() {
                    self.open.retain(|first| !answered.firsts.contains(first));
                } else {
                    // Perhaps written down, perhaps not: to do it again changes nothing.
                    self.answered.recorded.extend(answered.recorded);
                }
            }
        }
    }

    fn arrive(&mut self, arrived: Arrived, progress: &mut Progress) {
        self.departed -= 1;
        self.is_alone = false;
        let is_open = self.publisher.is_open();
        progress.pace.learn(&arrived.answers, is_open);
        if is_open {
            self.proven.extend(arrived.exchanges);
        }
        let recorded = recorded(arrived.in_flight, arrived.answers);
        self.answered.firsts.push(arrived.first);
        self.answered.recorded.extend(recorded);
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
