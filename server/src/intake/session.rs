//! One run of one source on one connection: recovery, then stints until it is told to stop.

use std::time::Duration;

use dlo_domain::delivery_limit::{DeliveryLimit, Evidence};
use dlo_domain::redelivery::RecentContents;
use dlo_domain::source::{SourceCondition, SourceMode};
use tokio_util::sync::CancellationToken;

use super::buffer::Buffer;
use super::care::Care;
use super::condition::Conditions;
use super::lasting::Lasting;
use super::limit::QueueLimit;
use super::memory::Memory;
use super::{Deps, mirror, recovery, stint, window};
use crate::broker::{self, BrokerError, Inlet, Link};
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
    #[error("the queue drops letters that come back, or may do so ({0:?}): nothing is taken")]
    DeliveryLimit(DeliveryLimit),
    #[error("the queue's limit of deliveries became another")]
    LimitChanged,
}

/// What the sessions of a source hand on to the next one.
#[derive(Debug, Default)]
pub(super) struct SourceState {
    pub(super) care: Care,
    pub(super) memory: Memory,
    /// What messages told of the queue, where the management API tells nothing.
    evidence: Evidence,
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
    /// How often a letter may come back to it.
    pub(super) limit: QueueLimit,
    /// Whether that became another since.
    pub(super) limit_changed: CancellationToken,
    pub(super) care: &'a mut Care,
    pub(super) memory: &'a mut Memory,
    /// How many messages may be in flight.
    pub(super) window: u16,
    /// The largest body that is to be expected, in bytes.
    pub(super) largest: usize,
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

    /// Takes messages until `stop`, by the limit of the queue as it is: where that becomes another, everything
    /// in hand is stored first.
    async fn work(
        &mut self,
        queue: &str,
        conditions: &mut Conditions<'_>,
        stop: &CancellationToken,
    ) -> Result<(), SessionError> {
        while !stop.is_cancelled() {
            self.limit.note(self.deps, self.source).await?;
            self.may_take()?;
            self.window = self.window.min(self.prefetch());
            let (deps, source, limit) = (self.deps, self.source, self.limit);
            let halt = stop.child_token();
            self.limit_changed = CancellationToken::new();
            let limit_changed = self.limit_changed.clone();
            let changed = {
                let taking = self.take(conditions, &halt);
                tokio::pin!(taking);
                let changed = tokio::select! {
                    biased;
                    done = &mut taking => return done,
                    changed = limit.change(deps, source, queue) => changed,
                };
                limit_changed.cancel();
                halt.cancel();
                match taking.await {
                    Ok(()) | Err(SessionError::LimitChanged) => changed,
                    Err(why) => return Err(why),
                }
            };
            self.limit_changed = CancellationToken::new();
            self.limit = changed;
            self.window = self.first_window();
        }
        Ok(())
    }

    fn first_window(&self) -> u16 {
        if self.care.is_needed() {
            1
        } else {
            window::FIRST.min(self.prefetch())
        }
    }

    async fn take(
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
        if !self.care.is_needed() {
            let seen = fresh.as_ref().map(|taken| taken.delivered.body.len());
            self.window = window::first(seen, self.deps.settings.prefetch);
        }
        let mut told = None;
        loop {
            if stop.is_cancelled() || self.may_take().is_err() {
                // What is in hand is not forgotten: the next acknowledgement would be its own, too.
                if let Some(taken) = fresh.take() {
                    stint::store(self, taken).await?;
                }
                return if stop.is_cancelled() {
                    Ok(())
                } else {
                    self.may_take()
                };
            }
            let known = (self.lasting, self.hold());
            if told != Some(known) {
                let remark = self.remark();
                conditions
                    .set(SourceCondition::Running, remark.as_deref())
                    .await;
                told = Some(known);
            }
            fresh = stint::run(self, fresh.take(), stop).await?;
        }
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

    /// Notes that a commit told Postgres.
    pub(super) fn told(&mut self, settled: i64) {
        self.forgotten = self.forgotten.max(settled);
    }
}

/// Runs until `stop`, which ends it in order: everything that was taken is stored and
/// acknowledged. On an error everything that was not is given back before the connection is closed.
pub(super) async fn run(
    deps: &Deps,
    source: &Watched,
    state: &mut SourceState,
    conditions: &mut Conditions<'_>,
    stop: &CancellationToken,
) -> Result<(), SessionError> {
    let purpose = format!("intake {}", source.queue);
    let link = broker::connect(&deps.brokers, &source.broker, &source.vhost, &purpose)
        .await
        .inspect_err(|_| state.memory.doubt())?;
    let outcome = run_on(deps, source, state, conditions, stop, &link).await;
    link.close().await;
    outcome
}

/// The same on a connection, which is closed afterwards.
async fn run_on(
    deps: &Deps,
    source: &Watched,
    state: &mut SourceState,
    conditions: &mut Conditions<'_>,
    stop: &CancellationToken,
    link: &Link,
) -> Result<(), SessionError> {
    let queue = match source.mode {
        SourceMode::Take => source.queue.clone(),
        SourceMode::Mirror => mirror::prepare(deps, source, link).await?,
    };
    let SourceState {
        care,
        memory,
        evidence,
    } = state;
    let mut running = Running {
        deps,
        source,
        session: Session {
            source_id: source.id,
            session_id: new_id(&*deps.clock),
            office_id: deps.office_id,
        },
        inlet: Inlet::open(link, &queue, *evidence).await?,
        recent: RecentContents::new(REMEMBERED),
        window: 1,
        largest: 0,
        lasting: Lasting::ask(deps, source).await,
        limit: QueueLimit::ask(deps, source, &queue).await,
        limit_changed: CancellationToken::new(),
        care,
        memory,
        settled: 0,
        forgotten: 0,
        batches: 0,
    };
    running.window = running.first_window();
    let outcome = running.work(&queue, conditions, stop).await;
    if outcome.is_err() {
        running.end().await;
    }
    running.inlet.give_back().await;
    *evidence = running.inlet.evidence();
    outcome
}
