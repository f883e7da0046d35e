//! Heartbeats on their way to the database: those that come while others are written are written
//! together, so that ten thousand workers cost what some hundred transactions do.
//!
//! Whoever comes first writes for all who wait; there is no task. If it is cut off, one of those who
//! wait writes again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use dlo_domain::worker::{Heartbeat, WorkerQueueNames, WorkerState};
use sqlx::PgPool;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

use crate::clock::SharedClock;
use crate::store::StoreError;
use crate::store::workers::beats::{self, Beat};

/// Heartbeats in one transaction.
const AT_ONCE: usize = 500;

/// Heartbeats that wait at once: more than that come only while the database stands still, and
/// their workers send others.
const MOST_WAITING: usize = 20_000;

/// Why a heartbeat was not written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BeatError {
    /// The database is away, or too slow for what comes.
    #[error(
        "the database does not answer, so the heartbeat was not written down: send the next one"
    )]
    Away,
    /// A fault of ours, which was logged.
    #[error("the heartbeat could not be written down")]
    Failed,
}

type Answer = Result<WorkerState, BeatError>;

struct Waiting {
    beat: Beat,
    tell: oneshot::Sender<Answer>,
}

/// Where heartbeats of one way come together.
pub struct Beats {
    pool: PgPool,
    clock: SharedClock,
    way: String,
    queues: WorkerQueueNames,
    waiting: Mutex<Vec<Waiting>>,
    turn: tokio::sync::Mutex<()>,
}

impl std::fmt::Debug for Beats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Beats").field("way", &self.way).finish_non_exhaustive()
    }
}

impl Beats {
    /// Nothing waits yet.
    #[must_use]
    pub fn new(pool: PgPool, clock: SharedClock, way: &str) -> Self {
        Self {
            pool,
            clock,
            way: way.to_owned(),
            queues: WorkerQueueNames::default(),
            waiting: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// The same where the queues of workers are called so.
    #[must_use]
    pub fn with_queues(mut self, queues: WorkerQueueNames) -> Self {
        self.queues = queues;
        self
    }

    /// A heartbeat as it may be written down: without a queue that no worker's is called like. Says why it was
    /// left out.
    #[must_use]
    pub fn admit(&self, name: String, mut heartbeat: Heartbeat) -> (Beat, Option<String>) {
        let refused = heartbeat.queue.take_if(|queue| !self.queues.allows(&name, queue));
        let why = refused.as_deref().map(|queue| self.queues.refusal(queue));
        let beat = Beat { name, heartbeat, refused_queue: refused };
        (beat, why)
    }

    /// Writes a heartbeat down, with all others that wait. Tells the worker's state.
    ///
    /// # Errors
    /// When the database does not do it.
    pub async fn take(&self, beat: Beat) -> Answer {
        loop {
            let mut told = self.wait(beat.clone())?;
            let turn = self.turn.lock().await;
            loop {
                match told.try_recv() {
                    Ok(answer) => return answer,
                    // Whoever wrote it was cut off.
                    Err(TryRecvError::Closed) => break,
                    Err(TryRecvError::Empty) => self.write_next().await,
                }
            }
            drop(turn);
        }
    }

    fn wait(&self, beat: Beat) -> Result<oneshot::Receiver<Answer>, BeatError> {
        let (tell, told) = oneshot::channel();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= MOST_WAITING {
            return Err(BeatError::Away);
        }
        waiting.push(Waiting { beat, tell });
        Ok(told)
    }

    async fn write_next(&self) {
        let batch: Vec<Waiting> = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let count = waiting.len().min(AT_ONCE);
            waiting.drain(..count).collect()
        };
        let beats: Vec<Beat> = batch.iter().map(|one| one.beat.clone()).collect();
        let written = self.write(&beats).await;
        for Waiting { beat, tell } in batch {
            let answer = match &written {
                Ok(states) => states.get(&beat.name).copied().ok_or(BeatError::Failed),
                Err(why) => Err(*why),
            };
            // Whoever went away does not want to know.
            let _ = tell.send(answer);
        }
    }

    /// Writes heartbeats down at once, all or none.
    ///
    /// # Errors
    /// When the database does not do it.
    pub async fn write(&self, beats: &[Beat]) -> Result<BTreeMap<String, WorkerState>, BeatError> {
        let written: Result<_, StoreError> = async {
            let mut transaction = self.pool.begin().await?;
            let states = beats::write(&mut transaction, &*self.clock, &self.way, beats).await?;
            transaction.commit().await?;
            Ok(states)
        }
        .await;
        written.map_err(|why| {
            if why.is_passing() {
                tracing::debug!(%why, "heartbeats found the database away");
                return BeatError::Away;
            }
            tracing::error!(%why, count = beats.len(), "heartbeats could not be written down");
            BeatError::Failed
        })
    }
}
