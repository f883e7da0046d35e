//! What a test of a reliability goal counted, as a row of the table that `make test-full` prints.
//!
//! A row is reported before the test asserts anything, so that a goal that is missed has its figures too.

use std::fs::File;
use std::io::Write as _;
use std::time::Duration;

use crate::support::variable;

/// One row: a goal of R1–R12, and what was seen.
pub struct GoalRow {
    /// The goal's name, `R1` to `R12`.
    pub goal: &'static str,
    /// What was done, in a few words.
    pub case: String,
    /// How much was tried: messages, kills, cuts.
    pub tried: String,
    /// The version of the broker that it was done on; empty where no broker matters.
    pub broker: String,
    /// Messages that are missing; `None` where nobody counted.
    pub lost: Option<usize>,
    /// Messages that are there more than once, where that is not foreseen; `None` where nobody counted.
    pub doubled: Option<usize>,
    /// How long it took to recover, or the whole, if that was measured.
    pub recovered: Option<Duration>,
    /// Whether the goal holds.
    pub is_met: bool,
}

impl GoalRow {
    /// Prints the row, and adds it to the file that `scripts/test-full` makes its table of.
    pub fn report(&self) {
        let recovered = self
            .recovered
            .map_or_else(|| "-".to_owned(), |time| format!("{:.1} s", time.as_secs_f64()));
        let counted =
            |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |n| n.to_string());
        let broker = if self.broker.is_empty() { "-" } else { &*self.broker };
        let row = format!(
            "{}\t{}\t{}\t{broker}\t{}\t{}\t{recovered}\t{}",
            self.goal,
            self.case,
            self.tried,
            counted(self.lost),
            counted(self.doubled),
            if self.is_met { "met" } else { "MISSED" },
        );
        println!("{row}");
        let Some(rows) = variable("DLO_TEST_GOAL_ROWS") else {
            return;
        };
        let mut rows =
            File::options().append(true).create(true).open(rows).expect("the file of rows");
        writeln!(rows, "{row}").expect("written");
    }
}
