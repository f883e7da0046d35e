//! The one place that asks what time it is, and that makes ids. Everything else is handed a
//! clock, so that tests can set it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};
use uuid::{NoContext, Timestamp, Uuid};

/// Tells the time.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Now, to the microsecond, which is what Postgres keeps.
    fn now(&self) -> DateTime<Utc>;
}

/// A clock to hand around.
pub type SharedClock = Arc<dyn Clock>;

/// The machine's clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the place that reads the clock")]
    fn now(&self) -> DateTime<Utc> {
        let now = Utc::now();
        DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now)
    }
}

/// A clock that a test sets.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that stands at `time`.
    #[must_use]
    pub fn at(time: DateTime<Utc>) -> Self {
        Self(AtomicI64::new(time.timestamp_micros()))
    }

    /// Moves it, backwards too.
    pub fn advance(&self, by: chrono::TimeDelta) {
        let micros = by.num_microseconds().unwrap_or_default();
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.0.load(Ordering::SeqCst)).unwrap_or_default()
    }
}

/// A new id: a UUID of version 7 that begins with the clock's time.
#[must_use]
pub fn new_id(clock: &dyn Clock) -> Uuid {
    let now = clock.now();
    let seconds = u64::try_from(now.timestamp()).unwrap_or_default();
    Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, now.timestamp_subsec_nanos()))
}
