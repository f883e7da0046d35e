//! Times as filters ask for them, made into windows from one time to another: the one form that
//! memory and database compare.

use chrono::{DateTime, TimeDelta, Utc};

use super::fields::{Field, Kind};
use super::tree::{Comparison, Test, Value};

/// From one time to another: what is asked of a time, whatever way it is written. An absent end
/// is open; the beginning is within it, the end is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// At this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Before this time.
    pub before: Option<DateTime<Utc>>,
}

/// What Postgres can tell from the next.
const TICK: TimeDelta = TimeDelta::microseconds(1);

impl Window {
    /// Whether a time is within it.
    #[must_use]
    pub fn holds(self, at: DateTime<Utc>) -> bool {
        self.from.is_none_or(|from| at >= from) && self.before.is_none_or(|before| at < before)
    }

    fn from(time: DateTime<Utc>) -> Self {
        Self { from: Some(time), before: None }
    }

    fn before(time: DateTime<Utc>) -> Self {
        Self { from: None, before: Some(time) }
    }
}

impl Test {
    /// The times that pass, as windows; nothing when every time does.
    #[must_use]
    pub fn windows(&self, field: Field, now: DateTime<Utc>) -> Option<Vec<Window>> {
        let span = |value: &Value| match value {
            Value::Time(moment) => Some(moment.span(now)),
            Value::Age(seconds) => {
                let at = now - TimeDelta::seconds(*seconds);
                Some(at..at + TICK)
            }
            _ => None,
        };
        let is_age = field.kind() == Kind::Age;
        let windows = match self {
            Self::Exists => return None,
            Self::Is(values) => {
                let spans = values.iter().filter_map(span);
                spans
                    .map(|span| match field {
                        Field::Since => Window::from(span.start),
                        Field::Until => Window::before(span.start),
                        _ => Window { from: Some(span.start), before: Some(span.end) },
                    })
                    .collect()
            }
            Self::Compare(side, value) => {
                let side = if is_age { side.mirrored() } else { *side };
                let window = |span: std::ops::Range<DateTime<Utc>>| match side {
                    Comparison::Above => Window::from(span.end),
                    Comparison::AtLeast => Window::from(span.start),
                    Comparison::Below => Window::before(span.start),
                    Comparison::AtMost => Window::before(span.end),
                };
                span(value).map(window).into_iter().collect()
            }
            Self::Between(low, high) => {
                let (early, late) = if is_age { (high, low) } else { (low, high) };
                let window = span(early).zip(span(late)).map(|(early, late)| Window {
                    from: Some(early.start),
                    before: Some(late.end),
                });
                window.into_iter().collect()
            }
        };
        Some(windows)
    }
}
