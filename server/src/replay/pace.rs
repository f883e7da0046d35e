//! How many letters are on their way at once. A replay begins with one letter, so that what would
//! fail for all of them (a missing right) fails for one; it grows while all is well, and begins
//! again with one when a channel was lost.

use crate::broker::Published;

/// The window of a lane.
#[derive(Debug)]
pub(super) struct Pace {
    window: i64,
    most: i64,
}

impl Pace {
    pub(super) fn new(most: u16) -> Self {
        Self { window: 1, most: i64::from(most).max(1) }
    }

    pub(super) fn window(&self) -> i64 {
        self.window
    }

    /// Whether as many go at once as may.
    pub(super) fn is_full(&self) -> bool {
        self.window == self.most
    }

    /// Learns from the answers to a window.
    pub(super) fn learn(&mut self, answers: &[Published], still_open: bool) {
        let lost = |answer: &Published| matches!(answer, Published::Lost(_) | Published::NotSent);
        self.window = if still_open && !answers.iter().any(lost) {
            (self.window * 8).min(self.most)
        } else {
            1
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_while_all_is_well_and_never_above_the_most() {
        let mut pace = Pace::new(100);
        let mut windows = Vec::new();
        for _ in 0..6 {
            windows.push(pace.window());
            pace.learn(&[Published::Confirmed], true);
        }
        assert_eq!(windows, [1, 8, 64, 100, 100, 100]);
    }

    #[test]
    fn a_lost_channel_brings_it_back_to_one() {
        for (answers, still_open) in [
            (vec![Published::Confirmed], false),
            (vec![Published::Confirmed, Published::Lost("cut".into())], true),
            (vec![Published::NotSent], true),
        ] {
            let mut pace = Pace::new(100);
            pace.learn(&[Published::Confirmed], true);
            pace.learn(&answers, still_open);
            assert_eq!(pace.window(), 1, "{answers:?}");
        }
    }

    #[test]
    fn a_letter_that_nobody_takes_does_not_slow_the_others() {
        let mut pace = Pace::new(10);
        pace.learn(&[Published::Returned("no route".into())], true);
        assert_eq!(pace.window(), 8);
    }
}
