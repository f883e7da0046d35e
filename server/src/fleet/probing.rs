//! Asks workers' own addresses whether they are well: a second opinion beside their heartbeats. What it
//! says is shown, and holds nobody for dead.

use std::time::Duration;

use chrono::TimeDelta;
use futures_util::StreamExt as _;
use futures_util::stream::iter;
use sqlx::PgPool;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::duty::{Duty, Next};
use crate::outbound::{Outbound, OutboundError};
use crate::store::workers::probes::{self, Answer, Due};
use crate::store::{StoreError, shared_time};

/// How often a worker is probed.
const PROBE_EVERY: TimeDelta = TimeDelta::seconds(30);
/// What allows addresses that are not public.
pub const PROBE_ALLOW: &str = "DLO_FLEET_PROBE_ALLOW";
/// How long an answer may take.
pub const PROBE_WITHIN: Duration = Duration::from_secs(5);
/// Workers that are taken at once, and asked at the same time.
const MOST_TAKEN: i64 = 500;
const AT_ONCE: usize = 64;

/// Probes workers.
#[derive(Debug, Clone)]
pub struct Prober {
    /// Connections to Postgres.
    pub pool: PgPool,
    /// The office's clock.
    pub clock: SharedClock,
    /// What asks.
    pub outbound: Outbound,
}

impl Duty for Prober {
    /// A round that is cut off is forgotten: its workers are probed again when it is their turn.
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let round = stop.run_until_cancelled(self.round()).await;
        round.unwrap_or(Ok(())).map(|()| Next::Usual)
    }
}

impl Prober {
    /// Probes those whose turn it is.
    ///
    /// # Errors
    /// When Postgres does not do it.
    pub async fn round(&self) -> Result<(), StoreError> {
        let due = {
            let mut conn = self.pool.acquire().await?;
            let now = shared_time(&mut conn, &*self.clock).await?;
            probes::take(&mut conn, now, PROBE_EVERY, MOST_TAKEN).await?
        };
        let outbound = &self.outbound;
        let mut asked = iter(due)
            .map(|due| async move {
                let answer = ask(outbound, &due).await;
                (due, answer)
            })
            .buffer_unordered(AT_ONCE);
        while let Some((due, answer)) = asked.next().await {
            let mut conn = self.pool.acquire().await?;
            probes::answered(&mut conn, &due, &answer).await?;
        }
        Ok(())
    }
}

async fn ask(outbound: &Outbound, due: &Due) -> Answer {
    let began = Instant::now();
    let status: Result<u16, OutboundError> = outbound.status(&due.url).await;
    let millis = i32::try_from(began.elapsed().as_millis()).unwrap_or(i32::MAX);
    match status {
        Ok(status) => Answer {
            status: i16::try_from(status).ok(),
            millis,
            fault: (!(200..300).contains(&status))
                .then(|| "it does not say that it is well".to_owned()),
        },
        Err(why) => Answer { status: None, millis, fault: Some(why.to_string()) },
    }
}
