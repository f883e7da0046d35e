//! One run of one source on one connection: recovery, then stints until it is told to stop.

use std::time::Duration;

use dlo_domain::redelivery::RecentContents;
use dlo_domain::source::{SourceCondition, SourceMode};
use tokio_util::sync::CancellationToken;

use super::buffer::Buffer;
use super::care::Care;
use super::condition::Conditions;
use super::lasting::Lasting;
use super::memory::Memory;
use super::{Deps, mirror, recovery, stint, window};
use crate::broker::{self, BrokerError, Inlet, OctetReading};
use crate::clock::new_id;
use crate::store::StoreError;
use crate::store::batches::{self, Session};
use crate::store::letters::Stored;
use crate::store::sources::Watched;

/// Contents that are remembered to know copies when they come.
const REMEMBERED: usize = 20_000;

/// A recovery that takes longer is told.
const TELL_AFTER: Duration = Duration::from_secs(1);

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

    async fn work(
        &mut self,
        conditions: &mut Conditions<'_>,
        stop: &CancellationToken,
    ) -> Result<(), SessionError> {
        let mut fresh = {
            let recovering = recovery::recover(self, Buffer::default());
            tokio::pin!(recovering);
            tokio::select! {
                fresh = &mut recovering => fresh?,
                () = tokio::time::sleep(TELL_AFTER) => {
                    let detail = "What was delivered before is compared with what is stored.";
                    conditions.set(SourceCondition::Starting, Some(detail)).await;
                    recovering.await?
                }
            }
        };
        let mut told = None;
        while !stop.is_cancelled() {
            let remark = self.remark();
            if told.as_ref() != Some(&remark) {
                let text = remark.as_deref();
                conditions.set(SourceCondition::Running, text).await;
                told = Some(remark);
            }
            fresh = stint::run(self, fresh.take(), stop).await?;
        }
        Ok(())
    }

    /// Tells other offices that what this session did not settle comes to them now. If it cannot
    /// be told, the next session does.
    async fn end(&mut self) {
        let telling = async {
            self.forget_settled().await?;
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

    /// Counts the messages of a batch that client libraries refuse, and says so on the source.
    pub(super) async fn note_undecodable(&mut self, buffer: &Buffer) {
        let count = buffer.undecodable();
        if count == 0 {
            return;
        }
        tracing::warn!(queue = %self.source.queue, count, "messages that client libraries cannot decode were kept");
        metrics::counter!("dlo_intake_undecodable_total")
            .increment(u64::try_from(count).unwrap_or(u64::MAX));
        self.care.kept_undecodable(count);
        let remark = self.remark();
        Conditions::of(self.deps, self.source.id)
            .set(SourceCondition::Running, remark.as_deref())
            .await;
    }

    /// What people should know of a source that runs.
    fn remark(&self) -> Option<String> {
        let remarks = [self.lasting.remark().map(str::to_owned), self.care.remark()];
        let remarks: Vec<String> = remarks.into_iter().flatten().collect();
        (!remarks.is_empty()).then(|| remarks.join(" "))
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
    (care, memory): (&mut Care, &mut Memory),
    conditions: &mut Conditions<'_>,
    stop: &CancellationToken,
) -> Result<(), SessionError> {
    let purpose = format!("intake {}", source.queue);
    // Where lapin failed at a message, it sees no header of any.
    let reading = if care.is_needed() {
        OctetReading::All
    } else {
        OctetReading::Odd
    };
    let (brokers, vhost) = (&deps.brokers, &source.vhost);
    let link = broker::connect_for_intake(brokers, &source.broker, vhost, &purpose, reading)
        .await
        .inspect_err(|_| memory.doubt())?;
    let queue = match source.mode {
        SourceMode::Take => source.queue.clone(),
        SourceMode::Mirror => mirror::prepare(deps, source, &link).await?,
    };
    let prefetch = deps.settings.prefetch;
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
        window: if care.is_needed() {
            1
        } else {
            window::FIRST.min(prefetch)
        },
        lasting: Lasting::ask(deps, source).await,
        care,
        memory,
        settled: 0,
        forgotten: 0,
        batches: 0,
    };
    let outcome = running.work(conditions, stop).await;
    if outcome.is_err() {
        running.end().await;
    }
    link.close().await;
    outcome
}
