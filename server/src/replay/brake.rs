//! What holds a replay back: its rate, its ladder, and the order of its letters.

use std::time::Duration;

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Canary, Gate};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::Engine;
use super::allowance::Allowance;
use super::halt::{Halt, persist};
use crate::store::replays::steer;
use crate::store::replays::work::Orders;
use crate::store::shared_time;

/// A ladder that waits is looked at again after so long: letters may have come back meanwhile, and
/// somebody may have paused the replay.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The brake of one replay, for all of its lanes.
#[derive(Debug)]
pub(super) struct Brake {
    allowance: Option<Mutex<Allowance>>,
    canary: Option<Canary>,
    pub(super) in_order: bool,
    /// Held from the question whether letters may go until what came of them is written down: a
    /// ladder counts them.
    turn: Mutex<()>,
}

/// The leave to publish. It is given back when what came of the letters is written down.
pub(super) struct Permit<'a> {
    /// So many letters.
    pub(super) most: i64,
    turn: Option<MutexGuard<'a, ()>>,
}

impl Permit<'_> {
    /// Whether the other lanes wait until it is given back.
    pub(super) fn is_turn(&self) -> bool {
        self.turn.is_some()
    }
}

impl Brake {
    pub(super) fn new(orders: &Orders) -> Self {
        let now = Instant::now();
        let allowance = |rate| Mutex::new(Allowance::new(rate, now));
        Self {
            allowance: orders.rate_per_second.map(allowance),
            canary: orders.canary.clone(),
            in_order: orders.in_order,
            turn: Mutex::default(),
        }
    }

    /// Whether anything is to be asked before letters go.
    pub(super) fn holds(&self) -> bool {
        self.allowance.is_some() || self.canary.is_some() || self.in_order
    }

    /// Waits until letters may go, at most `wanted`.
    pub(super) async fn permit(
        &self,
        engine: &Engine,
        replay: ReplayId,
        wanted: i64,
    ) -> Result<Permit<'_>, Halt> {
        let mut permit = Permit { most: if self.in_order { 1 } else { wanted }, turn: None };
        if let Some(canary) = &self.canary {
            permit.turn = Some(self.turn.lock().await);
            let most = engine.climb(replay, canary).await?;
            permit.most = most.map_or(permit.most, |most| most.min(permit.most));
        }
        if let Some(allowance) = &self.allowance {
            permit.most = engine.allowed(allowance, permit.most).await?;
        }
        if self.in_order {
            engine.stop_when_one_is_back(replay).await?;
        }
        Ok(permit)
    }

    /// Gives back what a permit allowed and nobody used.
    pub(super) async fn give_back(&self, letters: i64) {
        if let Some(allowance) = &self.allowance {
            allowance.lock().await.give_back(letters);
        }
    }
}

impl Engine {
    /// Waits until the rate allows letters, and tells how many.
    async fn allowed(&self, allowance: &Mutex<Allowance>, wanted: i64) -> Result<i64, Halt> {
        loop {
            let now = Instant::now();
            let then = match allowance.lock().await.take(wanted, now) {
                Ok(letters) => return Ok(letters),
                Err(then) => then,
            };
            tokio::select! {
                () = self.stop.cancelled() => return Err(Halt::Stopped),
                () = tokio::time::sleep_until(then) => {}
            }
        }
    }

    /// Waits until the ladder lets letters out, and tells how many at most.
    async fn climb(&self, replay: ReplayId, canary: &Canary) -> Result<Option<i64>, Halt> {
        loop {
            // Any office may watch a step to its end, so by a clock that all of them share.
            let (climb, now) = persist!(self, conn => {
                let now = shared_time(conn, &*self.clock).await?;
                steer::climb(conn, replay).await.map(|climb| (climb, now))
            })?;
            let Some(climb) = climb else {
                return Err(Halt::NotOurs);
            };
            let step = climb.step;
            match climb.gate(canary, now) {
                Gate::Open(most) => return Ok(most),
                Gate::Watch(_) => {
                    tokio::select! {
                        () = self.stop.cancelled() => return Err(Halt::Stopped),
                        () = tokio::time::sleep(LOOK_EVERY) => {}
                    }
                }
                Gate::BeginWatch => {
                    persist!(self, conn => steer::climb_on(conn, replay, step, Some(now)).await)?;
                }
                Gate::NextStep => {
                    persist!(self, conn => steer::climb_on(conn, replay, step, None).await)?;
                }
                Gate::Stop(why) => {
                    tracing::warn!(%replay, why, "a replay stopped by itself");
                    self.stop_replay(replay, &why).await?;
                    return Err(Halt::NotOurs);
                }
            }
        }
    }

    /// Pauses a replay, with the reason for people.
    pub(super) async fn stop_replay(&self, replay: ReplayId, why: &str) -> Result<(), Halt> {
        let at = self.clock.now();
        persist!(self, conn => steer::stop_by_office(conn, replay, why, at).await)?;
        Ok(())
    }
}
