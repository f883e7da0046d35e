//! The letters of one replay that go through one vhost of one broker: window after window, in
//! order. The steps of a window: load, prepare, reach the broker, mark, publish, write down.

use std::collections::BTreeSet;
use std::time::Duration;

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::Outcome;

use super::Engine;
use super::brake::Brake;
use super::cruise::can_cruise;
use super::exchanges::{Exchanges, exchanges_of};
use super::halt::{Halt, persist};
use super::links::Way;
use super::pace::Pace;
use super::prepare::{self, Ready};
use crate::broker::{Company, Outgoing, Published, Publisher};
use crate::failpoint;
use crate::store::replays::bodies;
use crate::store::replays::marks::{self, Begun};
use crate::store::replays::outcomes::{self, Recorded};
use crate::store::replays::work::{self, Lane, Message, NextItem, Orders};

/// A publish that is not answered for so long is unknown.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// A lane at work.
pub(super) struct Line<'a> {
    pub(super) engine: &'a Engine,
    pub(super) replay: ReplayId,
    pub(super) lane: &'a Lane,
    pub(super) orders: &'a Orders,
    pub(super) brake: &'a Brake,
}

/// Why a replay that keeps the order of its letters stops.
const IN_THE_WAY: &str = "a letter did not get through, and those after it are to keep their order: \
    decide on it, then resume";

/// How far a lane is.
pub(super) struct Progress {
    pub(super) pace: Pace,
    /// The connection in use.
    held: Option<Publisher>,
    pub(super) exchanges: Exchanges,
    /// The last position that was taken up.
    pub(super) after: i32,
}

impl Progress {
    /// Learns from what came of messages that went to these exchanges.
    pub(super) fn learn(
        &mut self,
        exchanges: &BTreeSet<String>,
        answers: &[Published],
        publisher: &Publisher,
    ) {
        self.pace.learn(answers, publisher.is_open());
        if publisher.is_open() {
            self.exchanges.proven.extend(exchanges.iter().cloned());
        }
    }
}

/// Before the first position.
pub(super) const START: i32 = -1;

