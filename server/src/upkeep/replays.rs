//! Replays that have been over for long are forgotten, in small steps that nobody waits for. Which
//! they are is `store::replays::forgetting`'s.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Upkeep;
use crate::duty::{Duty, Next};
use crate::store::replays::forgetting::{self, Bounds, Forgotten, Place};
use crate::store::{StoreError, retention};

/// How often some are looked at.
pub(super) const FORGET_EVERY: Duration = Duration::from_mins(1);

/// Steps of one turn: the rest waits for the next one.
const MOST_STEPS: usize = 50;

/// Tries that were never made, removed by one statement.
const MOST_TRIES: i64 = 10_000;

/// Forgets replays.
pub(super) struct Forgetting {
    pub(super) upkeep: Upkeep,
    /// Where the next turn goes on.
    pub(super) place: Option<Place>,
}

impl Duty for Forgetting {
    /// Goes on from where the last turn ended, and begins anew behind the last replay: one that was kept
    /// for its letters may be without them by then.
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let Self { upkeep, place } = self;
        let mut conn = upkeep.pool.acquire().await?;
        let before = retention::horizon(&mut conn).await? - upkeep.retention.replays;
        drop(conn);
        let mut replays = 0;
        for _ in 0..MOST_STEPS {
            let mut transaction = upkeep.pool.begin().await?;
            let done =
                forgetting::step(&mut transaction, before, *place, Bounds::default()).await?;
            transaction.commit().await?;
            let Forgotten { replays: some, next } = done;
            replays += some;
            *place = next;
            if next.is_none() || stop.is_cancelled() {
                break;
            }
        }
        let mut conn = upkeep.pool.acquire().await?;
        let tries = forgetting::forget_withdrawn(&mut conn, before, MOST_TRIES).await?;
        if replays + tries > 0 {
            tracing::info!(replays, tries, "replays and tries that were old were forgotten");
        }
        Ok(Next::Usual)
    }
}
