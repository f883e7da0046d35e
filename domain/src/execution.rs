//! An execution: a piece of work that a system handed to a worker. We are told of it, and decide only
//! what is plain: that nobody began it in time, that its worker fell silent, or that its message died.

mod ending;
mod naming;
mod report;
mod telling;
mod watch;

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use ending::COMPLETED;
pub use naming::{ExecutionNaming, NamingFault};
pub use report::{MOST_REPORTS, Refusal, Report, ReportFault, Reports, is_name};
pub use telling::{
    ExecutionDetail, ExecutionFigures, ExecutionQuery, HandlerVerdict, NamedBy, Reported,
    StateCount,
};
pub use watch::{Seen, Watch};

/// The longest name of an execution or a worker, in bytes.
pub const MOST_NAME_BYTES: usize = 255;

/// The longest error, in bytes.
pub const MOST_ERROR_BYTES: usize = 4 * 1024;

/// The longest result as JSON, in bytes.
pub const MOST_RESULT_BYTES: usize = 64 * 1024;

/// Who the monitor is, in `failed_by`.
pub const MONITOR: &str = "execution_timeout_monitor";

/// Who the dead-letter handler is, in `failed_by`.
pub const HANDLER: &str = "dead_letter_handler";

/// What is said of an execution that is to go to another worker when there is none.
pub const NO_WORKERS: &str = "no workers available";

/// Where an execution stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExecutionState {
    /// Somebody asked for it.
    Requested,
    /// Being scheduled: no worker yet.
    Scheduling,
    /// It was handed to a worker, which has not begun.
    Scheduled,
    /// A worker is at it.
    Running,
    /// Done.
    Completed,
    /// It went wrong.
    Failed,
    /// Somebody called it off.
    Cancelled,
    /// Its system gave it up for taking too long.
    TimedOut,
}

/// The word names no state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a state of an execution: use requested, scheduling, scheduled, running, \
     completed, \
     failed, cancelled or timed_out"
)]
pub struct UnknownState(pub String);

impl ExecutionState {
    /// Every state, in the order of a life.
    pub const ALL: [Self; 8] = [
        Self::Requested,
        Self::Scheduling,
        Self::Scheduled,
        Self::Running,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::TimedOut,
    ];

    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Scheduling => "scheduling",
            Self::Scheduled => "scheduled",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
        }
    }

    /// Whether it is over. No attempt leaves these states.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        self >= Self::Completed
    }

    /// Whether a later attempt may begin anew after this one, which is over: its message was replayed, and
    /// a worker has it. What is done or called off is not done again.
    #[must_use]
    pub fn may_be_tried_again(self) -> bool {
        matches!(self, Self::Failed | Self::TimedOut)
    }

    /// Whether an attempt may go from here to there. Reports may leave states out, since not every
    /// system has all of them; none goes back, and what is over stays as it is. That a later attempt
    /// begins anew is another matter: see [`Execution::told`].
    #[must_use]
    pub fn may_become(self, next: Self) -> bool {
        !self.is_terminal() && next > self
    }
}

impl PartialOrd for ExecutionState {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ExecutionState {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (*self as u8).cmp(&(*other as u8))
    }
}

impl fmt::Display for ExecutionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ExecutionState {
    type Err = UnknownState;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == word)
            .ok_or_else(|| UnknownState(word.to_owned()))
    }
}

/// An execution as it stands. All times are those of Postgres's clock when we were told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Execution {
    /// What its system calls it; 1 to 255 bytes.
    pub id: String,
    /// Where it stands.
    pub state: ExecutionState,
    /// The worker that has it, or had it last.
    pub worker: Option<String>,
    /// Which attempt it is, from 1.
    pub attempt: i32,
    /// As many attempts as there may be.
    pub max_attempts: i32,
    /// Since when it is in its state.
    pub state_since: DateTime<Utc>,
    /// When we first heard of it.
    pub first_seen_at: DateTime<Utc>,
    /// When it was last said to be requested.
    pub requested_at: Option<DateTime<Utc>>,
    /// When it was last said to be scheduling.
    pub scheduling_at: Option<DateTime<Utc>>,
    /// When it was last handed to a worker.
    pub scheduled_at: Option<DateTime<Utc>>,
    /// When a worker last began it.
    pub running_at: Option<DateTime<Utc>>,
    /// When it was over.
    pub ended_at: Option<DateTime<Utc>>,
    /// Why it failed.
    pub error: Option<String>,
    /// Who failed or cancelled it, unless its worker did: `execution_timeout_monitor`,
    /// `dead_letter_handler`, or a person's name.
    pub failed_by: Option<String>,
    /// Whether it was not begun for longer than it may take, as the monitor counts. One that is
    /// scheduled is failed next, unless it is only read; one that waits for a worker is shown.
    pub is_stuck: bool,
    /// Whether it is known from a register alone, which is read and never written to: it is not ended
    /// here.
    #[serde(default)]
    pub is_read: bool,
}

impl Execution {
    /// One that was not heard of before.
    #[must_use]
    pub fn unheard(id: &str, at: DateTime<Utc>) -> Self {
        Self {
            id: id.to_owned(),
            state: ExecutionState::Requested,
            worker: None,
            attempt: 1,
            max_attempts: 1,
            state_since: at,
            first_seen_at: at,
            requested_at: None,
            scheduling_at: None,
            scheduled_at: None,
            running_at: None,
            ended_at: None,
            error: None,
            failed_by: None,
            is_stuck: false,
            is_read: false,
        }
    }

    /// Whether it stands still: nobody began it, and it is in its state since before this moment.
    #[must_use]
    pub fn stands_still(
        state: ExecutionState,
        since: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> bool {
        state < ExecutionState::Running && since < before
    }

    /// Whether another attempt is left.
    #[must_use]
    pub fn has_attempts_left(&self) -> bool {
        !self.state.is_terminal() && self.attempt < self.max_attempts
    }
}

#[cfg(test)]
mod tests;
