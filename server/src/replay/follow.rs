//! One replay from where it stands to its end.

use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::ReplayId;
use dlo_domain::replay::Outcome;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use sqlx::PgConnection;
use tokio::sync::mpsc;

use super::halt::{Halt, persist};
use super::{Engine, MOST_AT_ONCE, lane};
use crate::store::replays::outcomes::Recorded;
use crate::store::replays::work;
use crate::store::{StoreError, events};

/// A replay whose rows cannot be read is tried again after so long.
const ASIDE: Duration = Duration::from_secs(10);

/// Follows every replay that arrives, until no more can arrive and each is put down.
pub(super) async fn run(engine: &Engine, mut taken: mpsc::Receiver<ReplayId>) {
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

async fn follow(engine: &Engine, replay: ReplayId) -> ReplayId {
    match to_the_end(engine, replay).await {
        Ok(()) | Err(Halt::Stopped) => {}
        Err(Halt::NotOurs) => {
            tracing::warn!(%replay, "another office took this replay over; it goes on there");
        }
        Err(Halt::Store(why)) => {
            tracing::error!(%replay, %why, "a replay cannot go on; its letters stay as they are");
            let mut aside = std::iter::once(ASIDE);
            // Stopped or not, there is nothing more to be done here.
            let _ = engine.pause(&mut aside).await;
        }
    }
    replay
}

async fn to_the_end(engine: &Engine, replay: ReplayId) -> Result<(), Halt> {
    give_up_what_was_cut_off(engine, replay).await?;
    let lanes = persist!(engine, conn => work::lanes(conn, replay).await)?;
    let ends = join_all(lanes.iter().map(|lane| lane::run(engine, replay, lane))).await;
    ends.into_iter().collect::<Result<(), Halt>>()?;
    let at = engine.deps.clock.now();
    persist!(engine, conn => end(conn, replay, at).await)
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

/// Letters that were being published when the office that held the replay ended: they may or
/// may not have been, so they are unknown and never sent again by themselves.
async fn give_up_what_was_cut_off(engine: &Engine, replay: ReplayId) -> Result<(), Halt> {
    let positions = persist!(engine, conn => work::cut_off(conn, replay).await)?;
    let why = "the publish was cut off: the office that published it ended before it wrote down \
               the broker's answer";
    let unknown: Vec<Recorded> = positions
        .into_iter()
        .map(|position| Recorded {
            position,
            outcome: Outcome::Unknown,
            detail: Some(why.to_owned()),
        })
        .collect();
    engine.record(replay, &unknown).await
}
