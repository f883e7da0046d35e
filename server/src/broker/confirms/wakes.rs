//! Which publishes are to be looked at, and whom that is told. lapin wakes the confirms of a channel one
//! after the other, each right after it was completed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

use super::ledger::Tag;

/// The publishes that were woken and not looked at yet, and who waits for that.
#[derive(Default)]
pub(super) struct Wakes {
    woken: Mutex<Vec<Tag>>,
    waiters: Mutex<Vec<Waker>>,
}

/// Wakes one publish.
struct PublishWake {
    tag: Tag,
    wakes: Arc<Wakes>,
}

impl Wake for PublishWake {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        lock(&self.wakes.woken).push(self.tag);
        self.wakes.wake_waiters();
    }
}

impl Wakes {
    /// A waker for a publish.
    pub fn waker(self: &Arc<Self>, tag: Tag) -> Waker {
        let wakes = Arc::clone(self);
        Waker::from(Arc::new(PublishWake { tag, wakes }))
    }

    /// Takes the publishes that were woken, in the order in which that happened.
    pub fn take(&self) -> Vec<Tag> {
        std::mem::take(&mut lock(&self.woken))
    }

    /// Whether no publish was woken since they were taken.
    pub fn is_empty(&self) -> bool {
        lock(&self.woken).is_empty()
    }

    /// Wakes `waiter` once, when the next publish is woken.
    pub fn register(&self, waiter: &Waker) {
        let mut waiters = lock(&self.waiters);
        if !waiters.iter().any(|other| other.will_wake(waiter)) {
            waiters.push(waiter.clone());
        }
    }

    /// Wakes everybody who waits.
    pub fn wake_waiters(&self) {
        let waiters = std::mem::take(&mut *lock(&self.waiters));
        for waiter in waiters {
            waiter.wake();
        }
    }
}

fn lock<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    // A list cannot be left half changed, whoever panicked.
    list.lock().unwrap_or_else(PoisonError::into_inner)
}