impl Line<'_> {
    /// Publishes what is pending.
    pub(super) async fn run(&self) -> Result<(), Halt> {
        let mut progress = Progress {
            pace: Pace::new(self.engine.deps.config.window),
            held: None,
            exchanges: Exchanges::default(),
            after: START,
        };
        let done = loop {
            match self.go_on(&mut progress).await {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(halt) => break Err(halt),
            }
        };
        if let Some(publisher) = progress.held {
            self.engine.links.give_back(self.lane, publisher).await;
        }
        done
    }

    /// At full speed where nothing is in the way, else one window. Tells whether there may be more.
    async fn go_on(&self, progress: &mut Progress) -> Result<bool, Halt> {
        let is_free = progress.pace.is_full() && !self.brake.holds();
        if is_free && let Some(publisher) = progress.held.take_if(|held| can_cruise(held)) {
            let done = self.cruise(&publisher, progress).await;
            // A channel with an answer outstanding is done with: see `publish`.
            if progress.pace.is_full() || publisher.is_blocked() {
                progress.held = Some(publisher);
            } else {
                publisher.close().await;
            }
            done?;
        }
        self.step(progress).await
    }

    /// One window. Tells whether there may be more.
    async fn step(&self, progress: &mut Progress) -> Result<bool, Halt> {
        if self.engine.stop.is_cancelled() {
            return Err(Halt::Stopped);
        }
        let wanted = progress.pace.window();
        let permit = self.brake.permit(self.engine, self.replay, wanted).await?;
        let started_over = progress.after == START;
        let Some(ready) = self.load(progress, permit.most).await? else {
            self.brake.give_back(permit.most).await;
            // Some may have been left behind: those that never left their window.
            progress.after = START;
            return Ok(!started_over);
        };
        let unused = permit.most - i64::try_from(ready.len()).unwrap_or(i64::MAX);
        self.brake.give_back(unused).await;
        let Some(ready) = self.reach(progress, ready).await? else {
            return Ok(true);
        };
        let ready = self.mark(ready).await?;
        self.publish(progress, ready).await?;
        Ok(true)
    }

    /// A way to the broker, and the letters that have a place there; nothing when there are none.
    async fn reach(
        &self,
        progress: &mut Progress,
        ready: Vec<Ready>,
    ) -> Result<Option<Vec<Ready>>, Halt> {
        if ready.is_empty() {
            return Ok(None);
        }
        let held = progress.held.take();
        let is_new = held.as_ref().is_none_or(|one| !one.is_open());
        if is_new {
            progress.exchanges = Exchanges::default();
        }
        let publisher = match self.engine.way(self.replay, self.lane, held).await? {
            Way::Open(publisher) => progress.held.insert(*publisher),
            Way::Refused(why) => {
                self.refuse_all(&ready, &why).await?;
                return Ok(None);
            }
        };
        let kept = self.placed(publisher, &mut progress.exchanges, ready);
        let kept = kept.await?;
        Ok((!kept.is_empty()).then_some(kept))
    }

    /// Publishes letters that were marked, and writes down what came of each.
    async fn publish(&self, progress: &mut Progress, ready: Vec<Ready>) -> Result<(), Halt> {
        let Some(publisher) = progress.held.take() else {
            return Ok(());
        };
        let (messages, marks): (Vec<Outgoing>, Vec<_>) = ready
            .into_iter()
            .map(|one| (one.message, (one.position, one.detail)))
            .unzip();
        let exchanges = exchanges_of(&messages);
        let answers = publisher.publish(&messages, PATIENCE, Company::Alone).await;
        progress.learn(&exchanges, &answers, &publisher);
        // A channel with an answer outstanding is done with, unless it is only blocked: a new
        // connection would have to learn that again, at the price of a letter.
        let outstanding = answers.iter().any(|one| matches!(one, Published::Lost(_)));
        if outstanding && !publisher.is_blocked() {
            publisher.close().await;
        } else {
            progress.held = Some(publisher);
        }
        if answers.contains(&Published::NotSent) {
            // What never left goes next.
            progress.after = START;
        }
        self.write_down(marks, answers).await
    }

    /// The next letters that can be published; those that cannot are refused. Nothing when no
    /// letter is pending.
    pub(super) async fn load(
        &self,
        progress: &mut Progress,
        most: i64,
    ) -> Result<Option<Vec<Ready>>, Halt> {
        let (engine, replay, lane, after) = (self.engine, self.replay, self.lane, progress.after);
        let items = persist!(engine, conn => work::next(conn, replay, lane, after, most).await)?;
        if items.is_empty() {
            return Ok(None);
        }
        let items = prepare::choose(items, &progress.exchanges);
        if let Some(last) = items.last() {
            progress.after = last.position;
        }
        let (items, mut refused) = prepare::refuse_oversized(items);
        let letters: Vec<_> = items.iter().map(|item| item.letter).collect();
        let messages = persist!(engine, conn => work::messages(conn, &letters).await)?;
        let messages = self.put_in_place(&items, messages).await?;
        let terms = (replay, self.orders.keep_expiration);
        let (ready, unfit) = prepare::prepare(terms, &progress.exchanges, items, messages);
        refused.extend(unfit);
        self.record(&refused).await?;
        Ok(Some(ready))
    }

    /// Puts bodies in place that were frozen with the plan.
    async fn put_in_place(
        &self,
        items: &[NextItem],
        messages: Vec<Message>,
    ) -> Result<Vec<Message>, Halt> {
        let changed = items.iter().filter(|item| item.changed);
        let changed: Vec<_> = changed.map(|item| item.letter).collect();
        if changed.is_empty() {
            return Ok(messages);
        }
        let (engine, replay) = (self.engine, self.replay);
        let frozen = persist!(engine, conn => bodies::frozen(conn, replay, &changed).await)?;
        Ok(prepare::put_in_place(&changed, frozen, messages))
    }

    async fn refuse_all(&self, ready: &[Ready], why: &str) -> Result<(), Halt> {
        let why = format!("it was not published, since the broker refuses: {why}");
        let refused: Vec<_> = ready
            .iter()
            .map(|one| prepare::refusal(one.position, &why))
            .collect();
        self.record(&refused).await
    }

    /// Marks letters as being published, and keeps those that were marked.
    async fn mark(&self, ready: Vec<Ready>) -> Result<Vec<Ready>, Halt> {
        let positions: Vec<i32> = ready.iter().map(|one| one.position).collect();
        let (engine, replay, lane) = (self.engine, self.replay, self.lane);
        let me = engine.deps.office_id;
        let begun = persist!(
            engine,
            conn => marks::begin_publish(conn, replay, me, lane, (None, &positions)).await
        )?;
        let Begun::These(marked) = begun else {
            return Err(Halt::NotOurs);
        };
        self.still_claimed(ready, &marked).await
    }

    /// Writes the answers to a window down, and takes its mark away with them. Letters that never
    /// left are pending again.
    async fn write_down(
        &self,
        marks: Vec<(i32, Option<String>)>,
        answers: Vec<Published>,
    ) -> Result<(), Halt> {
        let recorded = recorded(marks, answers);
        let (engine, replay, lane) = (self.engine, self.replay, self.lane);
        let (me, at) = (engine.deps.office_id, engine.deps.clock.now());
        persist!(engine, conn => {
            outcomes::record(conn, replay, &recorded, at).await?;
            failpoint::reach(failpoint::WRITTEN);
            marks::clear(conn, replay, me, lane).await
        })?;
        self.engine.keep_order(replay, self.orders, &recorded).await
    }

    pub(super) async fn record(&self, recorded: &[Recorded]) -> Result<(), Halt> {
        self.engine.record(self.replay, recorded).await?;
        let engine = self.engine;
        engine.keep_order(self.replay, self.orders, recorded).await
    }
}

