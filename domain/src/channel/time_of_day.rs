//! A time of day.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// A time of day, UTC: `07:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeOfDay(NaiveTime);

impl TimeOfDay {
    /// Seven in the morning.
    #[must_use]
    pub fn morning() -> Self {
        Self(NaiveTime::MIN + TimeDelta::hours(7))
    }

    /// The next time that it is so late, after `now`.
    #[must_use]
    pub fn next_after(self, now: DateTime<Utc>) -> DateTime<Utc> {
        let today = now.date_naive().and_time(self.0).and_utc();
        if today > now { today } else { today + TimeDelta::days(1) }
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%H:%M"))
    }
}

impl From<TimeOfDay> for String {
    fn from(time: TimeOfDay) -> Self {
        time.to_string()
    }
}

/// The text is not a time of day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time of day: write it as 07:00")]
pub struct NoTimeOfDay(String);

impl FromStr for TimeOfDay {
    type Err = NoTimeOfDay;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let time = NaiveTime::parse_from_str(text.trim(), "%H:%M");
        time.map(Self).map_err(|_| NoTimeOfDay(text.to_owned()))
    }
}

impl TryFrom<String> for TimeOfDay {
    type Error = NoTimeOfDay;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_a_clock_shows_it() {
        let seven: TimeOfDay = " 07:00".parse().expect("a time");
        assert_eq!((seven, seven.to_string().as_str()), (TimeOfDay::morning(), "07:00"));
        assert_eq!(serde_json::to_string(&seven).expect("json"), "\"07:00\"");
        for odd in ["", "7", "24:00", "07:60", "07:00:00", "seven"] {
            let fault = odd.parse::<TimeOfDay>().expect_err("refused").to_string();
            assert!(fault.contains("07:00"), "{odd}: {fault}");
        }
    }

    #[test]
    fn the_next_one_is_never_now() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().expect("a time");
        let next = |now: &str| TimeOfDay::morning().next_after(at(now));
        assert_eq!(next("2026-11-21T06:59:59Z"), at("2026-11-21T07:00:00Z"));
        assert_eq!(next("2026-11-21T07:00:00Z"), at("2026-11-22T07:00:00Z"));
        assert_eq!(next("2026-12-31T23:00:00Z"), at("2027-01-01T07:00:00Z"));
    }
}
