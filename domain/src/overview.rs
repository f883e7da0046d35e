//! The figures of the first page.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::breakdown::Breakdown;
use crate::group::GroupSummary;
use crate::ids::GroupId;
use crate::severity::Severity;
use crate::source::Source;

/// The span that the overview looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Span {
    /// One hour, by the minute.
    #[default]
    #[serde(rename = "1h")]
    Hour,
    /// A day, by 15 minutes.
    #[serde(rename = "24h")]
    Day,
    /// A week, by two hours.
    #[serde(rename = "7d")]
    Week,
}

/// A word that names no span.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a span: use 1h, 24h or 7d")]
pub struct NotASpan(String);

impl FromStr for Span {
    type Err = NotASpan;

    fn from_str(word: &str) -> Result<Self, NotASpan> {
        let mut all = Self::ALL.into_iter();
        all.find(|span| span.as_str() == word).ok_or_else(|| NotASpan(word.to_owned()))
    }
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
        word.parse().unwrap_or_default()
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
    /// Those of them that are in groups which `groups` leaves off.
    #[serde(default)]
    pub put_away: PutAway,
    /// Deaths over time, oldest bar first; one entry for each bar, empty bars included.
    pub deaths: Vec<DeathBar>,
    /// The groups that wait or grew within the span, by impact.
    pub groups: Vec<WorstGroup>,
    /// How many such groups there are, and how many are left off.
    pub groups_left: Left,
    /// What the newest letters that wait have in common.
    pub waiting: Breakdown,
    /// The sources and how they are.
    pub sources: Vec<Source>,
    /// Marks on the chart: replays that began within the span.
    pub replays: Vec<ReplayMark>,
}

/// The arrivals within one bar of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeathBar {
    /// The bar's beginning.
    pub from: DateTime<Utc>,
    /// Arrivals by severity, in the order of `Severity::ALL`.
    pub counts: [i64; 4],
}

/// A group of the first page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorstGroup {
    /// The group.
    #[serde(flatten)]
    pub summary: GroupSummary,
    /// When a letter died like this for the first time.
    pub first_seen_at: DateTime<Utc>,
    /// Whether that was within the span.
    pub is_new: bool,
}

/// Groups that wait, or grew within the span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Left {
    /// Those that the worst are shown of.
    pub groups: i64,
    /// Muted ones, which are left off.
    pub muted: i64,
    /// Resolved ones, which are left off.
    pub resolved: i64,
}

/// Held letters in muted and resolved groups: nobody is asked to decide on them now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PutAway {
    /// How many there are of each severity.
    pub held_by_severity: Vec<(Severity, i64)>,
    /// The groups, at most 50.
    pub groups: Vec<GroupId>,
}

impl PutAway {
    /// How many letters there are.
    #[must_use]
    pub fn letters(&self) -> i64 {
        self.held_by_severity.iter().map(|(_, letters)| letters).sum()
    }

    /// The letters of these groups, as a filter; empty if there are none.
    #[must_use]
    pub fn filter(&self) -> String {
        let ids: Vec<String> = self.groups.iter().map(ToString::to_string).collect();
        match &ids[..] {
            [] => String::new(),
            [one] => format!("group:{one}"),
            many => format!("group:({})", many.join(",")),
        }
    }
}

impl Overview {
    /// Held letters that wait for a decision, by severity: those that are put away are not among them.
    #[must_use]
    pub fn waiting_by_severity(&self) -> Vec<(Severity, i64)> {
        let put_away = |severity| {
            let found = self.put_away.held_by_severity.iter();
            found.filter(|(of, _)| *of == severity).map(|(_, letters)| letters).sum::<i64>()
        };
        let held = self.held_by_severity.iter();
        // Totals of groups are some seconds late.
        held.map(|(severity, letters)| (*severity, (letters - put_away(*severity)).max(0)))
            .collect()
    }
}

/// A replay on the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReplayMark {
    /// The replay.
    pub id: crate::ids::ReplayId,
    /// When it was asked for.
    pub at: DateTime<Utc>,
    /// How many letters.
    pub letters: i64,
}
