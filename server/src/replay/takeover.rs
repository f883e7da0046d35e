//! Finds replays that nobody works on: new ones, and those whose office is dead.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dlo_domain::event::LiveEvent;
use dlo_domain::ids::ReplayId;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::{Engine, MOST_AT_ONCE};
use crate::failpoint;
use crate::store::events::{Heard, Listener};
use crate::store::replays::work::{self, Running};
use crate::store::{StoreError, offices, shared_time};

/// Notifications wake at once, but may be lost: so often is looked in any case.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The replays that this office works on now.
#[derive(Debug, Default)]
pub(super) struct InHand(Mutex<HashSet<ReplayId>>);

impl InHand {
    /// Whether there is room for no more: what is left is for offices that have some.
    fn is_full(&self) -> bool {
        self.with(|held| held.len() >= MOST_AT_ONCE)
    }

    fn holds(&self, replay: ReplayId) -> bool {
        self.with(|held| held.contains(&replay))
    }

    fn pick_up(&self, replay: ReplayId) {
        self.with(|held| held.insert(replay));
    }

    pub(super) fn put_down(&self, replay: ReplayId) {
        self.with(|held| held.remove(&replay));
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashSet<ReplayId>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Looks until the office stops. When it ends by itself, it stops the engine.
pub(super) async fn run(engine: &Engine, found: mpsc::Sender<ReplayId>) -> Result<(), StoreError> {
    let mut listener = None;
    while !engine.stop.is_cancelled() {
        engine.woken.notify_one();
        match look(engine, &found).await {
            Ok(()) => {}
            Err(why) if why.is_passing() => tracing::debug!(%why, "replays cannot be looked for"),
            Err(why) => {
                engine.stop.cancel();
                return Err(why);
            }
        }
        tokio::select! {
            () = engine.stop.cancelled() => {}
            () = wake(engine, &mut listener) => {}
        }
    }
    Ok(())
}

/// Takes every replay that nobody works on.
async fn look(engine: &Engine, found: &mpsc::Sender<ReplayId>) -> Result<(), StoreError> {
    let mut conn = engine.pool.acquire().await?;
    let now = shared_time(&mut conn, &*engine.clock).await?;
    for running in work::running(&mut conn, now).await? {
        if engine.in_hand.is_full() {
            break;
        }
        if engine.in_hand.holds(running.id) || !is_free(engine, &mut conn, running).await? {
            continue;
        }
        failpoint::reach(failpoint::FOUND);
        if work::take(&mut conn, running, engine.office_id).await? {
            failpoint::reach(failpoint::TAKEN);
            engine.in_hand.pick_up(running.id);
            // The receiver outlives the sender, and has room for all that are in hand.
            let _ = found.send(running.id).await;
        }
    }
    Ok(())
}

/// Whether a replay that is not in our hands is in nobody's.
async fn is_free(
    engine: &Engine,
    conn: &mut sqlx::PgConnection,
    running: Running,
) -> Result<bool, StoreError> {
    match running.office {
        None => Ok(true),
        Some(office) if office == engine.office_id => Ok(true),
        Some(office) => Ok(!offices::is_alive(conn, office).await?),
    }
}

/// Waits for a new replay, or until it is time to look.
async fn wake(engine: &Engine, listener: &mut Option<Listener>) {
    let latest = Instant::now() + LOOK_EVERY;
    tokio::select! {
        () = sleep_until(latest) => {}
        () = hear(engine, listener, latest) => {}
    }
}

async fn hear(engine: &Engine, listener: &mut Option<Listener>, latest: Instant) {
    loop {
        let Some(open) = listener else {
            match Listener::open(&engine.pool).await {
                Ok(open) => *listener = Some(open),
                Err(_) => sleep_until(latest).await,
            }
            continue;
        };
        match open.next().await {
            Ok(Heard::Event(LiveEvent::Replay { replay_id }))
                if !engine.in_hand.holds(replay_id) =>
            {
                return;
            }
            Ok(Heard::Gap) => return,
            Ok(_) => {}
            Err(_) => *listener = None,
        }
    }
}
