//! How much the server does for whoever asks, so that nobody who opens connections, sends slowly or
//! never reads takes it away from others.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;
use crate::config::Patience;

/// The limits of one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once. More wait in the system's queue until one ends.
    pub connections: usize,
    /// How long a request's head may take, and how long a connection may stand idle before it.
    pub head: Duration,
    /// How long a request's body may take.
    pub body: Duration,
    /// How long a client may take nothing of an answer that waits for it.
    pub stalled: Duration,
    /// No answer takes longer to begin.
    pub answer: Duration,
    /// Whoever asks whether the office is ready waits so long for Postgres.
    pub database: Duration,
    /// Live streams at once to pages, and as many to programs.
    pub streams: usize,
    /// How often the token of a stream is looked up again.
    pub token_check: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            head: Duration::from_secs(20),
            body: Duration::from_secs(20),
            stalled: Duration::from_mins(1),
            answer: Patience::default().answer,
            database: Patience::default().page,
            streams: 100,
            token_check: Duration::from_secs(3),
        }
    }
}

impl From<&Patience> for Limits {
    fn from(patience: &Patience) -> Self {
        Self { answer: patience.answer, database: patience.page, ..Self::default() }
    }
}

/// Places for live streams, each of which is held as long as somebody listens.
#[derive(Debug, Clone)]
pub(super) struct StreamPlaces(Arc<Semaphore>);

impl StreamPlaces {
    /// So many places.
    pub(super) fn new(limits: &Limits) -> Self {
        Self(Arc::new(Semaphore::new(limits.streams)))
    }

    /// A place, if one is free.
    ///
    /// # Errors
    /// Returns what to answer if all are taken.
    pub(super) fn take(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.0.clone().try_acquire_owned().map_err(|_| {
            Problem::unavailable(
                "too many live streams are open: close some pages or programs, or ask again later",
            )
        })
    }
}
