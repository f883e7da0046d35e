//! Times, and lines of the table.

use std::time::{Duration, Instant};

/// Times of one thing.
#[derive(Debug, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Takes the time of something.
    pub async fn of<T>(&mut self, doing: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let done = doing.await;
        self.0.push(began.elapsed());
        done
    }

    /// Takes others in.
    pub fn extend(&mut self, others: &Self) {
        self.0.extend(&others.0);
    }

    /// Milliseconds that so many in a hundred stay below.
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let place = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
        sorted.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
    }

    /// Milliseconds that nearly all stay below.
    pub fn p99(&self) -> f64 {
        self.percentile(99)
    }
}

/// Prints the head of a part.
pub fn head(goal: &str, what: &str) {
    println!("\n{goal}: {what}");
}

/// Prints a figure that should not be above (or below) its goal.
pub fn line(name: &str, figures: &str, value: f64, goal: f64, wanted: Wanted) {
    let (sign, is_met) = match wanted {
        Wanted::AtMost => ("≤", value <= goal),
        Wanted::AtLeast => ("≥", value >= goal),
    };
    let verdict = if is_met { "ok" } else { "MISSED" };
    println!("  {name:<34} {figures:<52} {value:>8.2} {sign} {goal:<6} {verdict}");
}

/// Which side of a goal is good.
#[derive(Clone, Copy)]
pub enum Wanted {
    /// Small is good.
    AtMost,
    /// Large is good.
    AtLeast,
}
