//! One run of one source on one connection: stints until it is told to stop.

mod error;

use std::time::Duration;

use dlo_domain::delivery_limit::Evidence;
use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::source::{SourceCondition, SourceMode};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::buffer::Buffer;
use super::condition::Conditions;
use super::limit::QueueLimit;
use super::memory::Memory;
use super::queue_lifetime::QueueLifetime;
use super::receipts::Receipts;
use super::undecodable::Undecodable;
use super::{Intake, mirror, stint};
use crate::broker::{self, Fault, Inlet, Link};
use crate::clock::new_id;
use crate::store::StoreError;
use crate::store::batches::{self, Session, Surroundings};
use crate::store::letters::Stored;
use crate::store::sources::{Watched, losses};

pub(super) use error::SessionError;

/// How often it is looked at most which other sessions ended.
const LOOK_AROUND: Duration = Duration::from_millis(500);

/// How long the end of a session may take to be written down.
const END_WITHIN: Duration = Duration::from_secs(2);

/// What the sessions of a source hand on to the next one.
#[derive(Debug, Default)]
pub(super) struct SourceState {
    pub(super) undecodable: Undecodable,
    pub(super) memory: Memory,
    /// What messages told of the queue, where the management API tells nothing; nothing before it was read.
    evidence: Option<Evidence>,
}

impl SourceState {
    /// What messages told of the queue, as it was kept.
    async fn evidence(
        &mut self,
        intake: &Intake,
        source: &Watched,
    ) -> Result<Evidence, StoreError> {
        if let Some(evidence) = self.evidence {
            return Ok(evidence);
        }
        let mut conn = intake.pool.acquire().await?;
        let evidence = losses::evidence(&mut conn, source.id).await?;
        self.evidence = Some(evidence);
        Ok(evidence)
    }

    /// The queue is not there: one that is made anew may be of another kind.
    pub(super) async fn forget_the_queue(&mut self, intake: &Intake, source: &Watched) {
        let forgetting = async {
            let mut conn = intake.pool.acquire().await?;
            losses::keep_evidence(&mut conn, source.id, Evidence::Nothing).await
        };
        match forgetting.await {
            Ok(()) => self.evidence = Some(Evidence::Nothing),
            Err(error) => tracing::debug!(%error, "what letters told of a queue is still kept"),
        }
    }
}

/// A session under way.
pub(super) struct Running<'a> {
    pub(super) intake: &'a Intake,
    pub(super) source: &'a Watched,
    pub(super) session: Session,
    pub(super) link: &'a Link,
    pub(super) inlet: Inlet,
    pub(super) receipts: Receipts,
    /// Whether the queue outlives its consumers.
    pub(super) lifetime: QueueLifetime,
    /// How often a letter may come back to it.
    pub(super) limit: QueueLimit,
    /// Whether that became another since.
    pub(super) limit_changed: CancellationToken,
    pub(super) undecodable: &'a mut Undecodable,
    pub(super) memory: &'a mut Memory,
    /// How many messages may be in flight.
    pub(super) window: u16,
    /// The other sessions as this one began to consume.
    pub(super) surroundings: Surroundings,
    next_look: Instant,
    /// Messages that are stored and not acknowledged.
    pub(super) unacknowledged: usize,
    /// What is kept of what messages told of the queue.
    pub(super) kept_evidence: Evidence,
    /// Acknowledging this acknowledges all of them.
    pub(super) last_tag: u64,
    /// What they are.
    pub(super) stored: Vec<Vec<Fingerprint>>,
    /// What is acknowledged, as far as that is not written down,
    pub(super) acknowledged: Vec<Vec<Fingerprint>>,
    /// and what the receipt says of it.
    pub(super) answered: Option<i64>,
    /// The largest body that is to be expected, in bytes.
    pub(super) largest: usize,
    batches: i64,
    is_written_down: bool,
}

