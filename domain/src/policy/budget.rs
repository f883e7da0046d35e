//! At most so many retries a minute, evenly: what was missed in an hour of downtime is not made up
//! for at once.

use chrono::{DateTime, Utc};

use super::course::JUMP;

/// The largest budget.
pub const MOST_A_MINUTE: u32 = 1_000_000;

/// One retry, in millionths.
const ONE: i64 = 1_000_000;

/// What is left of a budget. It fills as time goes by, up to 5 seconds' worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucket {
    /// In millionths of a retry.
    pub millionths: i64,
    /// When it was looked into last.
    pub at: DateTime<Utc>,
}

impl Bucket {
    /// What is in it now.
    ///
    /// A clock that was set forward by an hour, or a policy that had nothing to do for one, does
    /// not fill it: after more than a minute there is at least one retry in it, and from then on
    /// it fills as ever. Set back, it begins anew at the new time.
    #[must_use]
    pub fn refilled(self, per_minute: u32, now: DateTime<Utc>) -> Self {
        let most = (i64::from(per_minute) * ONE / 12).max(ONE);
        let elapsed = now - self.at;
        if elapsed > JUMP {
            return Self { millionths: self.millionths.clamp(ONE, most), at: now };
        }
        if elapsed < -JUMP {
            return Self { millionths: self.millionths.clamp(0, most), at: now };
        }
        let gained = elapsed.num_milliseconds().max(0) * i64::from(per_minute) * (ONE / 1_000) / 60;
        Self { millionths: (self.millionths + gained).clamp(0, most), at: now.max(self.at) }
    }

    /// How many retries it allows.
    #[must_use]
    pub fn allows(self) -> u32 {
        u32::try_from(self.millionths / ONE).unwrap_or(0)
    }

    /// With so many retries taken out of it.
    #[must_use]
    pub fn without(self, retries: u32) -> Self {
        Self { millionths: self.millionths - i64::from(retries) * ONE, ..self }
    }
}
