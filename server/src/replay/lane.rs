//! The letters of one replay that go through one vhost of one broker: window after window, in
//! order. The steps of a window: load, prepare, reach the broker, mark, publish, write down.

use std::time::Duration;

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::Outcome;

use super::Engine;
use super::halt::{Halt, persist};
use super::links::Way;
use super::pace::Pace;
use super::prepare::{self, Ready};
use crate::broker::{Outgoing, Published, Publisher};
use crate::store::replays::outcomes::{self, Recorded};
use crate::store::replays::work::{self, Begun, Lane};

/// A publish that is not answered for so long is unknown.
const PATIENCE: Duration = Duration::from_secs(30);

/// How far a lane is.
struct Progress {
    pace: Pace,
    /// The connection in use.
    held: Option<Publisher>,
    /// The last position that was taken up.
    after: i32,
}

/// Before the first position.
const START: i32 = -1;

/// Publishes what is pending in a lane.
pub(super) async fn run(engine: &Engine, replay: ReplayId, lane: &Lane) -> Result<(), Halt> {
    let mut progress = Progress {
        pace: Pace::new(engine.deps.config.window),
        held: None,
        after: START,
    };
    let done = loop {
        match step(engine, replay, lane, &mut progress).await {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(halt) => break Err(halt),
        }
    };
    if let Some(publisher) = progress.held {
        engine.links.give_back(lane, publisher).await;
    }
    done
}

/// One window. Tells whether there may be more.
async fn step(
    engine: &Engine,
    replay: ReplayId,
    lane: &Lane,
    progress: &mut Progress,
) -> Result<bool, Halt> {
    if engine.stop.is_cancelled() {
        return Err(Halt::Stopped);
    }
    let started_over = progress.after == START;
    let Some(ready) = engine.load(replay, lane, progress).await? else {
        // Some may have been left behind: those that never left their window.
        progress.after = START;
        return Ok(!started_over);
    };
    if ready.is_empty() {
        return Ok(true);
    }
    let publisher = match engine.way(replay, lane, progress.held.take()).await? {
        Way::Open(publisher) => progress.held.insert(*publisher),
        Way::Refused(why) => {
            engine.refuse_all(replay, &ready, &why).await?;
            return Ok(true);
        }
    };
    let ready = engine.mark(replay, ready).await?;
    let (messages, marks): (Vec<Outgoing>, Vec<_>) = ready
        .into_iter()
        .map(|one| (one.message, (one.position, one.detail)))
        .unzip();
    let answers = publisher.publish(&messages, PATIENCE).await;
    progress.pace.learn(&answers, publisher.is_open());
    // A channel with an answer outstanding is done with, unless it is only blocked: a new
    // connection would have to learn that again, at the price of a letter.
    let outstanding = answers.iter().any(|one| matches!(one, Published::Lost(_)));
    if outstanding
        && !publisher.is_blocked()
        && let Some(publisher) = progress.held.take()
    {
        publisher.close().await;
    }
    engine.write_down(replay, marks, answers).await?;
    Ok(true)
}

impl Engine {
    /// The next letters that can be published; those that cannot are refused. Nothing when no
    /// letter is pending.
    async fn load(
        &self,
        replay: ReplayId,
        lane: &Lane,
        progress: &mut Progress,
    ) -> Result<Option<Vec<Ready>>, Halt> {
        let (after, most) = (progress.after, progress.pace.window());
        let items = persist!(self, conn => work::next(conn, replay, lane, after, most).await)?;
        if items.is_empty() {
            return Ok(None);
        }
        let items = prepare::choose(items);
        if let Some(last) = items.last() {
            progress.after = last.position;
        }
        let (items, mut refused) = prepare::refuse_oversized(items);
        let letters: Vec<_> = items.iter().map(|item| item.letter).collect();
        let messages = persist!(self, conn => work::messages(conn, &letters).await)?;
        let (ready, unfit) = prepare::prepare(replay, items, messages);
        refused.extend(unfit);
        self.record(replay, &refused).await?;
        Ok(Some(ready))
    }

    async fn refuse_all(&self, replay: ReplayId, ready: &[Ready], why: &str) -> Result<(), Halt> {
        let why = format!("it was not published, since the broker refuses: {why}");
        let refused: Vec<_> = ready
            .iter()
            .map(|one| prepare::refusal(one.position, &why))
            .collect();
        self.record(replay, &refused).await
    }

    /// Marks letters as being published, and keeps those that were marked.
    async fn mark(&self, replay: ReplayId, ready: Vec<Ready>) -> Result<Vec<Ready>, Halt> {
        let positions: Vec<i32> = ready.iter().map(|one| one.position).collect();
        let me = self.deps.office_id;
        let begun =
            persist!(self, conn => work::begin_publish(conn, replay, me, &positions).await)?;
        let Begun::These(marked) = begun else {
            return Err(Halt::NotOurs);
        };
        let (ready, back): (Vec<_>, Vec<_>) = ready
            .into_iter()
            .partition(|one| marked.binary_search(&one.position).is_ok());
        let why = "it was not published: it came back meanwhile";
        let back: Vec<_> = back
            .iter()
            .map(|one| prepare::refusal(one.position, why))
            .collect();
        self.record(replay, &back).await?;
        Ok(ready)
    }

    /// Writes the answers to a window down. Letters that never left are pending again.
    async fn write_down(
        &self,
        replay: ReplayId,
        marks: Vec<(i32, Option<String>)>,
        answers: Vec<Published>,
    ) -> Result<(), Halt> {
        let mut recorded = Vec::with_capacity(marks.len());
        let mut not_sent = Vec::new();
        for ((position, stripped), answer) in marks.into_iter().zip(answers) {
            match outcome(answer, stripped) {
                Some((outcome, detail)) => recorded.push(Recorded {
                    position,
                    outcome,
                    detail: detail.map(|text| text.replace('\0', "\u{fffd}")),
                }),
                None => not_sent.push(position),
            }
        }
        self.record(replay, &recorded).await?;
        if not_sent.is_empty() {
            return Ok(());
        }
        persist!(self, conn => work::unmark(conn, replay, &not_sent).await)
    }

    pub(super) async fn record(&self, replay: ReplayId, recorded: &[Recorded]) -> Result<(), Halt> {
        if recorded.is_empty() {
            return Ok(());
        }
        let at = self.deps.clock.now();
        persist!(self, conn => outcomes::record(conn, replay, recorded, at).await)?;
        Ok(())
    }
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
