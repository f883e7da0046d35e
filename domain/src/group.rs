//! A group's life: what people do with a failure pattern, and how it comes back.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::grouping::Explanation;
use crate::ids::{GroupId, LetterId};
use crate::replay::ClaimedOrigins;
use crate::severity::Severity;

mod edit;
mod impact;

pub use edit::{EditFault, GroupEdit, MergeGroups, SplitGroup, SplitOff};
pub use impact::Impact;

/// Where a group stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum GroupState {
    /// Nobody has taken it.
    Open,
    /// Its owner looks into it.
    Investigating,
    /// It makes no noise until a time, a count or a rate is reached.
    Muted,
    /// The cause is gone.
    Resolved,
    /// The cause was gone, and letters died of it again.
    Regressed,
}

impl GroupState {
    /// All of them, the loudest first.
    pub const ALL: [Self; 5] =
        [Self::Regressed, Self::Open, Self::Investigating, Self::Muted, Self::Resolved];

    /// The word in SQL, URLs and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Investigating => "investigating",
            Self::Muted => "muted",
            Self::Resolved => "resolved",
            Self::Regressed => "regressed",
        }
    }
}

impl fmt::Display for GroupState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no group state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a state of a group: use open, investigating, muted, resolved or regressed")]
pub struct NotAGroupState(String);

impl FromStr for GroupState {
    type Err = NotAGroupState;

    fn from_str(text: &str) -> Result<Self, NotAGroupState> {
        let mut all = Self::ALL.into_iter();
        all.find(|state| state.as_str() == text).ok_or_else(|| NotAGroupState(text.to_owned()))
    }
}

/// When a mute ends: with the first of these that is reached. At least one is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Mute {
    /// At this time.
    pub until: Option<DateTime<Utc>>,
    /// When so many more letters have arrived.
    pub arrivals: Option<i64>,
    /// When so many arrive within one hour of the clock.
    pub per_hour: Option<i64>,
}

/// A group, as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GroupSummary {
    /// Its id.
    pub id: GroupId,
    /// The template of its messages.
    pub title: String,
    /// Where it stands.
    pub state: GroupState,
    /// Since when.
    pub state_since: DateTime<Utc>,
    /// Who looks into it.
    pub owner: Option<String>,
    /// The ticket.
    pub ticket_url: Option<String>,
    /// Words of people's own.
    pub tags: Vec<String>,
    /// The worst severity that waits; of all its letters when none waits.
    pub severity: Option<Severity>,
    /// Letters that are there.
    pub letters: i64,
    /// Letters that wait for somebody.
    pub waiting: i64,
    /// How often its letters arrived, ever.
    pub arrivals: i64,
    /// When the group was founded.
    pub created_at: DateTime<Utc>,
    /// When a letter of it arrived last.
    pub last_arrived_at: Option<DateTime<Utc>>,
    /// Arrivals in each of the last 24 hours, the oldest first.
    pub by_hour: Vec<i64>,
}

/// A group with all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Group {
    /// What the list shows.
    #[serde(flatten)]
    pub summary: GroupSummary,
    /// Why its letters are one pattern.
    pub why: Explanation,
    /// When its mute ends.
    pub mute: Option<Mute>,
    /// What it is made of, the most frequent first.
    pub signatures: Vec<SignatureShare>,
    /// What happened to it, newest first.
    pub timeline: Vec<GroupEvent>,
    /// Those of its newest letters that are held and whose origin only the message itself claims; null where
    /// there are none. At most 200 letters of each of 10 signatures are looked at.
    #[serde(default)]
    pub claimed_origins: Option<ClaimedOrigins>,
}

/// One signature of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignatureShare {
    /// The signature, 32 hexadecimal digits.
    pub id: String,
    /// Its message with placeholders.
    pub template: String,
    /// What it never shares a group across: class and frame, or the message type.
    pub scope: String,
    /// Letters that have it.
    pub letters: i64,
    /// One of them.
    pub sample_letter_id: LetterId,
    /// A person put it here.
    pub arranged: bool,
}

/// One line of a group's timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GroupEvent {
    /// When.
    pub at: DateTime<Utc>,
    /// Who: a token's name, `local operator`, or `dlo` for the product itself.
    pub actor: String,
    /// What: `resolved`, `regressed`, `merged`, `note`, …
    pub action: String,
    /// The note, or what exactly.
    pub detail: Option<String>,
}
