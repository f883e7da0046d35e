//! What a benchmark ends with: its goals, met or missed.

/// Whether more is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The figure is to be at least the goal.
    AtLeast,
    /// The figure is to be at most the goal.
    AtMost,
}

/// Goals and what was measured of them.
#[derive(Default)]
pub struct Table {
    rows: Vec<String>,
    missed: usize,
}

impl Table {
    /// Adds a row.
    pub fn add(&mut self, goal: &str, what: &str, figure: f64, bound: Bound, wanted: f64) {
        let (sign, is_met) = match bound {
            Bound::AtLeast => ('≥', figure >= wanted),
            Bound::AtMost => ('≤', figure <= wanted),
        };
        self.missed += usize::from(!is_met);
        let verdict = if is_met { "met" } else { "MISSED" };
        self.rows.push(format!(
            "  {goal:<4} {what:<58} {figure:>9.2} {sign} {wanted:<8} {verdict}"
        ));
    }

    /// Prints it.
    pub fn print(&self) {
        println!("\nGoals");
        for row in &self.rows {
            println!("{row}");
        }
        println!(
            "  {} of {} met",
            self.rows.len() - self.missed,
            self.rows.len()
        );
    }
}
