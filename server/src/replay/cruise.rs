//! A lane at full speed, when nothing holds it back: several windows are on their way at once, each a
//! part of what may be, while the answers to those before them are written down and the one after them
//! is marked, in one transaction, and the one after that is loaded. So neither the broker nor the
//! database waits for the other.
//!
//! At the first sign of trouble the lane goes back to its careful pace.

use std::collections::{BTreeSet, VecDeque};
use std::pin::pin;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesOrdered;
use futures_util::{FutureExt as _, StreamExt as _};

use super::exchanges::exchanges_of;
use super::halt::{Halt, persist};
use super::lane::{Line, PATIENCE, Progress, START, recorded};
use super::prepare::{self, Ready};
use crate::broker::{Company, Outgoing, Published, Publisher};
use crate::failpoint;
use crate::store::replays::marks::{self, Begun};
use crate::store::replays::outcomes::{self, Recorded};

/// So many windows share what may be on its way at once.
const WINDOWS: i64 = 4;

/// Letters that were marked: their messages, and for each its position and what was left off.
struct Window {
    messages: Vec<Outgoing>,
    marks: Vec<(i32, Option<String>)>,
    /// Whether nothing else may be on its way with it.
    is_alone: bool,
}

impl Window {
    fn of(ready: Vec<Ready>) -> Option<Self> {
        if ready.is_empty() {
            return None;
        }
        let is_alone = ready.iter().any(|one| one.alone);
        let (messages, marks) = ready
            .into_iter()
            .map(|one| (one.message, (one.position, one.detail)))
            .unzip();
        Some(Self {
            messages,
            marks,
            is_alone,
        })
    }

    async fn travel(self, publisher: &Publisher) -> Arrived {
        let company = if self.is_alone {
            Company::Alone
        } else {
            Company::Others
        };
        let answers = publisher.publish(&self.messages, PATIENCE, company).await;
        Arrived {
            exchanges: exchanges_of(&self.messages),
            marks: self.marks,
            answers,
        }
    }
}

/// What came of a window, still to be written down.
struct Arrived {
    exchanges: BTreeSet<String>,
    marks: Vec<(i32, Option<String>)>,
    answers: Vec<Published>,
}

/// The windows between loading and writing down.
#[derive(Default)]
struct Train<'a> {
    loaded: Option<Vec<Ready>>,
    on_the_way: FuturesOrdered<BoxFuture<'a, Arrived>>,
    /// Where each window on its way begins.
    firsts: VecDeque<i32>,
    /// Whether what is on its way is a window that has to be alone.
    is_alone: bool,
    arrived: Vec<Arrived>,
    /// What is to be written down of those that arrived.
    answered: Vec<Recorded>,
}

impl<'a> Train<'a> {
    fn is_empty(&self) -> bool {
        self.loaded.is_none()
            && self.on_the_way.is_empty()
            && self.arrived.is_empty()
            && self.answered.is_empty()
    }

    /// Whether the window that is loaded may depart.
    fn has_room(&self) -> bool {
        let mut next = self.loaded.iter().flatten();
        if self.is_alone || next.any(|one| one.alone) {
            return self.on_the_way.is_empty();
        }
        i64::try_from(self.on_the_way.len()).is_ok_and(|windows| windows < WINDOWS)
    }

    /// Whether there is something to do: a window to mark, or answers to write down. With nothing on
    /// its way there is nothing to wait for either.
    fn is_ready(&self) -> bool {
        let has_work = self.loaded.is_some() || !self.arrived.is_empty();
        self.on_the_way.is_empty() || (has_work && self.has_room())
    }

    fn depart(&mut self, window: Window, publisher: &'a Publisher) {
        self.firsts
            .extend(window.marks.first().map(|(first, _)| first));
        self.is_alone = window.is_alone;
        self.on_the_way.push_back(window.travel(publisher).boxed());
    }

    /// Waits until the first window on its way has its answers.
    async fn arrive(&mut self) {
        if let Some(arrived) = self.on_the_way.next().await {
            self.firsts.pop_front();
            self.arrived.push(arrived);
        }
    }

    /// Does something else while windows are on their way.
    async fn meanwhile<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = self.arrive(), if !self.on_the_way.is_empty() => {}
            }
        }
    }

    /// Learns from what arrived.
    fn take_in(&mut self, publisher: &Publisher, progress: &mut Progress) {
        for one in self.arrived.drain(..) {
            progress.learn(&one.exchanges, &one.answers, publisher);
            self.answered.extend(recorded(one.marks, one.answers));
        }
    }
}

