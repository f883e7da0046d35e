//! How many jq programs run at once. Each takes a core and up to its limit of memory, and whoever reaches a
//! page can ask for one: so two run, some wait, and what comes beyond is refused.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Programs that run at once.
const RUNNING: usize = 2;

/// Programs that wait for a place.
const WAITING: usize = 8;

/// A place among the programs that run; dropping it lets the next one begin.
#[derive(Debug)]
pub(super) struct Slot {
    _place: OwnedSemaphorePermit,
}

/// No place became free in time, or too many wait for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Busy;

/// The places of one office.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            running: Arc::new(Semaphore::new(RUNNING)),
            waiting: Arc::new(Semaphore::new(WAITING)),
        }
    }
}

impl Slots {
    /// A place, first come, first served; waits for it so long.
    ///
    /// # Errors
    /// Returns [`Busy`] if too many wait, or none becomes free in time.
    pub(super) async fn take(&self, within: Duration) -> Result<Slot, Busy> {
        if let Ok(free) = self.running.clone().try_acquire_owned() {
            return Ok(Slot { _place: free });
        }
        let _waiting = self.waiting.try_acquire().map_err(|_| Busy)?;
        let free = timeout(within, self.running.clone().acquire_owned()).await;
        let free = free.map_err(|_| Busy)?;
        let place = free.expect("the places are never closed");
        Ok(Slot { _place: place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(2);

    #[tokio::test]
    async fn two_run_some_wait_and_the_others_are_refused_at_once() {
        let slots = Slots::default();
        let first = slots.take(LONG).await.expect("a place");
        let _second = slots.take(LONG).await.expect("a place");
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(slots.take(LONG))).collect();
        for one in &mut waiting {
            assert!(futures_util::poll!(one).is_pending());
        }
        assert!(matches!(slots.take(LONG).await, Err(Busy)));
        drop(first);
        let third = waiting.remove(0).await;
        assert!(third.is_ok(), "the first that waited");
        assert!(futures_util::poll!(&mut waiting[0]).is_pending());
        let mut late = Box::pin(slots.take(LONG));
        assert!(futures_util::poll!(&mut late).is_pending(), "it may wait now");
    }
}
