//! The hours of the week in which a policy retries.

use std::fmt;

use chrono::{DateTime, Datelike, Days, TimeDelta, Utc, Weekday};
use serde::{Deserialize, Serialize};

const MINUTES_A_DAY: u16 = 24 * 60;

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they are the days of the week")]
pub enum Day {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

impl Day {
    /// The week, from Monday.
    pub const ALL: [Self; 7] =
        [Self::Mon, Self::Tue, Self::Wed, Self::Thu, Self::Fri, Self::Sat, Self::Sun];

    /// The word in JSON and forms.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mon => "mon",
            Self::Tue => "tue",
            Self::Wed => "wed",
            Self::Thu => "thu",
            Self::Fri => "fri",
            Self::Sat => "sat",
            Self::Sun => "sun",
        }
    }
}

impl From<Weekday> for Day {
    fn from(day: Weekday) -> Self {
        match day {
            Weekday::Mon => Self::Mon,
            Weekday::Tue => Self::Tue,
            Weekday::Wed => Self::Wed,
            Weekday::Thu => Self::Thu,
            Weekday::Fri => Self::Fri,
            Weekday::Sat => Self::Sat,
            Weekday::Sun => Self::Sun,
        }
    }
}

/// A time of the day in UTC, to the minute: `09:30`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(value_type = String, example = "09:30"))]
#[serde(try_from = "String", into = "String")]
pub struct TimeOfDay(u16);

/// The text names no time of the day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time of the day: write it from 00:00 to 23:59, in UTC")]
pub struct UnknownTime(pub String);

impl std::str::FromStr for TimeOfDay {
    type Err = UnknownTime;

    fn from_str(text: &str) -> Result<Self, UnknownTime> {
        let read = || {
            let (hours, minutes) = text.split_once(':')?;
            let number = |digits: &str, below: u16| -> Option<u16> {
                let is_plain = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit());
                let number = digits.parse().ok().filter(|_| is_plain)?;
                (number < below).then_some(number)
            };
            Some(Self(number(hours, 24)? * 60 + number(minutes, 60)?))
        };
        read().ok_or_else(|| UnknownTime(text.to_owned()))
    }
}

impl TryFrom<String> for TimeOfDay {
    type Error = UnknownTime;

    fn try_from(text: String) -> Result<Self, UnknownTime> {
        text.parse()
    }
}

impl From<TimeOfDay> for String {
    fn from(time: TimeOfDay) -> Self {
        time.to_string()
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

/// Hours in which a policy retries, in UTC. What is due outside of them waits for the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RetryWindow {
    /// The days on which it opens; none means every day.
    #[serde(default)]
    pub days: Vec<Day>,
    /// When it opens.
    pub from: TimeOfDay,
    /// When it closes; at or before `from`, that is on the day after.
    pub until: TimeOfDay,
}

impl RetryWindow {
    /// Whether it is open.
    #[must_use]
    pub fn is_open(&self, at: DateTime<Utc>) -> bool {
        // It may have opened the day before.
        [0, 1].into_iter().any(|days| {
            let opened = at.checked_sub_days(Days::new(days));
            let opened = opened.and_then(|day| self.opening(day));
            opened.is_some_and(|opened| opened <= at && at < opened + self.length())
        })
    }

    /// When it is open next: at once when it is open.
    #[must_use]
    pub fn next_open(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        if self.is_open(at) {
            return at;
        }
        let mut days = (0..=7).filter_map(|days| at.checked_add_days(Days::new(days)));
        let next = days.find_map(|day| self.opening(day).filter(|opening| *opening > at));
        next.unwrap_or(at)
    }

    /// When it opens on the day of `at`, if it does.
    fn opening(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let day = Day::from(at.weekday());
        let midnight = at.date_naive().and_hms_opt(0, 0, 0)?.and_utc();
        (self.days.is_empty() || self.days.contains(&day))
            .then(|| midnight + TimeDelta::minutes(self.from.0.into()))
    }

    fn length(&self) -> TimeDelta {
        let minutes = match (self.until.0 + MINUTES_A_DAY - self.from.0) % MINUTES_A_DAY {
            0 => MINUTES_A_DAY,
            minutes => minutes,
        };
        TimeDelta::minutes(minutes.into())
    }

    /// Its days once each, in the order of the week.
    pub(super) fn in_order(&self) -> Self {
        let mut window = self.clone();
        window.days.sort_unstable();
        window.days.dedup();
        window
    }
}
