//! Publishes the letters of frozen plans and writes down what came of each.
//!
//! Postgres holds all that must survive: the plan, the mark that is committed before a publish
//! begins, how far the marked letters are, and the outcome. So an office can end at any moment, and another one
//! (or the same one, started again) goes on: letters that were on their way are unknown, the others are still pending.
//! Nothing here publishes a letter twice, and nothing calls a publish a success that the broker
//! did not confirm.

mod allowance;
mod brake;
mod capacity;
mod claiming;
mod cruise;
mod exchanges;
mod follow;
mod halt;
mod lane;
mod links;
mod pace;
mod prepare;
mod takeover;
mod train;
mod waits;
mod watch;
mod wire;
mod writing;

use std::sync::Arc;

use dlo_domain::ids::OfficeId;
use sqlx::PgPool;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::broker::Brokers;
use crate::clock::SharedClock;
use crate::config::ReplayConfig;
use crate::duty::Duties;
use crate::store::StoreError;

pub use waits::Waits;

/// Why the engine ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The database answers, but not as this version expects.
    #[error("replays cannot be read, so none is begun; those begun are kept: {0}")]
    Store(#[from] StoreError),
}

/// Replays that this office looks after at the same time. Most of them only wait: for a broker, for the next
/// step of a ladder, for their rate. Each that has begun holds a connection for every vhost that its letters
/// go to.
const MOST_AT_ONCE: usize = 200;

/// Publishes what is replayed.
#[derive(Debug)]
pub struct Engine {
    pool: PgPool,
    brokers: Arc<Brokers>,
    clock: SharedClock,
    /// This office, registered and holding its lock.
    office_id: OfficeId,
    /// The window, and the watch after a replay.
    config: ReplayConfig,
    /// Where replays that cannot go on say so; the desk reads it.
    waits: Waits,
    links: links::Links,
    in_hand: takeover::InHand,
    /// Somebody planned or steered a replay: there may be letters to claim.
    woken: Notify,
    stop: CancellationToken,
}

impl Engine {
    /// One of an office that is registered and holds its lock. Replays that cannot go on say so in
    /// `waits`.
    #[must_use]
    pub fn new(
        pool: PgPool,
        brokers: Arc<Brokers>,
        clock: SharedClock,
        office_id: OfficeId,
        (config, waits): (ReplayConfig, Waits),
    ) -> Self {
        Self {
            pool,
            brokers,
            clock,
            office_id,
            config,
            waits,
            links: links::Links::default(),
            in_hand: takeover::InHand::default(),
            woken: Notify::new(),
            stop: CancellationToken::new(),
        }
    }

    /// Settles replayed letters that have not come back for long, as a duty of its own.
    pub fn watch(&self, duties: &Duties) {
        let after = self.config.settle_after;
        let watch = watch::Watch { pool: self.pool.clone(), clock: self.clock.clone(), after };
        duties.every("settling replayed letters", watch.period(), watch);
    }
}

/// Runs until `stop`: then what is on its way is awaited and written down, and nothing new begun.
///
/// # Errors
/// When replays cannot be read for another reason than an outage.
pub async fn run(mut engine: Engine, stop: CancellationToken) -> Result<(), ReplayError> {
    // A part that fails stops the others in their own time.
    engine.stop = stop.child_token();
    let engine = Arc::new(engine);
    let (found, taken) = mpsc::channel(MOST_AT_ONCE);
    let (taking, (), ()) = tokio::join!(
        takeover::run(&engine, found),
        claiming::run(&engine),
        follow::run(&engine, taken)
    );
    engine.links.close().await;
    taking.map_err(ReplayError::from)
}
