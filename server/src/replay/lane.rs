//! The letters of one replay that go through one vhost of one broker: window after window, in
//! order. The steps of a window: load, prepare, reach the broker, mark, publish, write down.

use std::sync::Arc;
use std::time::Duration;

use dlo_domain::ids::ReplayId;

use super::Engine;
use super::brake::Brake;
use super::capacity::Capacity;
use super::cruise::can_cruise;
use super::exchanges::Exchanges;
use super::halt::{Halt, persist};
use super::links::Way;
use super::pace::Pace;
use super::prepare::{self, Ready};
use super::wire::Wire;
use super::writing::{Marked, are_confirmed};
use crate::broker::{Published, Publisher};
use crate::store::replays::bodies;
use crate::store::replays::messages::{self, Message};
use crate::store::replays::unclaimed;
use crate::store::replays::work::{self, Lane, NextItem, Orders};

/// A publish that is not answered for so long is unknown.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// A lane without letters looks again after so long whether some were claimed.
const CLAIM_PAUSE: Duration = Duration::from_millis(20);

/// A lane at work.
pub(super) struct Line<'a> {
    pub(super) engine: &'a Arc<Engine>,
    pub(super) replay: ReplayId,
    pub(super) lane: &'a Lane,
    pub(super) orders: &'a Orders,
    pub(super) brake: &'a Brake,
    /// So many letters may be on their way at once.
    pub(super) most_on_the_way: usize,
}

/// How far a lane is.
pub(super) struct Progress {
    pub(super) pace: Pace,
    /// The connection in use.
    held: Option<Publisher>,
    pub(super) place: Place,
}

/// What the next letters are loaded by.
pub(super) struct Place {
    pub(super) exchanges: Exchanges,
    pub(super) capacity: Capacity,
    /// The last position that was taken up.
    pub(super) after: i32,
}

impl Default for Place {
    fn default() -> Self {
        Self { exchanges: Exchanges::default(), capacity: Capacity::default(), after: START }
    }
}

impl Progress {
    /// Whether there is a connection that was not closed.
    fn has_way(&self) -> bool {
        self.held.as_ref().is_some_and(Publisher::is_open)
    }
}

/// Before the first position.
pub(super) const START: i32 = -1;

