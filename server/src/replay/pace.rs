//! How many letters are taken up at once. A replay begins with one letter, so that what would
//! fail for all of them (a missing right) fails for one; it grows while all is well, and begins
//! again with one when a channel was lost.

use crate::broker::Published;

/// The most that are taken up at once: loaded, marked and written down together.
const MOST: i64 = 500;

/// How many letters of a lane are on their way at once, as configured, or (0) by how many are left when an office
/// takes the replay up. All of them may be unknown after a crash; more of them are faster.
pub(super) fn most_on_the_way(configured: u16, left: i64) -> usize {
    const LEAST: i64 = 50;
    const MOST: i64 = 500;
    /// What is on the way is at most this part of the whole, where the whole is large.
    const PART: i64 = 400;
    match configured {
        0 => usize::try_from((left / PART).clamp(LEAST, MOST)).unwrap_or(1),
        most => usize::from(most),
    }
}

/// The window of a lane.
#[derive(Debug)]
pub(super) struct Pace {
    window: i64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { window: 1 }
    }
}

impl Pace {
    pub(super) fn window(&self) -> i64 {
        self.window
    }

    /// Whether as many are taken up at once as may be.
    pub(super) fn is_full(&self) -> bool {
        self.window == MOST
    }

    /// Learns from the answers to a window.
    pub(super) fn learn(&mut self, answers: &[Published], still_open: bool) {
        // What the broker refuses closes the channel.
        let is_closing = |answer: &Published| {
            matches!(answer, Published::Lost(_) | Published::NotSent | Published::Refused(_))
        };
        self.window = if still_open && !answers.iter().any(is_closing) {
            (self.window * 8).min(MOST)
        } else {
            1
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_are_on_their_way_or_a_small_part_of_many() {
        assert_eq!(most_on_the_way(0, 1), 50);
        assert_eq!(most_on_the_way(0, 20_000), 50);
        assert_eq!(most_on_the_way(0, 100_000), 250);
        assert_eq!(most_on_the_way(0, 10_000_000), 500);
        assert_eq!(most_on_the_way(8, 100_000), 8);
    }

    #[test]
    fn it_grows_while_all_is_well_and_never_above_the_most() {
        let mut pace = Pace::default();
        let mut windows = Vec::new();
        for _ in 0..6 {
            windows.push(pace.window());
            pace.learn(&[Published::Confirmed], true);
        }
        assert_eq!(windows, [1, 8, 64, MOST, MOST, MOST]);
    }

    #[test]
    fn a_lost_channel_brings_it_back_to_one() {
        for (answers, still_open) in [
            (vec![Published::Confirmed], false),
            (vec![Published::Confirmed, Published::Lost("cut".into())], true),
            (vec![Published::NotSent], true),
            (vec![Published::Refused("no right".into())], true),
        ] {
            let mut pace = Pace::default();
            pace.learn(&[Published::Confirmed], true);
            pace.learn(&answers, still_open);
            assert_eq!(pace.window(), 1, "{answers:?}");
        }
    }

    #[test]
    fn a_letter_that_nobody_takes_does_not_slow_the_others() {
        let mut pace = Pace::default();
        pace.learn(&[Published::Returned("no route".into())], true);
        assert_eq!(pace.window(), 8);
    }
}
