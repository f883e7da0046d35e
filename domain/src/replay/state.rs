//! How far a replay is, and what people can tell it.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// How far a replay is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReplayState {
    /// Only tried: nothing was published, nothing will be, and there is no such replay.
    DryRun,
    /// Nothing is published until a second person approves it.
    AwaitingApproval,
    /// It begins later.
    Scheduled,
    /// Letters are still to be published.
    Running,
    /// Nothing more is published until somebody resumes it.
    Paused,
    /// Nothing more is published; letters that were not are held again.
    Cancelled,
    /// Every letter has an outcome.
    Finished,
}

impl ReplayState {
    /// Every state that a replay can be kept in.
    pub const KEPT: [Self; 6] = [
        Self::AwaitingApproval,
        Self::Scheduled,
        Self::Running,
        Self::Paused,
        Self::Cancelled,
        Self::Finished,
    ];

    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DryRun => "dry_run",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Scheduled => "scheduled",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Cancelled => "cancelled",
            Self::Finished => "finished",
        }
    }

    /// The state after a person's word; nothing where the word means nothing.
    #[must_use]
    pub fn after(self, control: Control) -> Option<Self> {
        match (self, control) {
            (Self::Running | Self::Scheduled, Control::Pause) => Some(Self::Paused),
            (Self::Paused | Self::Scheduled, Control::Resume) => Some(Self::Running),
            (
                Self::AwaitingApproval | Self::Running | Self::Scheduled | Self::Paused,
                Control::Cancel,
            ) => Some(Self::Cancelled),
            _ => None,
        }
    }
}

impl FromStr for ReplayState {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let mut kept = Self::KEPT.into_iter();
        let found = kept.find(|state| state.as_str() == word);
        found.ok_or_else(|| format!("`{word}` is not a state of a replay"))
    }
}

/// What a person tells a replay that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// Publish nothing more for now.
    Pause,
    /// Go on; a scheduled one begins now.
    Resume,
    /// Publish nothing more at all, and give the letters back that were not.
    Cancel,
}

impl Control {
    /// The word in addresses and in the audit trail.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Cancel => "cancel",
        }
    }
}

impl FromStr for Control {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let mut all = [Self::Pause, Self::Resume, Self::Cancel].into_iter();
        let found = all.find(|control| control.as_str() == word);
        found.ok_or_else(|| format!("`{word}`: a replay can pause, resume and cancel"))
    }
}

/// What came of a word to a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controlled {
    /// It is in this state now.
    Now(ReplayState),
    /// It is in this state, where the word means nothing: nothing was changed.
    Refused(ReplayState),
}

/// Why a replay does not go on, or went no further.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Stop {
    /// When it stopped.
    pub at: DateTime<Utc>,
    /// Who stopped it: a person, or the office itself.
    pub by: String,
    /// Why, where the office stopped it.
    pub why: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_means_something_in_some_states_only() {
        use ReplayState as S;
        for (state, word, then) in [
            (S::Running, Control::Pause, Some(S::Paused)),
            (S::Scheduled, Control::Pause, Some(S::Paused)),
            (S::Paused, Control::Pause, None),
            (S::Paused, Control::Resume, Some(S::Running)),
            (S::Scheduled, Control::Resume, Some(S::Running)),
            (S::Running, Control::Resume, None),
            (S::Paused, Control::Cancel, Some(S::Cancelled)),
            (S::Finished, Control::Cancel, None),
            (S::Cancelled, Control::Resume, None),
            (S::AwaitingApproval, Control::Cancel, Some(S::Cancelled)),
            (S::AwaitingApproval, Control::Pause, None),
            (S::AwaitingApproval, Control::Resume, None),
        ] {
            assert_eq!(state.after(word), then, "{state:?} {word:?}");
        }
        for state in S::KEPT {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
    }
}
