//! Claims letters of frozen plans, whoever carries their replays out: beside sending, and in any state of the
//! replay, so that none of them waits to be claimed for longer than it takes.

use std::sync::Arc;
use std::time::Duration;

use super::Engine;
use super::halt::{Halt, persist};
use crate::planning;

/// The engine hears of new plans, but may miss one: so often it is looked in any case.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// After rows that cannot be read it is tried again after so long.
const ASIDE: Duration = Duration::from_secs(10);

/// Claims until the office stops.
pub(super) async fn run(engine: &Arc<Engine>) {
    while !engine.stop.is_cancelled() {
        let at = engine.clock.now();
        let pause = match persist!(engine, conn => planning::claim_some(conn, &engine.config, at).await)
        {
            Ok(Some(_)) => continue,
            Ok(None) => LOOK_EVERY,
            Err(Halt::Store(why)) => {
                tracing::error!(%why, "letters of a plan cannot be claimed; they stay as they are");
                ASIDE
            }
            Err(Halt::Stopped | Halt::NotOurs) => return,
        };
        tokio::select! {
            () = engine.stop.cancelled() => {}
            () = engine.woken.notified() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}
