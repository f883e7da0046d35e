//! Deletes the mirror queues of sources that were removed or take now: they are durable and bound,
//! so that they would grow for ever. Any office does it for all, so it does not matter which one
//! was told, or whether the broker answered then.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Intake, mirror};
use crate::broker::{self, BrokerError};
use crate::duty::{Duty, Next};
use crate::store::StoreError;
use crate::store::mirrors::{self, Leftover};

/// How often it is looked for some.
pub(super) const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Pauses after failures grow up to this.
const LAST_PAUSE: Duration = Duration::from_mins(1);

/// Deletes mirror queues that nobody needs.
pub(super) struct Leftovers {
    pub(super) intake: Intake,
    pub(super) pause: Duration,
}

impl Duty for Leftovers {
    /// What is cut off is done again: to delete a queue twice is no error.
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let Some(all_well) = stop.run_until_cancelled(look(&self.intake)).await else {
            return Ok(Next::Usual);
        };
        self.pause = if all_well? { LOOK_AGAIN } else { (self.pause * 2).min(LAST_PAUSE) };
        Ok(Next::After(self.pause))
    }
}

/// Deletes what is left over; says whether that went well.
async fn look(intake: &Intake) -> Result<bool, StoreError> {
    let mut conn = intake.pool.acquire().await?;
    let leftovers = mirrors::leftovers(&mut conn).await?;
    drop(conn);
    let mut all_well = true;
    for leftover in leftovers {
        let queue = mirror::queue_name(&leftover.queue);
        if let Err(error) = delete_one(intake, &leftover, &queue).await {
            tracing::warn!(%queue, vhost = %leftover.vhost, %error, "a mirror queue that nobody needs could not be deleted; it is tried again");
            all_well = false;
            continue;
        }
        let mut conn = intake.pool.acquire().await?;
        mirrors::forget(&mut conn, &leftover).await?;
        tracing::info!(%queue, vhost = %leftover.vhost, "a mirror queue that nobody needs was deleted");
    }
    Ok(all_well)
}

async fn delete_one(intake: &Intake, leftover: &Leftover, queue: &str) -> Result<(), BrokerError> {
    let (broker, vhost) = (&leftover.broker, &leftover.vhost);
    let link = broker::connect(&intake.brokers, broker, vhost, "tidying").await?;
    let deleted = broker::delete_queue(&link, queue).await;
    link.close().await;
    deleted
}
