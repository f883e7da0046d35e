//! Settles replayed letters that have not come back for long.

use std::time::{Duration, Instant};

use chrono::TimeDelta;

use super::Engine;
use crate::store::replays::watch::settle;
use crate::store::{StoreError, shared_time};

/// Letters in one transaction.
const MOST_AT_ONCE: i64 = 500;

/// A look is followed by a pause of so many times its own length: letters that are claimed for long,
/// by a replay that is paused, are looked at each time.
const PAUSE_PER_LOOK: u32 = 20;

/// Looks every so often until the office stops. What fails is tried again next time.
pub(super) async fn run(engine: &Engine) {
    let after = engine.deps.config.settle_after;
    let every = (after / 10).clamp(Duration::from_millis(200), Duration::from_secs(30));
    let mut pause = every;
    loop {
        tokio::select! {
            () = engine.stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        let began = Instant::now();
        settle_all(engine, after).await;
        pause = every.max(began.elapsed() * PAUSE_PER_LOOK);
    }
}

async fn settle_all(engine: &Engine, after: Duration) {
    let after = TimeDelta::from_std(after).unwrap_or(TimeDelta::MAX);
    while !engine.stop.is_cancelled() {
        let settled = async {
            let mut transaction = engine.deps.pool.begin().await?;
            // By the clock that wrote down since when they are replayed, and not by this office's.
            let now = shared_time(&mut transaction, &*engine.deps.clock).await?;
            let Some(before) = now.checked_sub_signed(after) else {
                return Ok(0);
            };
            let settled = settle(&mut transaction, before, MOST_AT_ONCE, now).await?;
            transaction.commit().await?;
            Ok::<_, StoreError>(settled)
        };
        match settled.await {
            Ok(0) => return,
            Ok(_) => {}
            Err(why) => {
                if !why.is_passing() {
                    tracing::error!(%why, "replayed letters cannot be settled; they stay replayed");
                }
                return;
            }
        }
    }
}
