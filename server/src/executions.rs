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
use dlo_domain::event::LiveEvent;
use sqlx::PgPool;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::broker::Brokers;
use crate::clock::SharedClock;
use crate::config::{ExecutionsConfig, ReplayConfig};
use crate::events::Hub;
use crate::store::StoreError;

pub use announcing::Announcer;
pub use ending::Ending;
pub use following::follow;
pub use handler::handle_next;
pub use monitor::{check, look};

/// Notifications wake at once, but may be lost: so often is looked in any case.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What executions are watched with.
#[derive(Debug, Clone)]
pub struct Deps {
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

impl Deps {
    fn ending(&self) -> Ending<'_> {
        Ending { clock: &*self.clock, completed: self.config.completed.as_ref() }
    }

    /// How long an execution may be scheduled.
    fn limit(&self) -> TimeDelta {
        TimeDelta::from_std(self.config.stuck_after).unwrap_or(TimeDelta::MAX)
    }
}

/// Watches until `stop`. A step, once begun, is ended.
///
/// # Errors
/// When executions cannot be read for another reason than an outage.
pub async fn run(deps: Deps, hub: Hub, stop: CancellationToken) -> Result<(), StoreError> {
    tokio::try_join!(
        monitor::run(&deps, &stop),
        handler::run(&deps, hub.listen(), &stop),
        announcing::run(&deps, hub.listen(), &stop),
    )?;
    Ok(())
}

/// Waits for `wanted`, for a second, or for the end.
async fn wait(
    events: &mut Receiver<LiveEvent>,
    wanted: impl Fn(&LiveEvent) -> bool,
    stop: &CancellationToken,
) {
    let heard = async {
        loop {
            match events.recv().await {
                Ok(event) if wanted(&event) || event == LiveEvent::Missed => return,
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => return,
                // The office ends.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = tokio::time::sleep(LOOK_EVERY) => {}
        () = heard => {}
    }
}

/// What is passing is tried again at the next turn; all else ends the service.
fn mind(done: Result<(), StoreError>) -> Result<(), StoreError> {
    match done {
        Err(why) if why.is_passing() => {
            tracing::debug!(%why, "executions will be looked at later");
            Ok(())
        }
        done => done,
    }
}
