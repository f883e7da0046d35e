//! So many letters a second: an allowance that fills up with time, and holds a tenth of a second's
//! letters at most, so that a pause is not followed by a burst.

use std::time::Duration;

use tokio::time::Instant;

/// The allowance of one replay.
#[derive(Debug)]
pub(super) struct Allowance {
    per_second: f64,
    most: f64,
    left: f64,
    filled_at: Instant,
}

impl Allowance {
    pub(super) fn new(per_second: u32, now: Instant) -> Self {
        let per_second = f64::from(per_second.max(1));
        Self { per_second, most: (per_second / 10.0).max(1.0), left: 1.0, filled_at: now }
    }

    /// Takes as many as there are, at most this many; or tells when there is one.
    pub(super) fn take(&mut self, wanted: i64, now: Instant) -> Result<i64, Instant> {
        let since = now.saturating_duration_since(self.filled_at);
        self.left = since.as_secs_f64().mul_add(self.per_second, self.left).min(self.most);
        self.filled_at = now;
        if self.left < 1.0 {
            let missing = Duration::from_secs_f64((1.0 - self.left) / self.per_second);
            return Err(now + missing.max(Duration::from_millis(1)));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is between 1 and a tenth of the highest rate"
        )]
        let taken = (self.left as i64).min(wanted.max(1));
        #[expect(clippy::cast_precision_loss, reason = "so small a number is exact")]
        let spent = taken as f64;
        self.left -= spent;
        Ok(taken)
    }

    /// Gives back what was not used.
    pub(super) fn give_back(&mut self, letters: i64) {
        #[expect(clippy::cast_precision_loss, reason = "so small a number is exact")]
        let letters = letters.max(0) as f64;
        self.left = (self.left + letters).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes for so long and tells how many were allowed.
    fn taken(per_second: u32, wanted: i64, run: Duration) -> i64 {
        let begin = Instant::now();
        let mut allowance = Allowance::new(per_second, begin);
        let (mut now, mut taken) = (begin, 0);
        while now < begin + run {
            match allowance.take(wanted, now) {
                Ok(letters) => taken += letters,
                Err(then) => now = then,
            }
        }
        taken
    }

    #[test]
    fn it_allows_what_it_says_and_not_more() {
        for (per_second, wanted, seconds) in [(1, 100, 10), (7, 3, 60), (1_000, 100, 5)] {
            let allowed = taken(per_second, wanted, Duration::from_secs(seconds));
            let most = i64::from(per_second) * i64::try_from(seconds).expect("small");
            let burst = i64::from(per_second) / 10 + 1;
            assert!(
                (most - burst..=most + burst).contains(&allowed),
                "{per_second}/s for {seconds} s: {allowed}"
            );
        }
    }

    #[test]
    fn a_long_pause_is_not_followed_by_a_burst() {
        let begin = Instant::now();
        let mut allowance = Allowance::new(50, begin);
        assert_eq!(allowance.take(10, begin), Ok(1));
        let later = begin + Duration::from_hours(1);
        assert_eq!(allowance.take(1_000, later), Ok(5));
        assert!(allowance.take(1_000, later).is_err());
    }

    #[test]
    fn what_was_not_used_is_there_again() {
        let begin = Instant::now();
        let mut allowance = Allowance::new(100, begin);
        let later = begin + Duration::from_secs(1);
        assert_eq!(allowance.take(10, later), Ok(10));
        allowance.give_back(4);
        assert_eq!(allowance.take(10, later), Ok(4));
    }
}
