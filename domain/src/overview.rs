//! The figures of the first page.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::death::Reason;
use crate::severity::Severity;
use crate::source::Source;

/// The span that the overview looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Span {
    /// One hour, by the minute.
    #[default]
    Hour,
    /// A day, by 15 minutes.
    Day,
    /// A week, by two hours.
    Week,
}

impl Span {
    /// Every span.
    pub const ALL: [Self; 3] = [Self::Hour, Self::Day, Self::Week];

    /// The word in the URL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "1h",
            Self::Day => "24h",
            Self::Week => "7d",
        }
    }

    /// The span of that word; one hour when it is none.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|span| span.as_str() == word)
            .unwrap_or_default()
    }

    /// Its length in seconds.
    #[must_use]
    pub fn seconds(self) -> i64 {
        match self {
            Self::Hour => 3_600,
            Self::Day => 86_400,
            Self::Week => 604_800,
        }
    }

    /// The length of one bar in seconds.
    #[must_use]
    pub fn bucket_seconds(self) -> i64 {
        match self {
            Self::Hour => 60,
            Self::Day => 900,
            Self::Week => 7_200,
        }
    }
}

/// What is dying, and why, right now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// When this was counted.
    pub at: DateTime<Utc>,
    /// The span looked at.
    pub span: Span,
    /// Letters held now.
    pub held: i64,
    /// Letters whose publish may or may not have happened.
    pub unknown: i64,
    /// Held letters by severity, worst first.
    pub held_by_severity: Vec<(Severity, i64)>,
    /// Deaths over time, oldest bar first; one entry for each bar, empty bars included.
    pub deaths: Vec<DeathBar>,
    /// What fails most within the span, worst first.
    pub failures: Vec<FailureRow>,
    /// The sources and how they are.
    pub sources: Vec<Source>,
    /// Marks on the chart: replays that began within the span.
    pub replays: Vec<ReplayMark>,
}

/// The arrivals within one bar of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeathBar {
    /// The bar's beginning.
    pub from: DateTime<Utc>,
    /// Arrivals by severity, in the order of `Severity::ALL`.
    pub counts: [i64; 4],
}

/// One failure among those that fail most: an origin queue, a reason and an error class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRow {
    /// The origin queue.
    pub queue: Option<String>,
    /// Why.
    pub reason: Reason,
    /// The exception's class.
    pub error_class: Option<String>,
    /// One message of it, as a sample.
    pub sample: Option<String>,
    /// The worst severity in it.
    pub severity: Severity,
    /// Letters within the span.
    pub letters: i64,
    /// Of these, held now.
    pub held: i64,
    /// The newest arrival.
    pub last_arrived_at: DateTime<Utc>,
}

/// A replay on the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayMark {
    /// The replay.
    pub id: crate::ids::ReplayId,
    /// When it was asked for.
    pub at: DateTime<Utc>,
    /// How many letters.
    pub letters: i64,
}
