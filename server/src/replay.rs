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
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::broker::Brokers;
use crate::clock::SharedClock;
use crate::config::ReplayConfig;
use crate::store::StoreError;

pub use waits::Waits;

/// What the engine works with.
#[derive(Debug, Clone)]
pub struct Deps {
    /// Connections to Postgres.
    pub pool: PgPool,
    /// The brokers.
    pub brokers: Arc<Brokers>,
    /// The clock.
    pub clock: SharedClock,
    /// This office, registered and holding its lock.
    pub office_id: OfficeId,
    /// The window, and the watch after a replay.
    pub config: ReplayConfig,
    /// Where replays that cannot go on say so; the desk reads it.
    pub waits: Waits,
}

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

/// What all parts of the engine share.
struct Engine {
    deps: Deps,
    links: links::Links,
    in_hand: takeover::InHand,
    stop: CancellationToken,
}

/// Runs until `stop`: then what is on its way is awaited and written down, and nothing new begun.
///
/// # Errors
/// When replays cannot be read for another reason than an outage.
pub async fn run(deps: Deps, stop: CancellationToken) -> Result<(), ReplayError> {
    let engine = Arc::new(Engine {
        deps,
        links: links::Links::default(),
        in_hand: takeover::InHand::default(),
        // A part that fails stops the others in their own time.
        stop: stop.child_token(),
    });
    let (found, taken) = mpsc::channel(MOST_AT_ONCE);
    let (taking, (), ()) = tokio::join!(
        takeover::run(&engine, found),
        follow::run(&engine, taken),
        watch::run(&engine)
    );
    engine.links.close().await;
    taking.map_err(ReplayError::from)
}
