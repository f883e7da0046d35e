//! One run of one source on one connection: recovery, then stints until it is told to stop.

use dlo_domain::redelivery::RecentContents;
use dlo_domain::source::{SourceCondition, SourceMode};
use tokio_util::sync::CancellationToken;

use super::condition::Conditions;
use super::{Deps, mirror, recovery, stint, window};
use crate::broker::{self, BrokerError, Inlet};
use crate::clock::new_id;
use crate::store::StoreError;
use crate::store::batches::{self, Session};
use crate::store::sources::Watched;

/// Contents that are remembered to know copies when they come.
const REMEMBERED: usize = 20_000;

/// Why a session ended before it was told to.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error(transparent)]
    Broker(#[from] BrokerError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the broker ended the consumer: the queue was deleted or moved")]
    ConsumerEnded,
    #[error("{0}")]
    Mirror(String),
}

impl From<sqlx::Error> for SessionError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// A session under way.
pub(super) struct Running<'a> {
    pub(super) deps: &'a Deps,
    pub(super) source: &'a Watched,
    pub(super) session: Session,
    pub(super) inlet: Inlet,
    pub(super) recent: RecentContents,
    /// How many messages may be in flight.
    pub(super) window: u16,
    /// Batches up to this one are known to be acknowledged.
    pub(super) settled: i64,
    /// Batches up to this one are known to be so in Postgres too.
    forgotten: i64,
    batches: i64,
}

impl Running<'_> {
    pub(super) fn next_batch(&mut self) -> i64 {
        self.batches += 1;
        self.batches
    }

    /// Tells Postgres which batches are settled, if it does not know.
    pub(super) async fn forget_settled(&mut self) -> Result<(), SessionError> {
        if self.is_unsettled() {
            let mut conn = self.deps.pool.acquire().await?;
            batches::forget_settled(&mut conn, &self.session, self.settled).await?;
            self.forgotten = self.settled;
        }
        Ok(())
    }

    /// Whether there is something that Postgres does not know is settled.
    pub(super) fn is_unsettled(&self) -> bool {
        self.forgotten < self.settled
    }

    /// Notes that a commit told Postgres.
    pub(super) fn told(&mut self, settled: i64) {
        self.forgotten = self.forgotten.max(settled);
    }
}

/// Runs until `stop`, which ends it in order: everything that was taken is stored and
/// acknowledged. On an error everything that was not is given back with the connection.
pub(super) async fn run(
    deps: &Deps,
    source: &Watched,
    careful: bool,
    conditions: &mut Conditions<'_>,
    stop: &CancellationToken,
) -> Result<(), SessionError> {
    let purpose = format!("intake {}", source.queue);
    let link = broker::connect(&deps.brokers, &source.broker, &source.vhost, &purpose).await?;
    let queue = match source.mode {
        SourceMode::Take => source.queue.clone(),
        SourceMode::Mirror => mirror::prepare(deps, source, &link).await?,
    };
    let mut running = Running {
        deps,
        source,
        session: Session {
            source_id: source.id,
            session_id: new_id(&*deps.clock),
            office_id: deps.office_id,
        },
        inlet: Inlet::open(&link, &queue).await?,
        recent: RecentContents::new(REMEMBERED),
        window: if careful {
            1
        } else {
            window::FIRST.min(deps.settings.prefetch)
        },
        settled: 0,
        forgotten: 0,
        batches: 0,
    };
    let mut fresh = recovery::recover(&mut running, careful).await?;
    conditions.set(SourceCondition::Running, None).await;
    while !stop.is_cancelled() {
        stint::run(&mut running, fresh.take(), careful, stop).await?;
    }
    link.close().await;
    Ok(())
}
