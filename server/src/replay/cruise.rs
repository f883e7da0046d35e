//! A lane at full speed, when nothing holds it back: while one window is on its way, the answers to the
//! one before are written down and the one after it is marked, in one transaction, and the one after
//! that is loaded. So the broker never waits for the database, and the other way round.
//!
//! At the first sign of trouble the lane goes back to its careful pace.

use super::halt::{Halt, persist};
use super::lane::{Line, Progress, START, recorded};
use super::prepare::{self, Ready};
use crate::broker::{Outgoing, Publisher};
use crate::store::replays::marks::{self, Begun};
use crate::store::replays::outcomes::{self, Recorded};

/// Letters that were marked: their messages, and for each its position and what was left off.
struct Window {
    messages: Vec<Outgoing>,
    marks: Vec<(i32, Option<String>)>,
}

impl Window {
    fn of(ready: Vec<Ready>) -> Option<Self> {
        if ready.is_empty() {
            return None;
        }
        let (messages, marks) = ready
            .into_iter()
            .map(|one| (one.message, (one.position, one.detail)))
            .unzip();
        Some(Self { messages, marks })
    }

    fn first(&self) -> Option<i32> {
        self.marks.first().map(|(position, _)| *position)
    }
}

/// What came of a window, still to be written down.
type Answered = Vec<Recorded>;

/// The windows between loading and writing down.
#[derive(Default)]
struct Train {
    answered: Answered,
    under_way: Option<Window>,
    loaded: Option<Vec<Ready>>,
}

impl Train {
    fn is_empty(&self) -> bool {
        self.answered.is_empty() && self.under_way.is_none() && self.loaded.is_none()
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
        self.put_down(&train.answered).await?;
        done
    }

    /// One window further.
    async fn advance(
        &self,
        publisher: &Publisher,
        progress: &mut Progress,
        train: &mut Train,
    ) -> Result<(), Halt> {
        let under_way = train.under_way.take();
        let answered = std::mem::take(&mut train.answered);
        let since = under_way.as_ref().and_then(Window::first);
        let publishing = async {
            match &under_way {
                Some(window) => {
                    publisher
                        .publish(&window.messages, super::lane::PATIENCE)
                        .await
                }
                None => Vec::new(),
            }
        };
        let (answers, turned, next) = tokio::join!(
            publishing,
            self.turn(&answered, since, train.loaded.take()),
            self.next_window(publisher, progress)
        );
        if let Some(window) = under_way {
            progress.pace.learn(&answers, publisher.is_open());
            train.answered = recorded(window.marks, answers);
        }
        match turned {
            Ok(window) => train.under_way = window,
            Err(halt) => {
                // Perhaps written down, perhaps not: to do it again changes nothing.
                train.answered.extend(answered);
                return Err(halt);
            }
        }
        train.loaded = next?;
        Ok(())
    }

    /// The next letters that can be published through this connection; nothing when there are none
    /// left.
    async fn next_window(
        &self,
        publisher: &Publisher,
        progress: &mut Progress,
    ) -> Result<Option<Vec<Ready>>, Halt> {
        let most = progress.pace.window();
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
