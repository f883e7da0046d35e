//! The one place that asks what time it is, and that makes ids. Everything else is handed a
//! clock, so that tests can set it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};
use uuid::{Builder, Uuid};

/// Tells the time.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Now, to the microsecond, which is what Postgres keeps.
    fn now(&self) -> DateTime<Utc>;

    /// What the clock says that all offices share, where this one speaks for it too: a test's does.
    /// Nothing for all others, since it is Postgres's (`store::shared_time`).
    fn shared(&self) -> Option<DateTime<Utc>> {
        None
    }
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

/// A clock that a test sets. It is the clock that all offices share, too.
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

    fn shared(&self) -> Option<DateTime<Utc>> {
        Some(self.now())
    }
}

/// A new id: a UUID of version 7 that begins with the clock's time. The 12 bits after the
/// milliseconds hold the microseconds (RFC 9562, section 6.2, method 3), so that ids that one
/// task makes one after the other are in that order.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the place that makes ids")]
pub fn new_id(clock: &dyn Clock) -> Uuid {
    let now = clock.now();
    let mut bytes: [u8; 10] = rand::random();
    let fraction = (now.timestamp_subsec_micros() % 1000 * 4096 / 1000).to_be_bytes();
    bytes[..2].copy_from_slice(&fraction[2..]);
    let millis = u64::try_from(now.timestamp_millis()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_in_the_order_of_their_microseconds() {
        let clock = ManualClock::at(DateTime::from_timestamp(1_800_000_000, 0).unwrap_or_default());
        let ids: Vec<Uuid> = (0..5_000)
            .map(|_| {
                clock.advance(chrono::TimeDelta::microseconds(1));
                new_id(&clock)
            })
            .collect();
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }
}
