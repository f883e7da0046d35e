//! Times and lengths of time, as people write them: `15m`, `7d`, `2026-11-21`, or RFC 3339.

use std::ops::Range;

use chrono::{DateTime, NaiveDate, NaiveTime, SecondsFormat, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// A century: enough, and far from any edge of the arithmetic.
const LONGEST_SECONDS: i64 = 3_155_760_000;

const UNITS: [(char, i64); 5] = [('w', 604_800), ('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// A time, a day, or a time ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Moment {
    /// So many seconds before now.
    Ago(i64),
    /// This time.
    At(DateTime<Utc>),
    /// This day, in UTC.
    On(NaiveDate),
}

impl Moment {
    /// The time that is meant; of a day, its beginning.
    #[must_use]
    pub fn at(self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Ago(seconds) => now - TimeDelta::seconds(seconds),
            Self::At(time) => time,
            Self::On(day) => day.and_time(NaiveTime::MIN).and_utc(),
        }
    }

    /// What it spans: a day, or the microsecond that Postgres can tell from the next.
    #[must_use]
    pub fn span(self, now: DateTime<Utc>) -> Range<DateTime<Utc>> {
        let begin = self.at(now);
        let length = match self {
            Self::On(_) => TimeDelta::days(1),
            Self::Ago(_) | Self::At(_) => TimeDelta::microseconds(1),
        };
        begin..begin + length
    }

    /// Reads a time or a day, or a time ago.
    pub(super) fn read(text: &str) -> Option<Self> {
        read_time(text).or_else(|| read_length(text).map(Self::Ago))
    }
}

/// The form that is read back.
impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ago(seconds) => f.write_str(&length(*seconds)),
            Self::At(time) => f.write_str(&time.to_rfc3339_opts(SecondsFormat::AutoSi, true)),
            Self::On(day) => write!(f, "{day}"),
        }
    }
}

/// A time or a day, within the years that Postgres and people use.
pub(super) fn read_time(text: &str) -> Option<Moment> {
    let in_range = |moment: Moment| {
        let year = chrono::Datelike::year(&moment.at(DateTime::UNIX_EPOCH));
        (1900..3000).contains(&year).then_some(moment)
    };
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        // What Postgres keeps: microseconds.
        let micros = time.timestamp_micros();
        return in_range(Moment::At(DateTime::from_timestamp_micros(micros)?));
    }
    let is_day = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let day: NaiveDate = text.parse().ok().filter(|_| is_day)?;
    in_range(Moment::On(day))
}

/// Seconds in `90s`, `15m`, `1h`, `7d` or `2w`.
pub(super) fn read_length(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    let number = &text[..text.len() - 1];
    let plain = number.bytes().all(|byte| byte.is_ascii_digit());
    let number: u32 = number.parse().ok().filter(|_| plain)?;
    let seconds = i64::from(number) * factor;
    (seconds <= LONGEST_SECONDS).then_some(seconds)
}

/// Seconds in the largest unit that needs no fraction: `1h`, `90s`.
#[must_use]
pub fn length(seconds: i64) -> String {
    UNITS
        .into_iter()
        // Weeks are read, but people say `14d`.
        .filter(|(unit, _)| *unit != 'w')
        .find(|(_, factor)| seconds > 0 && seconds % factor == 0)
        .map_or_else(
            || format!("{seconds}s"),
            |(unit, factor)| format!("{}{unit}", seconds / factor),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_and_written() {
        for (text, seconds, written) in [
            ("90s", 90, "90s"),
            ("60m", 3_600, "1h"),
            ("24h", 86_400, "1d"),
            ("2w", 1_209_600, "14d"),
            ("0s", 0, "0s"),
        ] {
            assert_eq!(read_length(text), Some(seconds), "{text}");
            assert_eq!(length(seconds), written);
        }
        for text in ["", "h", "1", "-1h", "+1h", "1.5h", "4000000w", "1y", "ä"] {
            assert_eq!(read_length(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_spans_a_day() {
        let day = read_time("2026-11-21").expect("a day");
        let span = day.span(DateTime::UNIX_EPOCH);
        assert_eq!(span.end - span.start, TimeDelta::days(1));
        assert_eq!(day.to_string(), "2026-11-21");
        for text in [
            "2026-13-01",
            "soon",
            "0001-01-01",
            "20261121",
            "+2026-1-01",
            "-9999-01-01T00:00:00Z",
            "+200000-01-01T00:00:00Z",
        ] {
            assert_eq!(read_time(text), None, "{text}");
            let filter = format!("since:{text}");
            assert!(crate::filter::LetterFilter::parse(&filter).is_err());
        }
    }
}
