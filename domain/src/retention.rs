//! The time that retention goes by. It goes on as time passes and never jumps: a clock that is set a month
//! ahead removes no more than what falls due while it stands wrong.
//!
//! It lags behind the clock of Postgres when that one jumped, and when no office ran. Nobody can tell the two
//! apart at once; a wrong clock is usually mended within a day. So the lag is made up only after the clock has
//! gone on without a jump for a day, and then at double speed.

use chrono::{DateTime, TimeDelta, Utc};

/// For so long the clock has to go on without a jump before a lag is made up.
pub const BELIEVED_AFTER: TimeDelta = TimeDelta::hours(24);

/// A time that no office watched, between the last pass of one and the first of another, counts up to here.
pub const UNWATCHED: TimeDelta = TimeDelta::minutes(10);

/// The clock of Postgres and an office's own measure of time may differ by so much between two passes.
const DRIFT: TimeDelta = TimeDelta::minutes(1);

/// How far retention has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPace {
    /// The time that retention goes by.
    pub horizon: DateTime<Utc>,
    /// What the clock of Postgres said at the last pass of any office.
    pub passed_at: DateTime<Utc>,
    /// For how long that clock was seen to go on without a jump.
    pub steady: TimeDelta,
}

/// What an office knows of the time since its own last pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchedTime {
    /// How much time passed, by a measure that nobody can set.
    pub elapsed: TimeDelta,
    /// How much of it the clock of Postgres tells of.
    pub by_clock: TimeDelta,
}

impl RetentionPace {
    /// The pace after a pass at this time of Postgres's clock, by an office that watched the time since its own
    /// last pass; `None` for its first.
    #[must_use]
    pub fn after_pass(self, now: DateTime<Utc>, watched: Option<WatchedTime>) -> Self {
        let since_last = now - self.passed_at;
        let most = watched.map_or(UNWATCHED, |watched| watched.elapsed);
        let elapsed = since_last.clamp(TimeDelta::zero(), most.max(TimeDelta::zero()));
        let steady = match watched {
            Some(watched) if (watched.by_clock - watched.elapsed).abs() <= DRIFT => {
                self.steady + elapsed
            }
            // It tells nothing for the clock, and nothing against it.
            None if elapsed == since_last => self.steady,
            Some(_) | None => TimeDelta::zero(),
        };
        let speed = if steady >= BELIEVED_AFTER { 2 } else { 1 };
        Self {
            horizon: (self.horizon + elapsed * speed).min(now),
            passed_at: now,
            steady: steady.min(BELIEVED_AFTER),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: TimeDelta = TimeDelta::minutes(10);

    fn noon() -> DateTime<Utc> {
        "2026-11-21T12:00:00Z".parse().expect("a time")
    }

    fn fresh() -> RetentionPace {
        RetentionPace { horizon: noon(), passed_at: noon(), steady: TimeDelta::zero() }
    }

    /// Passes of one office that watches all the time, while the clock goes right.
    fn passes(mut pace: RetentionPace, count: i32) -> RetentionPace {
        for _ in 0..count {
            let watched = WatchedTime { elapsed: EVERY, by_clock: EVERY };
            pace = pace.after_pass(pace.passed_at + EVERY, Some(watched));
        }
        pace
    }

    fn jump(pace: RetentionPace, by: TimeDelta) -> RetentionPace {
        let watched = WatchedTime { elapsed: EVERY, by_clock: EVERY + by };
        pace.after_pass(pace.passed_at + EVERY + by, Some(watched))
    }

    #[test]
    fn retention_goes_by_the_clock_while_it_goes_right() {
        let pace = passes(fresh(), 300);
        assert_eq!(pace.horizon, noon() + EVERY * 300);
        assert_eq!(pace.horizon, pace.passed_at);
    }

    #[test]
    fn a_clock_that_jumps_a_month_ahead_adds_no_more_than_the_time_that_passed() {
        let before = passes(fresh(), 300);
        let month = TimeDelta::days(30);
        let jumped = jump(before, month);
        assert_eq!(jumped.horizon, before.horizon + EVERY);
        let same_day = passes(jumped, 143);
        assert_eq!(same_day.horizon, before.horizon + EVERY * 144);
        // Set right again: the pass that saw it set back counts nothing, and nothing else is missing.
        let mended = jump(same_day, -month);
        assert_eq!(mended.horizon, before.horizon + EVERY * 144);
        assert_eq!(mended.passed_at, mended.horizon + EVERY);
    }

    #[test]
    fn a_lag_is_made_up_at_double_speed_after_a_day() {
        let month = TimeDelta::days(30);
        let jumped = jump(passes(fresh(), 300), month);
        let day = passes(jumped, 144);
        let next = passes(day, 6);
        assert_eq!(next.horizon - day.horizon, TimeDelta::hours(2));
        let late = passes(next, 30 * 144);
        assert_eq!(late.horizon, late.passed_at);
    }

    #[test]
    fn a_long_downtime_counts_as_the_clock_may_have_jumped() {
        let before = passes(fresh(), 300);
        let short = before.after_pass(before.passed_at + TimeDelta::minutes(9), None);
        assert_eq!(short.horizon, short.passed_at);
        assert_eq!(short.steady, before.steady);
        let long = before.after_pass(before.passed_at + TimeDelta::days(30), None);
        assert_eq!(long.horizon, before.horizon + UNWATCHED);
        assert_eq!(long.steady, TimeDelta::zero());
    }

    #[test]
    fn two_offices_count_the_same_time_once() {
        let mut pace = fresh();
        for _ in 0..100 {
            let watched = Some(WatchedTime { elapsed: EVERY, by_clock: EVERY });
            pace = pace.after_pass(pace.passed_at + EVERY / 2, watched);
        }
        assert_eq!(pace.horizon, noon() + EVERY * 50);
        let month = TimeDelta::days(30);
        let jumped = jump(jump(pace, month), TimeDelta::zero());
        assert!(jumped.horizon <= pace.horizon + EVERY * 2);
    }

    #[test]
    fn a_clock_that_is_set_back_takes_retention_back_with_it() {
        let pace = jump(passes(fresh(), 10), -TimeDelta::days(2));
        assert_eq!(pace.horizon, pace.passed_at);
        assert_eq!(pace.steady, TimeDelta::zero());
    }
}
