//! A clock that goes only while heartbeats can be heard.
//!
//! How long a worker was silent is not the difference of two times of day: Postgres or the broker
//! may have stood still for two minutes, or somebody set a clock. So the monitor counts the time in
//! which it looked, for each way that heartbeats come by, and a silence is measured in that. After
//! a time in which it could not look, every worker has its whole time again to be heard.

use chrono::{DateTime, TimeDelta, Utc};

/// The most that the watch goes on at once. The monitor looks every second.
pub const LONGEST_STEP: TimeDelta = TimeDelta::seconds(2);

/// A pause in looking after which all silences begin anew.
pub const BLIND: TimeDelta = TimeDelta::seconds(5);

/// The watch of one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watch {
    /// Milliseconds in which the way was open.
    pub heard_ms: i64,
    /// Where it stood when the way was opened last.
    pub opened_ms: i64,
    /// When it was looked at, by the clock that all offices share.
    pub looked_at: DateTime<Utc>,
}

impl Watch {
    /// Of a way that is opened for the first time.
    #[must_use]
    pub fn begun(now: DateTime<Utc>) -> Self {
        Self { heard_ms: 0, opened_ms: 0, looked_at: now }
    }

    /// Where it stands now, for a heartbeat that is heard between two looks.
    #[must_use]
    pub fn reading(self, now: DateTime<Utc>) -> i64 {
        let step = (now - self.looked_at).clamp(TimeDelta::zero(), LONGEST_STEP);
        self.heard_ms.saturating_add(step.num_milliseconds())
    }

    /// After a look at `now`. A clock that was set back lets it stand still for one look; one that
    /// was set forward cannot be told from a pause in looking.
    #[must_use]
    pub fn looked(self, now: DateTime<Utc>) -> Self {
        let heard_ms = self.reading(now);
        let was_blind = now - self.looked_at > BLIND;
        Self {
            heard_ms,
            opened_ms: if was_blind { heard_ms } else { self.opened_ms },
            looked_at: now,
        }
    }

    /// How long nothing was heard of a worker whose last heartbeat was heard at `heard_ms`.
    #[must_use]
    pub fn silence(self, heard_ms: i64) -> TimeDelta {
        let since = heard_ms.max(self.opened_ms);
        TimeDelta::milliseconds(self.heard_ms.saturating_sub(since).clamp(0, i64::from(u32::MAX)))
    }
}
