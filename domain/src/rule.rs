//! Rules that judge letters: how bad they are, and what counts as one failure.
//!
//! A rule is a filter with a verdict. Rules of a kind are ordered, and are asked when a letter
//! arrives; a change of them judges again what is stored, in the background.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::filter::{FilterFault, LetterFilter};
use crate::grouping::{Outcome, RuleError};
use crate::ids::RuleId;
use crate::letter::LetterSummary;
use crate::severity::Severity;

pub(crate) mod askable;

/// The longest name, in characters.
pub const MOST_NAME_CHARS: usize = 100;

/// How many rules of a kind there may be: each is asked of every letter.
pub const MOST_RULES: usize = 200;

/// What a rule judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// How bad a letter is: the first rule that holds decides.
    Severity,
    /// Which letters are one failure: see `grouping::Outcome`.
    Grouping,
}

impl RuleKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Severity, Self::Grouping];

    /// The word in SQL, JSON and URLs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Severity => "severity",
            Self::Grouping => "grouping",
        }
    }
}

/// What becomes of a letter that a rule holds for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is this bad.
    Severity(Severity),
    /// It is grouped like this.
    Grouping(Outcome),
}

impl Verdict {
    /// The kind of a rule with this verdict.
    #[must_use]
    pub fn kind(&self) -> RuleKind {
        match self {
            Self::Severity(_) => RuleKind::Severity,
            Self::Grouping(_) => RuleKind::Grouping,
        }
    }
}

/// A rule as a person writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewRule {
    /// What it is for, in a line.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 100))]
    pub name: String,
    /// Which letters, in the filter language. Empty means all of them.
    pub filter: String,
    /// What becomes of them.
    pub verdict: Verdict,
    /// Whether it is asked; left out, it is.
    #[serde(default = "yes")]
    pub enabled: bool,
}

fn yes() -> bool {
    true
}

/// A rule that cannot be used as it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleFault {
    /// The name is empty, too long, or holds what no line of text does.
    #[error("a rule's name is a line of 1 to {MOST_NAME_CHARS} characters: give it another")]
    Name,
    /// The filter cannot be read.
    #[error("the filter cannot be read: {0}")]
    Filter(#[from] FilterFault),
    /// The filter asks for what is not known of a letter when it arrives, or changes by itself.
    #[error("a rule cannot use `{field}`: {why}")]
    Field {
        /// The field.
        field: &'static str,
        /// Why not, and what can be asked for instead.
        why: &'static str,
    },
    /// The key or the masks cannot be used.
    #[error(transparent)]
    Outcome(#[from] RuleError),
}

impl NewRule {
    /// Checks everything but the key or masks, which `Judge` does; gives it back with its name
    /// trimmed and its filter in the one form.
    ///
    /// # Errors
    /// `RuleFault` when the name or the filter will not do.
    pub fn checked(&self) -> Result<Self, RuleFault> {
        let name = self.name.trim();
        let length = name.chars().count();
        if !(1..=MOST_NAME_CHARS).contains(&length) || name.chars().any(char::is_control) {
            return Err(RuleFault::Name);
        }
        let filter = self.condition()?;
        Ok(Self {
            name: name.to_owned(),
            filter: filter.to_string(),
            verdict: self.verdict.clone(),
            enabled: self.enabled,
        })
    }

    /// Its filter, read.
    ///
    /// # Errors
    /// `RuleFault` when it cannot be read, or asks for what a rule cannot ask for.
    pub fn condition(&self) -> Result<LetterFilter, RuleFault> {
        let filter = LetterFilter::parse(&self.filter)?;
        askable::check(&filter)?;
        Ok(filter)
    }
}

/// A rule that is in the book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// Its place among the rules of its kind, from 1.
    pub position: i32,
    /// What it says.
    #[serde(flatten)]
    pub rule: NewRule,
    /// Who wrote it last: a token's name, the local operator, or `dlo` for one that came with the
    /// product.
    pub changed_by: String,
    /// When.
    pub changed_at: DateTime<Utc>,
}

/// All rules, and how far they have been carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RuleBook {
    /// Grows with every change.
    pub revision: i64,
    /// In the order of asking.
    pub severity: Vec<Rule>,
    /// In the order of asking.
    pub grouping: Vec<Rule>,
    /// Stored letters are being judged again; absent when that is done.
    pub judging_again: Option<JudgingAgain>,
}

/// How far judging again has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgingAgain {
    /// Letters that were looked at.
    pub done: i64,
    /// Letters that there were when it began, about.
    pub of: i64,
    /// Of those looked at, letters whose severity or signature became another.
    pub changed: i64,
    /// When it began.
    pub began_at: DateTime<Utc>,
}

/// What a rule would have done with the letters of the last days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RulePreview {
    /// How far back letters were looked at, in days.
    pub days: u32,
    /// Letters that match.
    pub matched: i64,
    /// There were more than are counted: `matched` is the least.
    pub is_capped: bool,
    /// Of a severity rule: letters by what they are now, those that match and are open.
    pub now: Vec<SeverityCount>,
    /// Of a grouping rule: groups that the looked-at letters are in now.
    pub groups_now: i64,
    /// Of a grouping rule: groups that they would be in, by their signatures.
    pub groups_then: i64,
    /// How many of those that match were read for `groups_then`.
    pub read: i64,
    /// Some of those that match, newest first.
    pub samples: Vec<LetterSummary>,
}

/// Letters of one severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeverityCount {
    /// The severity.
    pub severity: Severity,
    /// How many.
    pub letters: i64,
}

#[cfg(test)]
mod tests;
