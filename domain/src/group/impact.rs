//! How much a group matters: the order in which groups are shown.
//!
//! What waits, weighted by how bad it is, and more or less of that by how fast it grows, how long
//! nothing came, and how far it has spread. A number to order by, and no more: it has no unit.

use chrono::{DateTime, Utc};

/// One in thousandths, in which the factors are counted.
const ONE: i64 = 1_000;

/// More places than this do not make a group matter more.
const MOST_PLACES: i64 = 8;

/// What the impact of a group is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Impact {
    /// Critical letters that wait.
    pub critical: i64,
    /// High ones.
    pub high: i64,
    /// Normal ones.
    pub normal: i64,
    /// Low ones.
    pub low: i64,
    /// Arrivals in this hour of the clock and the one before.
    pub recent: i64,
    /// When one last arrived.
    pub last_arrived_at: Option<DateTime<Utc>>,
    /// Queues that its letters died in, or workers that had them, whichever are more; of the letters
    /// that were looked at.
    pub places: i64,
}

impl Impact {
    /// The number to order by: 0 when nothing waits, larger for what matters more.
    #[must_use]
    pub fn score(&self, now: DateTime<Utc>) -> i64 {
        // One critical letter outweighs a hundred low ones: who would be woken by it looks there
        // first.
        let weight = [(self.critical, 1_000), (self.high, 100), (self.normal, 10), (self.low, 1)]
            .into_iter()
            .fold(0_i64, |sum, (letters, each)| {
                sum.saturating_add(letters.max(0).saturating_mul(each))
            });
        [self.growth(), self.freshness(now), self.spread()]
            .into_iter()
            .fold(weight, |score, factor| {
                // Dividing first would make small groups equal.
                let exact = i128::from(score) * i128::from(factor) / i128::from(ONE);
                i64::try_from(exact).unwrap_or(i64::MAX)
            })
            .max(i64::from(weight > 0))
    }

    /// A fifth more each time that the arrivals double: ten times as many should tell, and not be
    /// ten times the noise.
    fn growth(&self) -> i64 {
        let doublings = i64::from(64 - self.recent.max(0).leading_zeros());
        ONE + doublings * ONE / 5
    }

    /// Half after a day of silence, an eighth after a week.
    fn freshness(&self, now: DateTime<Utc>) -> i64 {
        let silent = self.last_arrived_at.map_or(0, |at| (now - at).num_hours().max(0));
        ONE * 24 / (24 + silent)
    }

    /// A quarter more for each queue or worker beyond the first: what fails everywhere is no consumer's
    /// own fault.
    fn spread(&self) -> i64 {
        ONE + (self.places - 1).clamp(0, MOST_PLACES) * ONE / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{TimeDelta, TimeZone as _};

    fn now() -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).single().expect("a time")
    }

    fn normal(letters: i64) -> Impact {
        Impact {
            critical: 0,
            high: 0,
            normal: letters,
            low: 0,
            recent: 0,
            last_arrived_at: Some(now()),
            places: 1,
        }
    }

    #[test]
    fn one_critical_letter_outweighs_many_low_ones() {
        let critical = Impact { critical: 1, ..normal(0) };
        let low = Impact { low: 999, ..normal(0) };
        assert!(critical.score(now()) > low.score(now()));
    }

    #[test]
    fn what_grows_is_new_or_spreads_matters_more() {
        let plain = normal(100);
        let grows = Impact { recent: 50, ..plain };
        let spreads = Impact { places: 3, ..plain };
        let silent = Impact { last_arrived_at: Some(now() - TimeDelta::days(7)), ..plain };
        assert_eq!(plain.score(now()), 1_000);
        assert_eq!(grows.score(now()), 2_200, "six doublings");
        assert_eq!(spreads.score(now()), 1_500);
        assert_eq!(silent.score(now()), 125);
    }

    #[test]
    fn nothing_that_waits_is_nothing_and_one_letter_is_never_nothing() {
        assert_eq!(Impact { recent: 9_999, ..normal(0) }.score(now()), 0);
        let old =
            Impact { low: 1, last_arrived_at: Some(now() - TimeDelta::days(400)), ..normal(0) };
        assert_eq!(old.score(now()), 1);
        let most = Impact { critical: i64::MAX, recent: i64::MAX, places: i64::MAX, ..normal(0) };
        assert_eq!(most.score(now()), i64::MAX);
    }
}
