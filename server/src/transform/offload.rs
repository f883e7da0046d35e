//! Work on bodies that takes time or memory: off the threads that answer requests, and little of it at once.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// Pieces of work at once that load bodies whole and compare them. Each may take some tens of MiB.
const LARGE_AT_ONCE: usize = 2;

/// Pieces of work at once that look at the beginning of a body. Each may take some MiB.
const SMALL_AT_ONCE: usize = 8;

static LARGE: Semaphore = Semaphore::const_new(LARGE_AT_ONCE);

static SMALL: Semaphore = Semaphore::const_new(SMALL_AT_ONCE);

/// Too much of it is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("The office is busy with large bodies. Nothing was changed; try again in some seconds.")]
pub struct Busy;

/// Leave to load bodies and to work on them.
#[derive(Debug, Clone)]
pub struct BodySlot(
    #[expect(dead_code, reason = "the turn ends when the last copy of it goes")]
    Arc<SemaphorePermit<'static>>,
);

impl BodySlot {
    /// Waits for a turn to load bodies whole, for so long.
    ///
    /// # Errors
    /// Returns an error if others work on bodies for too long.
    pub async fn large(within: Duration) -> Result<Self, Busy> {
        Self::of(&LARGE, within).await
    }

    /// Waits for a turn to look at the beginning of a body, for so long.
    ///
    /// # Errors
    /// Returns an error if others work on bodies for too long.
    pub async fn small(within: Duration) -> Result<Self, Busy> {
        Self::of(&SMALL, within).await
    }

    async fn of(slots: &'static Semaphore, within: Duration) -> Result<Self, Busy> {
        match timeout(within, slots.acquire()).await {
            Ok(Ok(permit)) => Ok(Self(Arc::new(permit))),
            Ok(Err(_)) | Err(_) => Err(Busy),
        }
    }

    /// Does the work on a thread of its own. It keeps its turn until it is done, even if nobody waits for it
    /// any more.
    ///
    /// # Panics
    /// Panics if the work does.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let slot = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(slot);
            done
        })
        .await;
        done.unwrap_or_else(|why| std::panic::resume_unwind(why.into_panic()))
    }
}
