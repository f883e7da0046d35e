//! What a test of a reliability goal counted, as a row of the table that `make test-full` prints.
//!
//! A row is reported before the test asserts anything, so that a goal that is missed has its figures too.

use std::time::Duration;

/// One row: a goal of R1–R12, and what was seen.
pub struct GoalRow {
    /// The goal's name, `R1` to `R12`.
    pub goal: &'static str,
    /// What was done, in a few words.
    pub case: String,
    /// How much was tried: messages, kills, cuts.
    pub tried: String,
    /// Messages that are missing.
    pub lost: usize,
    /// Messages that are there more than once, where that is not foreseen.
    pub doubled: usize,
    /// How long it took to recover, or the whole, if that was measured.
    pub recovered: Option<Duration>,
    /// Whether the goal holds.
    pub is_met: bool,
}

impl GoalRow {
    /// Prints the row. `scripts/test-full` collects lines that begin with `GOAL` and a tab.
    pub fn report(&self) {
        let recovered = self.recovered.map_or_else(
            || "-".to_owned(),
            |time| format!("{:.1} s", time.as_secs_f64()),
        );
        println!(
            "\nGOAL\t{}\t{}\t{}\t{}\t{}\t{recovered}\t{}",
            self.goal,
            self.case,
            self.tried,
            self.lost,
            self.doubled,
            if self.is_met { "met" } else { "MISSED" },
        );
    }
}