impl Engine {
    pub(super) async fn record(&self, replay: ReplayId, recorded: &[Recorded]) -> Result<(), Halt> {
        if recorded.is_empty() {
            return Ok(());
        }
        let at = self.deps.clock.now();
        persist!(self, conn => outcomes::record(conn, replay, recorded, at).await)?;
        Ok(())
    }

    /// Stops a replay whose letters are to keep their order, when one of them did not get through.
    pub(super) async fn keep_order(
        &self,
        replay: ReplayId,
        orders: &Orders,
        recorded: &[Recorded],
    ) -> Result<(), Halt> {
        let passed = |one: &Recorded| one.outcome == Outcome::Confirmed;
        if !orders.in_order || recorded.iter().all(passed) {
            return Ok(());
        }
        self.stop_replay(replay, IN_THE_WAY).await?;
        Err(Halt::NotOurs)
    }
}

/// What is to be written down of the answers to a window. Letters that never left are not in it: they
/// are still pending.
pub(super) fn recorded(
    marks: Vec<(i32, Option<String>)>,
    answers: Vec<Published>,
) -> Vec<Recorded> {
    let outcomes = marks.into_iter().zip(answers);
    outcomes
        .filter_map(|((position, stripped), answer)| {
            let (outcome, detail) = outcome(answer, stripped)?;
            Some(Recorded {
                position,
                outcome,
                detail: detail.map(|text| text.replace('\0', "\u{fffd}")),
            })
        })
        .collect()
}

/// What an answer means for the letter; nothing when it never left.
fn outcome(answer: Published, stripped: Option<String>) -> Option<(Outcome, Option<String>)> {
    Some(match answer {
        Published::Confirmed => (Outcome::Confirmed, stripped),
        Published::Returned(why) => (Outcome::Unroutable, Some(why)),
        Published::Refused(why) => (Outcome::Refused, Some(why)),
        Published::Lost(why) => (
            Outcome::Unknown,
            Some(format!("the publish was cut off: {why}")),
        ),
        Published::NotSent => return None,
    })
}
