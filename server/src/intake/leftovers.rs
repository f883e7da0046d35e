//! Deletes the mirror queues of sources that were removed or take now: they are durable and bound,
//! so that they would grow for ever. Any office does it for all, so it does not matter which one
//! was told, or whether the broker answered then.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Deps, mirror};
use crate::broker::{self, BrokerError};
use crate::store::StoreError;
use crate::store::mirrors::{self, Leftover};

/// How often it is looked for some.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Pauses after failures grow up to this.
const LAST_PAUSE: Duration = Duration::from_mins(1);

/// Runs until `stop`. What is cut off is done again: to delete a queue twice is no error.
pub(super) async fn delete(deps: &Deps, stop: &CancellationToken) {
    let mut pause = LOOK_AGAIN;
    loop {
        let looking = async {
            let all_well = match look(deps).await {
                Ok(all_well) => all_well,
                Err(error) => {
                    tracing::debug!(%error, "it is not known which mirror queues are left over");
                    true
                }
            };
            pause = if all_well { LOOK_AGAIN } else { (pause * 2).min(LAST_PAUSE) };
            tokio::time::sleep(pause).await;
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = looking => {}
        }
    }
}

/// Deletes what is left over; says whether that went well.
async fn look(deps: &Deps) -> Result<bool, StoreError> {
    let mut conn = deps.pool.acquire().await?;
    let leftovers = mirrors::leftovers(&mut conn).await?;
    drop(conn);
    let mut all_well = true;
    for leftover in leftovers {
        let queue = mirror::queue_name(&leftover.queue);
        if let Err(error) = delete_one(deps, &leftover, &queue).await {
            tracing::warn!(%queue, vhost = %leftover.vhost, %error, "a mirror queue that nobody needs could not be deleted; it is tried again");
            all_well = false;
            continue;
        }
        let mut conn = deps.pool.acquire().await?;
        mirrors::forget(&mut conn, &leftover).await?;
        tracing::info!(%queue, vhost = %leftover.vhost, "a mirror queue that nobody needs was deleted");
    }
    Ok(all_well)
}

async fn delete_one(deps: &Deps, leftover: &Leftover, queue: &str) -> Result<(), BrokerError> {
    let (broker, vhost) = (&leftover.broker, &leftover.vhost);
    let link = broker::connect(&deps.brokers, broker, vhost, "tidying").await?;
    let deleted = broker::delete_queue(&link, queue).await;
    link.close().await;
    deleted
}
