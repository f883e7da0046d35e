//! What a benchmark ends with: its goals, met or missed.

use std::ops::{Bound, RangeBounds};

/// Goals and what was measured of them.
#[derive(Default)]
pub struct Table {
    rows: Vec<String>,
    missed: usize,
}

impl Table {
    /// Adds a row. `wanted` is what the figure is to be: `0.55..`, or `..=5.0`.
    pub fn add(&mut self, goal: &str, what: &str, figure: f64, wanted: impl RangeBounds<f64>) {
        let bound = match (wanted.start_bound(), wanted.end_bound()) {
            (Bound::Included(least), _) => format!("≥ {least}"),
            (_, Bound::Included(most)) => format!("≤ {most}"),
            _ => String::new(),
        };
        let is_met = wanted.contains(&figure);
        self.missed += usize::from(!is_met);
        let verdict = if is_met { "met" } else { "MISSED" };
        self.rows.push(format!("  {goal:<4} {what:<58} {figure:>9.2} {bound:<9} {verdict}"));
    }

    /// Prints it.
    pub fn print(&self) {
        println!("\nGoals");
        for row in &self.rows {
            println!("{row}");
        }
        println!("  {} of {} met", self.rows.len() - self.missed, self.rows.len());
    }
}
