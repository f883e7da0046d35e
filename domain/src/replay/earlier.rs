//! What a ladder that was begun anew does not count: what was sent before it, and what comes of that.

use chrono::{DateTime, Utc};

use super::canary::Climb;
use super::outcome::{Outcome, OutcomeCounts};

/// Letters in the counters of a replay that are not of the ladder under way: those of the ladders
/// before it. Signed, since it also says by how much such letters change the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Earlier {
    /// Letters of them that were tried.
    pub tried: i64,
    /// Letters of them that went wrong, whenever that became known.
    pub wrong: i64,
    /// Letters of them that went well, whenever that became known.
    pub well: i64,
}

impl Earlier {
    /// A ladder begins: all that the counters hold now is of those before it.
    #[must_use]
    pub fn all(outcomes: OutcomeCounts) -> Self {
        Self { tried: outcomes.tried(), wrong: outcomes.wrong(), well: outcomes.well() }
    }

    /// So many letters of ladders before got another outcome: they are left out with it, too.
    #[must_use]
    pub fn moved(self, (from, to): (Outcome, Outcome), letters: i64) -> Self {
        let one = |outcome| {
            let mut counts = OutcomeCounts::default();
            counts.add(outcome, letters);
            Self::all(counts)
        };
        let (before, after) = (one(from), one(to));
        Self {
            tried: self.tried + after.tried - before.tried,
            wrong: self.wrong + after.wrong - before.wrong,
            well: self.well + after.well - before.well,
        }
    }

    /// How far the ladder under way is, by counters that hold these letters too.
    #[must_use]
    pub fn climb(
        self,
        outcomes: OutcomeCounts,
        step: u32,
        watched_since: Option<DateTime<Utc>>,
    ) -> Climb {
        // Below nothing, a ladder would let more letters out than its step says.
        Climb {
            step,
            tried: (outcomes.tried() - self.tried).max(0),
            wrong: (outcomes.wrong() - self.wrong).max(0),
            well: (outcomes.well() - self.well).max(0),
            watched_since,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A replay of 20 letters that stopped when 3 of 10 were back.
    fn stopped() -> OutcomeCounts {
        OutcomeCounts { pending: 10, confirmed: 7, died_again: 3, ..OutcomeCounts::default() }
    }

    fn move_one(counts: &mut OutcomeCounts, from: Outcome, to: Outcome) {
        counts.add(from, -1);
        counts.add(to, 1);
    }

    fn said(climb: Climb) -> (i64, i64, i64) {
        (climb.tried, climb.wrong, climb.well)
    }

    #[test]
    fn a_ladder_that_begins_has_tried_nothing() {
        let counts = stopped();
        let climb = Earlier::all(counts).climb(counts, 0, None);
        assert_eq!(climb, Climb::default());
    }

    #[test]
    fn what_was_sent_before_counts_neither_for_it_nor_against_it() {
        let mut counts = stopped();
        let mut earlier = Earlier::all(counts);
        for to in [Outcome::DiedAgain, Outcome::Processed, Outcome::Settled] {
            move_one(&mut counts, Outcome::Confirmed, to);
            earlier = earlier.moved((Outcome::Confirmed, to), 1);
            assert_eq!(said(earlier.climb(counts, 0, None)), (0, 0, 0), "{to}");
        }
        // What was settled and dies again after all.
        move_one(&mut counts, Outcome::Settled, Outcome::DiedAgain);
        earlier = earlier.moved((Outcome::Settled, Outcome::DiedAgain), 1);
        assert_eq!(said(earlier.climb(counts, 0, None)), (0, 0, 0));
    }

    #[test]
    fn what_was_on_its_way_when_it_began_is_not_its_own() {
        let mut counts = stopped();
        let mut earlier = Earlier::all(counts);
        for to in [Outcome::Confirmed, Outcome::Refused, Outcome::DiedAgain] {
            move_one(&mut counts, Outcome::Pending, to);
            earlier = earlier.moved((Outcome::Pending, to), 1);
            assert_eq!(said(earlier.climb(counts, 0, None)), (0, 0, 0), "{to}");
        }
    }

    #[test]
    fn its_own_letters_count() {
        let mut counts = stopped();
        let earlier = Earlier::all(counts);
        move_one(&mut counts, Outcome::Pending, Outcome::Confirmed);
        assert_eq!(said(earlier.climb(counts, 0, None)), (1, 0, 0));
        move_one(&mut counts, Outcome::Confirmed, Outcome::Processed);
        assert_eq!(said(earlier.climb(counts, 0, None)), (1, 0, 1));
        move_one(&mut counts, Outcome::Pending, Outcome::Refused);
        assert_eq!(said(earlier.climb(counts, 0, None)), (2, 1, 1));
    }

    #[test]
    fn several_letters_move_at_once_and_a_move_back_undoes_it() {
        let there = Earlier::default().moved((Outcome::Pending, Outcome::Unroutable), 5);
        assert_eq!((there.tried, there.wrong, there.well), (5, 5, 0));
        let back = there.moved((Outcome::Unroutable, Outcome::Pending), 5);
        assert_eq!(back, Earlier::default());
    }

    #[test]
    fn counters_that_cannot_be_let_out_no_more_than_the_step_says() {
        let earlier = Earlier { tried: 9, wrong: 9, well: 9 };
        let climb = earlier.climb(OutcomeCounts::default(), 1, None);
        assert_eq!(said(climb), (0, 0, 0));
    }
}
