//! Watches executions: fails those that nobody begins or whose worker fell silent, does what dead
//! letters ask for that name one, and publishes what came of it.
//!
//! Postgres holds all of it, and every step is one transaction, so any number of offices can do this
//! at once: rows are locked, and what somebody else has locked is left to them. Times are those of the
//! clock that all offices share.

mod announcing;
mod ending;
mod following;
mod handler;
mod monitor;
pub mod reports;
mod sending;
mod sparing;

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use sqlx::PgPool;

use crate::broker::Brokers;
use crate::clock::SharedClock;
use crate::config::{ExecutionsConfig, ReplayConfig};
use crate::duty::Duties;

pub use announcing::Announcer;
pub use ending::Ending;
pub use following::follow;
pub use handler::handle_next;
pub use monitor::{check, look};

/// Notifications wake at once, but may be lost: so often is looked in any case.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Looks after executions.
#[derive(Debug, Clone)]
pub struct Keeper {
    /// Connections to Postgres.
    pub pool: PgPool,
    /// The office's clock, for ids.
    pub clock: SharedClock,
    /// Where ends are told.
    pub brokers: Arc<Brokers>,
    /// What is late, and where ends are told.
    pub config: ExecutionsConfig,
    /// What replays are planned by: an execution goes to another worker with one.
    pub replay: ReplayConfig,
}

impl Keeper {
    fn ending(&self) -> Ending<'_> {
        Ending { clock: &*self.clock, completed: self.config.completed.as_ref() }
    }

    /// How long an execution may be scheduled.
    fn limit(&self) -> TimeDelta {
        TimeDelta::from_std(self.config.stuck_after).unwrap_or(TimeDelta::MAX)
    }
}

/// Has the watch begin.
pub fn begin(keeper: Keeper, duties: &Duties) {
    let monitor = monitor::Monitor::new(keeper.clone());
    duties.every("failing executions that are late", monitor::LOOK_EVERY, monitor);
    let handler = handler::Handler { keeper: keeper.clone() };
    duties.every("handling dead letters of executions", LOOK_EVERY, handler);
    duties.every("announcing ended executions", LOOK_EVERY, Announcer::new(keeper));
}
