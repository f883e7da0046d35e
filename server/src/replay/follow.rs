//! One replay from where it stands to its end.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Outcome, ReplayState};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use sqlx::PgConnection;
use tokio::sync::mpsc;

use super::brake::Brake;
use super::halt::{Halt, persist};
use super::lane::Line;
use super::pace::most_on_the_way;
use super::{Engine, MOST_AT_ONCE, prepare};
use crate::failpoint;
use crate::store::replays::marks::{self, CutOff};
use crate::store::replays::outcomes::Recorded;
use crate::store::replays::steer;
use crate::store::replays::work::{self, Orders};
use crate::store::{StoreError, events};

/// A replay whose rows cannot be read is tried again after so long.
const ASIDE: Duration = Duration::from_secs(10);

/// Letters that are given back in one transaction.
const GIVEN_BACK_AT_ONCE: i64 = 1_000;

/// Follows every replay that arrives, until no more can arrive and each is put down.
pub(super) async fn run(engine: &Arc<Engine>, mut taken: mpsc::Receiver<ReplayId>) {
    let mut following = FuturesUnordered::new();
    let mut more = true;
    loop {
        tokio::select! {
            next = taken.recv(), if more && following.len() < MOST_AT_ONCE => match next {
                Some(replay) => following.push(follow(engine, replay)),
                None => more = false,
            },
            Some(replay) = following.next(), if !following.is_empty() => {
                engine.in_hand.put_down(replay);
            }
            else => return,
        }
    }
}

#[tracing::instrument(name = "replay", skip_all, fields(id = %replay))]
async fn follow(engine: &Arc<Engine>, replay: ReplayId) -> ReplayId {
    match to_the_end(engine, replay).await {
        Ok(()) | Err(Halt::Stopped) => {}
        Err(Halt::NotOurs) => {
            tracing::info!("a replay was paused or cancelled, or goes on at another office");
        }
        Err(Halt::Store(why)) => {
            tracing::error!(%why, "a replay cannot go on; its letters stay as they are");
            let mut aside = std::iter::once(ASIDE);
            // Stopped or not, there is nothing more to be done here.
            let _ = engine.pause(&mut aside).await;
        }
    }
    replay
}

async fn to_the_end(engine: &Arc<Engine>, replay: ReplayId) -> Result<(), Halt> {
    let orders = persist!(engine, conn => work::orders(conn, replay).await)?;
    let orders = orders.ok_or(Halt::NotOurs)?;
    give_up_what_was_cut_off(engine, replay, &orders).await?;
    match orders.state {
        ReplayState::Running => publish(engine, replay, &orders).await?,
        ReplayState::Cancelled => give_back(engine, replay).await?,
        _ => return Ok(()),
    }
    failpoint::reach(failpoint::FINISHING);
    let at = engine.clock.now();
    persist!(engine, conn => end(conn, replay, at).await)
}

async fn publish(engine: &Arc<Engine>, replay: ReplayId, orders: &Orders) -> Result<(), Halt> {
    let lanes = persist!(engine, conn => work::lanes(conn, replay).await)?;
    let brake = Brake::new(orders);
    let most_on_the_way = most_on_the_way(engine.config.window, orders.pending);
    let at_work = lanes.iter().map(async |lane| {
        let line = Line { engine, replay, lane, orders, brake: &brake, most_on_the_way };
        line.run().await
    });
    let ends = join_all(at_work).await;
    ends.into_iter().collect()
}

/// Gives back the letters of a cancelled replay that were not published.
async fn give_back(engine: &Arc<Engine>, replay: ReplayId) -> Result<(), Halt> {
    let why = "it was not published: the replay was cancelled before its turn";
    loop {
        if engine.stop.is_cancelled() {
            return Err(Halt::Stopped);
        }
        let seats =
            persist!(engine, conn => steer::to_give_back(conn, replay, GIVEN_BACK_AT_ONCE).await)?;
        if seats.is_empty() {
            return Ok(());
        }
        let refused: Vec<Recorded> =
            seats.into_iter().map(|seat| prepare::refusal(seat, why)).collect();
        engine.record(replay, &refused).await?;
        failpoint::reach(failpoint::GIVING_BACK);
    }
}

async fn end(
    conn: &mut PgConnection,
    replay: ReplayId,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    if work::finish(conn, replay, at).await? {
        events::notify(conn, &LiveEvent::Replay { replay_id: replay }).await?;
    }
    Ok(())
}

/// Letters that were being published when the office that held the replay ended. Where it had noted the broker's
/// confirm, that is written down; the others may or may not have been published, so they are unknown and never
/// sent again by themselves.
async fn give_up_what_was_cut_off(
    engine: &Arc<Engine>,
    replay: ReplayId,
    orders: &Orders,
) -> Result<(), Halt> {
    let me = engine.office_id;
    let letters = persist!(engine, conn => marks::cut_off(conn, replay, me).await)?;
    let cut_off: Vec<Recorded> = letters.into_iter().map(after_the_end).collect();
    engine.record(replay, &cut_off).await?;
    failpoint::reach(failpoint::GIVEN_UP);
    persist!(engine, conn => marks::clear_all(conn, replay).await)?;
    if orders.state == ReplayState::Running {
        engine.keep_order(replay, orders, &cut_off).await?;
    }
    Ok(())
}

/// What is known of a letter after the end of the office that published it.
fn after_the_end(letter: CutOff) -> Recorded {
    let (outcome, detail) = if letter.is_confirmed {
        (Outcome::Confirmed, "the office that published it ended right after the broker's confirm")
    } else {
        let cut_off = "the publish was cut off: the office that published it ended before it wrote down the \
                       broker's answer";
        (Outcome::Unknown, cut_off)
    };
    Recorded { seat: letter.seat, outcome, detail: Some(detail.to_owned()), nacked: false }
}
