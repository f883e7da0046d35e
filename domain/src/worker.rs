//! Workers: who should have done the work, and whether they live.

mod heartbeat;
mod kind;
mod opinion;
mod pause;
mod queue_names;
mod report;
mod watch;

use std::str::FromStr;

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

pub use heartbeat::{Heartbeat, HeartbeatAnswer, HeartbeatFault, MOST_METADATA, check_name};
pub use kind::{Kind, kind_of};
pub use opinion::{MOST_TAGS, Opinion, WorkerQueue, opinion};
pub use pause::{Pause, Standing, Witness};
pub use queue_names::WorkerQueueNames;
pub use report::{Downtime, KindSummary, Probe, Worker, WorkerCursor, WorkerPage, WorkerReport};
pub use watch::{BLIND, LONGEST_STEP, Watch};

/// How often a worker says that it lives, unless it says otherwise.
pub const DEFAULT_INTERVAL: TimeDelta = TimeDelta::seconds(10);
/// Heartbeats that are missed before a worker is stale.
pub const MISSED: i32 = 3;
/// How long a draining worker may be silent, beside the heartbeats that it misses, before it is held
/// to have stopped in good order.
pub const STOP_GRACE: TimeDelta = TimeDelta::seconds(30);
/// How long a silent worker with a random name is kept: nobody will come back under it.
pub const AUTOSCALED_EXPIRE_AFTER: TimeDelta = TimeDelta::hours(1);
/// How long any other silent one is kept.
pub const EXPIRE_AFTER: TimeDelta = TimeDelta::days(7);

/// What a worker says of itself, or a person of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum WorkerState {
    /// It takes work.
    Active,
    /// It ends what it has in hand and takes nothing more.
    Draining,
    /// It ended in good order.
    Stopped,
}

impl WorkerState {
    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Draining => "draining",
            Self::Stopped => "stopped",
        }
    }
}

/// The word is none that we know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a state of a worker: use active, draining or stopped")]
pub struct UnknownState(pub String);

impl FromStr for WorkerState {
    type Err = UnknownState;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        [Self::Active, Self::Draining, Self::Stopped]
            .into_iter()
            .find(|state| state.as_str() == word)
            .ok_or_else(|| UnknownState(word.to_owned()))
    }
}

/// How a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Silent for longer than it may be.
    Stale,
    /// Takes nothing more.
    Draining,
    /// Heard of lately.
    Fresh,
    /// Ended in good order.
    Stopped,
}

impl Condition {
    /// Every condition, what needs somebody first.
    pub const ALL: [Self; 4] = [Self::Stale, Self::Draining, Self::Fresh, Self::Stopped];

    /// The word in JSON, in addresses and on the page.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Draining => "draining",
            Self::Fresh => "fresh",
            Self::Stopped => "stopped",
        }
    }

    /// Its place in the list, from 0: that of [`Self::ALL`].
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Stale => 0,
            Self::Draining => 1,
            Self::Fresh => 2,
            Self::Stopped => 3,
        }
    }

    /// Of what is stored of a worker.
    #[must_use]
    pub fn of(state: WorkerState, is_silent: bool) -> Self {
        match state {
            WorkerState::Stopped => Self::Stopped,
            // One that was silent already when it was to be drained has not heard of that.
            _ if is_silent => Self::Stale,
            WorkerState::Active => Self::Fresh,
            WorkerState::Draining => Self::Draining,
        }
    }
}

/// The word is none that we know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not how a worker can be: use fresh, stale, draining or stopped")]
pub struct UnknownCondition(pub String);

impl FromStr for Condition {
    type Err = UnknownCondition;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|condition| condition.as_str() == word)
            .ok_or_else(|| UnknownCondition(word.to_owned()))
    }
}

/// What the monitor makes of a silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is as it was.
    Keep,
    /// An active one is stale.
    Stale,
    /// A draining one has stopped in good order.
    Stopped,
}

/// How long a worker may be silent before [`judge`] says something of it.
#[must_use]
pub fn allowed(state: WorkerState, interval: TimeDelta) -> TimeDelta {
    let missed = interval * MISSED;
    match state {
        WorkerState::Active => missed,
        WorkerState::Draining | WorkerState::Stopped => missed + STOP_GRACE,
    }
}

/// Judges a worker that was silent for so long, as far as anybody could hear it ([`Watch`]).
#[must_use]
pub fn judge(state: WorkerState, interval: TimeDelta, silent: TimeDelta) -> Verdict {
    if silent <= allowed(state, interval) {
        return Verdict::Keep;
    }
    match state {
        WorkerState::Active => Verdict::Stale,
        WorkerState::Draining => Verdict::Stopped,
        WorkerState::Stopped => Verdict::Keep,
    }
}

/// How long a silent worker is kept.
#[must_use]
pub fn kept_for(is_autoscaled: bool) -> TimeDelta {
    if is_autoscaled { AUTOSCALED_EXPIRE_AFTER } else { EXPIRE_AFTER }
}

#[cfg(test)]
mod tests;
