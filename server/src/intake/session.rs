//! One run of one source on one connection: recovery, then stints until it is told to stop.

use std::time::Duration;

use dlo_domain::redelivery::{AcknowledgedBatch, RecentContents};
use dlo_domain::source::{SourceCondition, SourceMode};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::care::Care;
use super::commit::CommitError;
use super::condition::Conditions;
use super::lasting::Lasting;
use super::memory::Memory;
use super::{Deps, mirror, stint, window};
use crate::broker::{self, BrokerError, Inlet};
use crate::clock::new_id;
use crate::store::StoreError;
use crate::store::batches::{self, Session, Surroundings};
use crate::store::letters::Stored;
use crate::store::sources::Watched;

/// Contents that are remembered to know copies when they come.
const REMEMBERED: usize = 20_000;

/// How often it is looked at most which other sessions ended.
const LOOK_AROUND: Duration = Duration::from_millis(500);

/// How long the end of a session may take to be written down.
const END_WITHIN: Duration = Duration::from_secs(2);

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
    #[error("another office took this one for dead, and has its messages now")]
    Ousted,
}

impl From<CommitError> for SessionError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Store(error) => Self::Store(error),
            CommitError::Ousted => Self::Ousted,
        }
    }
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
    /// Whether the queue outlives its consumers.
    pub(super) lasting: Lasting,
    pub(super) care: &'a mut Care,
    pub(super) memory: &'a mut Memory,
    /// How many messages may be in flight.
    pub(super) window: u16,
    /// The other sessions as this one began to consume.
    pub(super) surroundings: Surroundings,
    next_look: Instant,
    /// Messages that are stored and not acknowledged.
    pub(super) unacknowledged: usize,
    /// Acknowledging this acknowledges all of them.
    pub(super) last_tag: u64,
    /// What they are.
    pub(super) stored: Vec<AcknowledgedBatch>,
    /// The largest body since the last fence.
    pub(super) largest: usize,
    batches: i64,
}

impl Running<'_> {
    pub(super) fn next_batch(&mut self) -> i64 {
        self.batches += 1;
        self.batches
    }

    /// Writes down that everything which this session stored is acknowledged.
    pub(super) async fn forget_settled(&mut self) -> Result<(), SessionError> {
        let mut conn = self.deps.pool.acquire().await?;
        batches::forget_settled(&mut conn, &self.session).await?;
        Ok(())
    }

    /// Looks which other sessions ended. Messages of some may be in hand that were cleared since,
    /// unless `hands_are_empty`. What was known a moment ago serves: it proves less, never more.
    pub(super) async fn look_around(&mut self, hands_are_empty: bool) -> Result<(), SessionError> {
        let now = Instant::now();
        if now < self.next_look {
            return Ok(());
        }
        self.next_look = now + LOOK_AROUND;
        let mut conn = self.deps.pool.acquire().await?;
        let around = batches::look_around(&mut conn, &self.session).await?;
        let before = std::mem::replace(&mut self.surroundings, around);
        if !hands_are_empty {
            self.surroundings.cleared = before.cleared;
        }
        Ok(())
    }

    async fn work(
        &mut self,
        conditions: &mut Conditions<'_>,
        stop: &CancellationToken,
    ) -> Result<(), SessionError> {
        let mut told = None;
        while !stop.is_cancelled() {
            if told != Some(self.lasting) {
                let remark = self.lasting.remark();
                conditions.set(SourceCondition::Running, remark).await;
                told = Some(self.lasting);
            }
            stint::run(self, stop).await?;
        }
        Ok(())
    }

    /// Forgets this session, which has nothing in hand.
    async fn close(&mut self) {
        let closing = async {
            let mut conn = self.deps.pool.acquire().await?;
            batches::close(&mut conn, &self.session).await?;
            Ok::<_, SessionError>(())
        };
        if let Ok(Err(error)) = tokio::time::timeout(END_WITHIN, closing).await {
            tracing::debug!(%error, "the orderly end of a session was not written down");
        }
    }

    /// Tells other offices that what this session did not settle comes to them now. If it cannot
    /// be told, the next session does.
    async fn end(&mut self) {
        let telling = async {
            let mut conn = self.deps.pool.acquire().await?;
            batches::end(&mut conn, &self.session).await?;
            Ok::<_, SessionError>(())
        };
        match tokio::time::timeout(END_WITHIN, telling).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the end of a session was not written down"),
            Err(_) => tracing::debug!("the end of a session was not written down in time"),
        }
    }

    /// Counts what was stored, for `/metrics`.
    pub(super) fn count(&self, stored: Stored) {
        tracing::trace!(queue = %self.source.queue, ?stored, "a batch is stored");
        metrics::counter!("dlo_intake_letters_total").increment(u64::from(stored.new));
        metrics::counter!("dlo_intake_died_again_total").increment(u64::from(stored.again));
    }
}

/// Runs until `stop`, which ends it in order: everything that was taken is stored and
/// acknowledged. On an error everything that was not is given back with the connection.
pub(super) async fn run(
    deps: &Deps,
    source: &Watched,
    (care, memory): (&mut Care, &mut Memory),
    conditions: &mut Conditions<'_>,
    stop: &CancellationToken,
) -> Result<(), SessionError> {
    let purpose = format!("intake {}", source.queue);
    let link = broker::connect(&deps.brokers, &source.broker, &source.vhost, &purpose)
        .await
        .inspect_err(|_| memory.doubt())?;
    let queue = match source.mode {
        SourceMode::Take => source.queue.clone(),
        SourceMode::Mirror => mirror::prepare(deps, source, &link).await?,
    };
    let prefetch = deps.settings.prefetch;
    let session = Session {
        source_id: source.id,
        session_id: new_id(&*deps.clock),
        office_id: deps.office_id,
    };
    let inlet = Inlet::open(&link, &queue).await?;
    let mut conn = deps.pool.acquire().await?;
    batches::open(&mut conn, &session).await?;
    drop(conn);
    let mut running = Running {
        deps,
        source,
        session,
        inlet,
        recent: RecentContents::new(REMEMBERED),
        window: if care.is_needed() {
            1
        } else {
            window::FIRST.min(prefetch)
        },
        lasting: Lasting::ask(deps, source).await,
        care,
        memory,
        surroundings: Surroundings::default(),
        next_look: Instant::now(),
        unacknowledged: 0,
        last_tag: 0,
        stored: Vec::new(),
        largest: 0,
        batches: 0,
    };
    let outcome = running.work(conditions, stop).await;
    match outcome {
        Ok(()) => running.close().await,
        Err(_) => running.end().await,
    }
    link.close().await;
    outcome
}
