//! How far a drain was at each moment, and how fast that is once it runs.

use std::time::{Duration, Instant};

/// What passes before a rate is taken: connections warm up, and windows grow.
pub const WARM_UP: Duration = Duration::from_secs(2);

/// How many letters were done at some moments of a drain.
pub struct Progress {
    began: Instant,
    marks: Vec<Mark>,
}

struct Mark {
    after: Duration,
    letters: usize,
}

impl Progress {
    /// Of a drain that begins now.
    pub fn begin() -> Self {
        Self { began: Instant::now(), marks: Vec::new() }
    }

    /// Notes how many letters are done by now.
    pub fn mark(&mut self, letters: usize) {
        if letters > 0 {
            self.marks.push(Mark { after: self.began.elapsed(), letters });
        }
    }

    /// How long it took until the first letter was done.
    pub fn start_up(&self) -> Duration {
        self.marks.first().map(|mark| mark.after).unwrap_or_default()
    }

    /// How long it has taken.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Letters a second after the warm-up; of a drain that is shorter, from the first letters on.
    pub fn rate(&self) -> f64 {
        let (Some(first), Some(last)) = (self.marks.first(), self.marks.last()) else { return 0.0 };
        let warm = self.marks.iter().find(|mark| mark.after >= first.after + WARM_UP);
        let from = warm.filter(|mark| mark.letters < last.letters).unwrap_or(first);
        rate(last.letters - from.letters, last.after.saturating_sub(from.after))
    }
}

/// So many letters in such a time, a second.
pub fn rate(letters: usize, took: Duration) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count of letters")]
    let letters = letters as f64;
    letters / took.as_secs_f64().max(0.001)
}