impl Line<'_> {
    /// Publishes window after window until there are no more, or something is wrong. What was
    /// answered is written down in any case.
    pub(super) async fn cruise(
        &self,
        publisher: &Publisher,
        progress: &mut Progress,
    ) -> Result<(), Halt> {
        let mut train = Train {
            loaded: self.next_window(publisher, progress).await?,
            ..Train::default()
        };
        let mut done = Ok(());
        while done.is_ok() && !train.is_empty() {
            done = self.advance(publisher, progress, &mut train).await;
            let stopped = self.engine.stop.is_cancelled();
            if stopped || !progress.pace.is_full() || !can_cruise(publisher) {
                break;
            }
        }
        if !train.is_empty() {
            // What was loaded, or marked and not published, is still pending.
            progress.after = START;
        }
        while !train.on_the_way.is_empty() {
            train.arrive().await;
        }
        train.take_in(publisher, progress);
        self.put_down(&train.answered).await?;
        done
    }

    /// Writes down what is answered, marks the window that is loaded, and has it depart; loads another.
    async fn advance<'a>(
        &self,
        publisher: &'a Publisher,
        progress: &mut Progress,
        train: &mut Train<'a>,
    ) -> Result<(), Halt> {
        while !train.is_ready() {
            train.arrive().await;
        }
        train.take_in(publisher, progress);
        let answered = std::mem::take(&mut train.answered);
        let since = train.firsts.front().copied();
        let next = train.loaded.take_if(|_| progress.pace.is_full());
        let are_more = next.is_some();
        let work = async {
            let loading = async {
                if are_more {
                    self.next_window(publisher, progress).await
                } else {
                    Ok(None)
                }
            };
            tokio::join!(self.turn(&answered, since, next), loading)
        };
        match train.meanwhile(work).await {
            (Ok(window), loaded) => {
                if let Some(window) = window {
                    train.depart(window, publisher);
                }
                if are_more {
                    train.loaded = loaded?;
                }
                Ok(())
            }
            (Err(halt), _) => {
                // Perhaps written down, perhaps not: to do it again changes nothing.
                train.answered = answered;
                Err(halt)
            }
        }
    }

    /// The next letters that can be published through this connection; nothing when there are none
    /// left.
    async fn next_window(
        &self,
        publisher: &Publisher,
        progress: &mut Progress,
    ) -> Result<Option<Vec<Ready>>, Halt> {
        let most = (progress.pace.window() / WINDOWS).max(1);
        match self.load(progress, most).await? {
            None => Ok(None),
            Some(ready) => {
                let placed = self.placed(publisher, &mut progress.exchanges, ready);
                Ok(Some(placed.await?))
            }
        }
    }

    /// Writes answers down and marks the letters that come next, in one transaction. `since` is where
    /// the window begins that is on its way now.
    async fn turn(
        &self,
        answered: &[Recorded],
        since: Option<i32>,
        next: Option<Vec<Ready>>,
    ) -> Result<Option<Window>, Halt> {
        let next = next.unwrap_or_default();
        if answered.is_empty() && next.is_empty() {
            return Ok(None);
        }
        let positions: Vec<i32> = next.iter().map(|one| one.position).collect();
        let (engine, replay, lane) = (self.engine, self.replay, self.lane);
        let (me, at) = (engine.deps.office_id, engine.deps.clock.now());
        let begun = persist!(engine, conn => {
            outcomes::record(conn, replay, answered, at).await?;
            failpoint::reach(failpoint::WRITTEN);
            if positions.is_empty() {
                Ok(Begun::These(Vec::new()))
            } else {
                let range = (since, &*positions);
                marks::begin_publish(conn, replay, me, lane, range).await
            }
        })?;
        let Begun::These(marked) = begun else {
            return Err(Halt::NotOurs);
        };
        Ok(Window::of(self.still_claimed(next, &marked).await?))
    }

    /// Writes the last answers down, and takes the mark away: nothing is on its way any more.
    async fn put_down(&self, answered: &[Recorded]) -> Result<(), Halt> {
        let (engine, replay, lane) = (self.engine, self.replay, self.lane);
        let (me, at) = (engine.deps.office_id, engine.deps.clock.now());
        persist!(engine, conn => {
            outcomes::record(conn, replay, answered, at).await?;
            failpoint::reach(failpoint::WRITTEN);
            marks::clear(conn, replay, me, lane).await
        })
    }

    /// Of letters that were to be marked those that were; the others came back meanwhile.
    pub(super) async fn still_claimed(
        &self,
        ready: Vec<Ready>,
        marked: &[i32],
    ) -> Result<Vec<Ready>, Halt> {
        let (ready, back): (Vec<_>, Vec<_>) = ready
            .into_iter()
            .partition(|one| marked.binary_search(&one.position).is_ok());
        let why = "it was not published: it came back meanwhile";
        let back: Vec<_> = back
            .iter()
            .map(|one| prepare::refusal(one.position, why))
            .collect();
        self.record(&back).await?;
        Ok(ready)
    }
}

/// Whether a connection takes letters at full speed now.
pub(super) fn can_cruise(publisher: &Publisher) -> bool {
    publisher.is_open() && !publisher.is_blocked()
}