impl Running<'_> {
    /// The number of the next batch.
    pub(super) fn next_batch(&mut self) -> i64 {
        self.batches += 1;
        self.batches
    }

    /// Writes this session down, before it takes anything: one that takes nothing leaves no trace.
    pub(super) async fn write_down(&mut self) -> Result<(), SessionError> {
        if !self.is_written_down {
            let mut conn = self.intake.pool.acquire().await?;
            batches::open(&mut conn, &self.session).await?;
            self.is_written_down = true;
        }
        Ok(())
    }

    /// Whether it ended because the broker gives it nothing, and it was given nothing before either.
    fn was_refused(&self, why: &SessionError) -> bool {
        let is_refusal = matches!(why, SessionError::Broker(broker)
            if matches!(broker.fault(), Fault::QueueMissing | Fault::Refused));
        is_refusal && self.inlet.was_given_nothing()
    }

    /// Looks which other sessions ended, before this one begins to consume. What was known a moment ago serves:
    /// it proves less, never more.
    pub(super) async fn look_around(&mut self) -> Result<(), SessionError> {
        let now = Instant::now();
        if now < self.next_look {
            return Ok(());
        }
        self.next_look = now + LOOK_AROUND;
        let mut conn = self.intake.pool.acquire().await?;
        self.surroundings = batches::look_around(&mut conn, &self.session).await?;
        drop(conn);
        self.delete_receipts(&self.surroundings.forgotten).await;
        Ok(())
    }

    /// What was known of other sessions is not so any more.
    pub(super) fn look_around_soon(&mut self) {
        self.next_look = Instant::now();
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
            self.limit.note(self.intake, self.source).await?;
            self.may_take()?;
            self.window = self.window.min(self.prefetch());
            let (intake, source, limit) = (self.intake, self.source, self.limit);
            let halt = stop.child_token();
            self.limit_changed = CancellationToken::new();
            let limit_changed = self.limit_changed.clone();
            let changed = {
                let taking = self.take(conditions, &halt);
                tokio::pin!(taking);
                let changed = tokio::select! {
                    biased;
                    done = &mut taking => return done,
                    changed = limit.change(intake, source, queue) => changed,
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
        }
        Ok(())
    }

    /// Takes messages, stint after stint. Nothing is in hand between them.
    async fn take(
        &mut self,
        conditions: &mut Conditions<'_>,
        stop: &CancellationToken,
    ) -> Result<(), SessionError> {
        let mut told = None;
        while !stop.is_cancelled() {
            self.may_take()?;
            stint::begin(self).await?;
            // Not before: a queue that is missing, or refused, is so without a moment in between.
            let remark = self.remark();
            if told.as_ref() != Some(&remark) {
                let text = remark.as_deref();
                conditions.set(SourceCondition::Running, text).await;
                told = Some(remark);
            }
            stint::run(self, stop).await?;
        }
        Ok(())
    }

    /// Forgets this session, which has nothing in hand.
    async fn close(&mut self) {
        let closing = async {
            let mut conn = self.intake.pool.acquire().await?;
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
            let mut conn = self.intake.pool.acquire().await?;
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
    pub(super) fn count(&self, stored: Stored, buffer: &Buffer) {
        tracing::trace!(queue = %self.source.queue, ?stored, "a batch is stored");
        metrics::counter!("dlo_intake_letters_total").increment(u64::from(stored.new));
        metrics::counter!("dlo_intake_died_again_total").increment(u64::from(stored.again));
        let lag = metrics::histogram!("dlo_intake_lag_seconds");
        for seconds in buffer.lags(self.intake.clock.now()) {
            lag.record(seconds);
        }
    }

    /// Says on the source that so many messages were kept which client libraries refuse.
    pub(super) async fn note_undecodable(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        tracing::warn!(queue = %self.source.queue, count, "messages that client libraries cannot decode were kept");
        metrics::counter!("dlo_intake_undecodable_total")
            .increment(u64::try_from(count).unwrap_or(u64::MAX));
        self.undecodable.add(count);
        let remark = self.remark();
        Conditions::of(self.intake, self.source.id)
            .set(SourceCondition::Running, remark.as_deref())
            .await;
    }
}

/// Runs until `stop`, which ends it in order: everything that was taken is stored and
/// acknowledged. On an error everything that was not is given back before the connection is closed.
pub(super) async fn run(
    intake: &Intake,
    source: &Watched,
    state: &mut SourceState,
    conditions: &mut Conditions<'_>,
    stop: &CancellationToken,
) -> Result<(), SessionError> {
    let purpose = format!("intake {}", source.queue);
    let link = broker::connect(&intake.brokers, &source.broker, &source.vhost, &purpose)
        .await
        .inspect_err(|_| state.memory.doubt(Instant::now()))?;
    let outcome = Box::pin(run_on(intake, source, state, conditions, stop, &link)).await;
    link.close().await;
    outcome
}

/// The same on a connection, which is closed afterwards.
async fn run_on(
    intake: &Intake,
    source: &Watched,
    state: &mut SourceState,
    conditions: &mut Conditions<'_>,
    stop: &CancellationToken,
    link: &Link,
) -> Result<(), SessionError> {
    let queue = match source.mode {
        SourceMode::Take => source.queue.clone(),
        SourceMode::Mirror => mirror::prepare(intake, source, link).await?,
    };
    let known = state.evidence(intake, source).await?;
    let SourceState { undecodable, memory, evidence } = state;
    let session = Session {
        source_id: source.id,
        session_id: new_id(&*intake.clock),
        office_id: intake.office_id,
    };
    let inlet = Inlet::open(link, &queue, known).await?;
    let mut running = Running {
        intake,
        source,
        session,
        link,
        inlet,
        receipts: Receipts::default(),
        // How large messages are shows when one is here.
        window: 1,
        lifetime: QueueLifetime::ask(intake, source).await,
        limit: QueueLimit::ask(intake, source, &queue).await,
        limit_changed: CancellationToken::new(),
        undecodable,
        memory,
        surroundings: Surroundings::default(),
        next_look: Instant::now(),
        unacknowledged: 0,
        kept_evidence: known,
        last_tag: 0,
        stored: Vec::new(),
        acknowledged: Vec::new(),
        answered: None,
        largest: 0,
        batches: 0,
        is_written_down: false,
    };
    let outcome = running.work(&queue, conditions, stop).await;
    let must_tell = matches!(&outcome, Err(why) if !running.was_refused(why));
    if running.is_written_down {
        if must_tell {
            running.end().await;
        } else {
            running.close().await;
        }
    }
    running.inlet.give_back().await;
    if !must_tell && running.receipts == Receipts::Kept {
        running.delete_receipts(&[session.session_id]).await;
    }
    *evidence = Some(running.inlet.evidence());
    outcome
}
