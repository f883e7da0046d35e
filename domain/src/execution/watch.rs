//! Since when the monitor sees. What it could not see it does not hold against anybody: after a
//! database that hung, offices that were all down, or a clock that was set, the time that an
//! execution may take begins anew.

use chrono::{DateTime, TimeDelta, Utc};

/// Offices look every few seconds. After this long without a look, workers may have told what
/// could not be written down.
const BLIND_AFTER: TimeDelta = TimeDelta::seconds(15);

/// A clock that several processes read may seem to go back by this much.
const UNSTEADY: TimeDelta = TimeDelta::seconds(1);

/// Since when somebody looks without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watch {
    /// Since when.
    pub since: DateTime<Utc>,
    /// When somebody last looked.
    pub seen_at: DateTime<Utc>,
}

/// What a look found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Nothing was missed.
    Steadily,
    /// Nobody could see for a while, or the clock was set forward.
    AfterAGap,
    /// The clock was set back: times that were written down are in the future.
    SetBack,
}

impl Watch {
    /// The first look of all.
    #[must_use]
    pub fn begun(now: DateTime<Utc>) -> Self {
        Self { since: now, seen_at: now }
    }

    /// A look, and what it found.
    #[must_use]
    pub fn looked(self, now: DateTime<Utc>) -> (Self, Seen) {
        if now < self.seen_at - UNSTEADY {
            (Self::begun(now), Seen::SetBack)
        } else if now > self.seen_at + BLIND_AFTER {
            (Self::begun(now), Seen::AfterAGap)
        } else {
            let seen_at = now.max(self.seen_at);
            (Self { seen_at, ..self }, Seen::Steadily)
        }
    }

    /// What was so since before this moment was so for longer than `limit`, as far as was seen. Nothing
    /// when nobody has looked for that long.
    #[must_use]
    pub fn cutoff(self, limit: TimeDelta) -> Option<DateTime<Utc>> {
        let cutoff = self.seen_at - limit;
        (self.since <= cutoff).then_some(cutoff)
    }
}
