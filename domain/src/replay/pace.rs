//! How fast a replay goes, and how long it still takes.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// What is looked back on.
pub const LOOK_BACK: TimeDelta = TimeDelta::seconds(10);

/// How fast a replay goes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Pace {
    /// Letters a second that got their outcome, over the last 10 seconds.
    pub per_second: f64,
    /// How many seconds the rest takes when it goes on like this. Null while a ladder is climbed,
    /// which waits after each step.
    pub seconds_left: Option<i64>,
}

/// Letters whose outcomes were written down at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// When.
    pub at: DateTime<Utc>,
    /// How many.
    pub letters: i64,
}

impl Pace {
    /// The pace by what was written down lately, in any order; nothing when nothing was. Where it reaches
    /// back for less than 10 seconds, it is reckoned over what there is.
    #[must_use]
    pub fn of(written: &[Written], pending: i64, climbs: bool, now: DateTime<Utc>) -> Option<Self> {
        let since = now - LOOK_BACK;
        let lately = written.iter().filter(|one| one.at > since);
        let letters: i64 = lately.map(|one| one.letters).sum();
        let first = written.iter().map(|one| one.at).min()?;
        let over = (now - first.max(since)).max(TimeDelta::seconds(1));
        if letters <= 0 {
            return None;
        }
        let per_second = ratio(letters, 1) / (ratio(over.num_milliseconds(), 1_000));
        let left = (ratio(pending, 1) / per_second).ceil();
        Some(Self { per_second, seconds_left: (!climbs).then(|| whole(left)) })
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a pace is told to people: neither letters nor milliseconds reach 2^52"
)]
fn ratio(of: i64, to: i64) -> f64 {
    of as f64 / to as f64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a float that is too large becomes the largest number"
)]
fn whole(number: f64) -> i64 {
    number as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(written: &[(i64, i64)], pending: i64, climbs: bool) -> Option<Pace> {
        let now = DateTime::from_timestamp(1_000, 0).expect("a time");
        let written: Vec<Written> = written
            .iter()
            .map(|(ago, letters)| Written { at: now - TimeDelta::seconds(*ago), letters: *letters })
            .collect();
        Pace::of(&written, pending, climbs, now)
    }

    #[test]
    fn a_pace_is_that_of_the_last_ten_seconds() {
        let told = pace(&[(1, 300), (5, 700), (30, 9_000)], 250, false).expect("a pace");
        assert!((told.per_second - 100.0).abs() < 1e-9);
        assert_eq!(told.seconds_left, Some(3));
        // It began four seconds ago.
        let young = pace(&[(2, 10), (4, 30)], 100, false).expect("a pace");
        assert!((young.per_second - 10.0).abs() < 1e-9);
        assert_eq!(young.seconds_left, Some(10));
    }

    #[test]
    fn what_stands_still_has_no_pace() {
        assert_eq!(pace(&[], 5, false), None);
        assert_eq!(pace(&[(11, 500)], 5, false), None);
        assert_eq!(pace(&[(1, 0)], 5, false), None);
    }

    #[test]
    fn a_first_moment_and_clocks_that_differ_are_no_faster_than_a_second() {
        for ago in [0, -3] {
            let told = pace(&[(ago, 50)], 0, false).expect("a pace");
            assert!((told.per_second - 50.0).abs() < 1e-9);
            assert_eq!(told.seconds_left, Some(0));
        }
    }

    #[test]
    fn nobody_knows_how_long_a_ladder_takes() {
        assert_eq!(pace(&[(1, 5)], 5, true).expect("a pace").seconds_left, None);
    }
}