impl Line<'_> {
    /// Publishes what is pending, and what is claimed meanwhile.
    pub(super) async fn run(&self) -> Result<(), Halt> {
        let mut progress = Progress { pace: Pace::default(), held: None, place: Place::default() };
        let done = self.publish_all(&mut progress).await;
        if let Some(publisher) = progress.held {
            self.engine.links.give_back(self.lane, publisher).await;
        }
        done
    }

    async fn publish_all(&self, progress: &mut Progress) -> Result<(), Halt> {
        // Asked before letters are looked for, and not after it.
        let mut is_claimed = self.orders.is_claimed;
        loop {
            if self.go_on(progress).await? {
                continue;
            }
            if is_claimed {
                return Ok(());
            }
            is_claimed = self.wait_for_claims().await?;
        }
    }

    /// Waits for letters to be claimed. Returns whether all are.
    async fn wait_for_claims(&self) -> Result<bool, Halt> {
        let (engine, replay) = (self.engine, self.replay);
        engine.pause(&mut std::iter::once(CLAIM_PAUSE)).await?;
        engine.still_ours(replay).await?;
        Ok(!persist!(engine, conn => unclaimed::has_any(conn, replay).await)?)
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
        let before = progress.place.after;
        let started_over = before == START;
        let Some(ready) = self.load(&mut progress.place, permit.most).await? else {
            self.brake.give_back(permit.most).await;
            // Some may have been left behind: those that never left their window.
            progress.place.after = START;
            return Ok(!started_over);
        };
        let can_go = progress.held.as_ref().is_some_and(can_cruise);
        if permit.is_turn() && !can_go && !ready.is_empty() {
            // A lane whose broker is away waits beside the ladder and not on it: others go on, and watch.
            self.brake.give_back(permit.most).await;
            drop(permit);
            progress.place.after = before;
            self.reach(progress, ready).await?;
            return Ok(true);
        }
        let unused = permit.most - i64::try_from(ready.len()).unwrap_or(i64::MAX);
        self.brake.give_back(unused).await;
        let Some(ready) = self.reach(progress, ready).await? else {
            return Ok(true);
        };
        let marked = self.marked(None, ready).await?;
        self.publish(progress, marked).await?;
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
        if !progress.has_way() {
            progress.place.exchanges = Exchanges::default();
        }
        let held = progress.held.take();
        let publisher = match self.engine.way(self.replay, self.lane, held).await? {
            Way::Open(publisher) => progress.held.insert(*publisher),
            Way::Refused(why) => {
                self.refuse_all(&ready, &why).await?;
                return Ok(None);
            }
        };
        let kept = self.placed(publisher, &mut progress.place.exchanges, ready);
        let kept = kept.await?;
        Ok((!kept.is_empty()).then_some(kept))
    }

    /// Publishes letters that were marked, and writes down what came of each.
    async fn publish(&self, progress: &mut Progress, marked: Marked) -> Result<(), Halt> {
        let Some(publisher) = progress.held.take() else {
            return Ok(());
        };
        let mut wire = Wire::open(self, &publisher);
        wire.send(marked);
        let (mut answers, mut recorded) = (Vec::new(), Vec::new());
        while let Some(arrived) = wire.next().await {
            if arrived.proves_exchanges() {
                progress.place.exchanges.proven.extend(arrived.exchanges);
            }
            if !are_confirmed(&arrived.recorded) {
                // They would take the room of others.
                self.write(&arrived.recorded).await?;
                wire.written(&arrived.recorded);
            }
            answers.extend(arrived.answers);
            recorded.extend(arrived.recorded);
        }
        let done = wire.end().await;
        progress.pace.learn(&answers, publisher.is_open());
        // A connection with an answer outstanding is done with, unless it is only blocked: a new
        // one would have to learn that again, at the price of a letter.
        let outstanding = answers.iter().any(|one| matches!(one, Published::Lost(_)));
        if outstanding && !publisher.is_blocked() {
            publisher.close().await;
        } else {
            progress.held = Some(publisher);
        }
        if answers.contains(&Published::NotSent) {
            // What never left goes next.
            progress.place.after = START;
        }
        self.put_down(&recorded).await?;
        done?;
        let engine = self.engine;
        engine.keep_order(self.replay, self.orders, &recorded).await
    }

    /// The next letters that can be published; those that cannot are refused. Nothing when no
    /// letter is pending.
    pub(super) async fn load(
        &self,
        place: &mut Place,
        most: i64,
    ) -> Result<Option<Vec<Ready>>, Halt> {
        let (engine, replay, lane, after) = (self.engine, self.replay, self.lane, place.after);
        let items = persist!(engine, conn => work::next(conn, replay, lane, after, most).await)?;
        if items.is_empty() {
            return Ok(None);
        }
        let items = prepare::choose(items, &place.exchanges);
        if let Some(last) = items.last() {
            place.after = last.seat.position;
        }
        let (items, mut refused) = prepare::refuse_oversized(items);
        let messages = persist!(engine, conn => messages::last(conn, &items).await)?;
        let (items, unread) = prepare::refuse_unreadable(items, &messages.unreadable);
        refused.extend(unread);
        for message in &messages.unreadable {
            let (waits, now) = (&engine.waits, engine.clock.now());
            tracing::error!(letter = %message.letter, why = message.why, "a letter cannot be read");
            waits.note_unreadable(message.letter, &message.why, now);
        }
        let messages = self.put_in_place(&items, messages.readable).await?;
        let (mut ready, unfit) =
            prepare::prepare((replay, self.orders), &place.exchanges, items, messages);
        refused.extend(unfit);
        self.record(&refused).await?;
        self.note_doubts(&mut place.capacity, &mut ready).await?;
        Ok(Some(ready))
    }

    /// Puts bodies in place that were frozen with the plan.
    async fn put_in_place(
        &self,
        items: &[NextItem],
        messages: Vec<Message>,
    ) -> Result<Vec<Message>, Halt> {
        let changed = items.iter().filter(|item| item.changed);
        let changed: Vec<_> = changed.map(|item| item.seat.letter).collect();
        if changed.is_empty() {
            return Ok(messages);
        }
        let (engine, replay) = (self.engine, self.replay);
        let frozen = persist!(engine, conn => bodies::frozen(conn, replay, &changed).await)?;
        Ok(prepare::put_in_place(&changed, frozen, messages))
    }

    async fn refuse_all(&self, ready: &[Ready], why: &str) -> Result<(), Halt> {
        let why = format!("it was not published, since the broker refuses: {why}");
        let refused: Vec<_> = ready.iter().map(|one| prepare::refusal(one.seat, &why)).collect();
        self.record(&refused).await
    }
}
