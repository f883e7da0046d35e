//! An execution: a piece of work that a system handed to a worker. We are told of it, and decide only
//! what is plain: that nobody began it in time, that its worker fell silent, or that its message died.

mod ending;
mod naming;
mod report;
mod watch;

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::LetterId;

pub use ending::COMPLETED;
pub use naming::{ExecutionNaming, NamingFault};
pub use report::{MOST_REPORTS, Refusal, Report, ReportFault, Reports, is_name};
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
    /// A worker is looked for.
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
    "`{0}` is no state of an execution: use requested, scheduling, scheduled, running, completed, \
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
    /// Whether it is scheduled for longer than it may be, as the monitor counts: it is failed next,
    /// unless it is only read.
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

    /// Whether another attempt is left.
    #[must_use]
    pub fn has_attempts_left(&self) -> bool {
        !self.state.is_terminal() && self.attempt < self.max_attempts
    }
}

/// One execution with all that is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExecutionDetail {
    /// What the list shows.
    #[serde(flatten)]
    pub execution: Execution,
    /// What came of it; of a failing of ours `{"error": …, "failed_by": …}`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub result: Option<serde_json::Value>,
    /// The dead letters that name it, newest first, at most 50.
    pub letters: Vec<NamedBy>,
}

/// A dead letter that names an execution, and what the dead-letter handler did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NamedBy {
    /// The letter.
    pub letter_id: LetterId,
    /// When it arrived.
    pub arrived_at: DateTime<Utc>,
    /// What was done; absent until the handler has come to it.
    pub verdict: Option<HandlerVerdict>,
    /// More of it, in words.
    pub detail: Option<String>,
}

/// What the dead-letter handler did with an execution whose message died.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum HandlerVerdict {
    /// It was not over: it was failed.
    Failed,
    /// It went to another worker, with a replay of the letter.
    Rescheduled,
    /// It was over already: nothing.
    Terminal,
    /// It has gone to another worker since: the letter is of an earlier attempt. Nothing.
    Superseded,
    /// Nobody had told us of it: the letter is kept, and linked to nothing.
    Unknown,
    /// It is known from a register alone: nothing; the detail says what would have been done.
    Left,
}

impl HandlerVerdict {
    /// Every verdict.
    pub const ALL: [Self; 6] = [
        Self::Failed,
        Self::Rescheduled,
        Self::Terminal,
        Self::Superseded,
        Self::Unknown,
        Self::Left,
    ];

    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Rescheduled => "rescheduled",
            Self::Terminal => "terminal",
            Self::Superseded => "superseded",
            Self::Unknown => "unknown",
            Self::Left => "left",
        }
    }
}

/// Which executions a list shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExecutionQuery {
    /// Those in this state.
    pub state: Option<ExecutionState>,
    /// Those of this worker.
    pub worker: Option<String>,
    /// Those that are stuck, the longest first.
    pub stuck: bool,
}

/// What came of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Reported {
    /// The execution as it stands now.
    pub execution: Execution,
    /// Why the report was not taken; absent when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// How executions fare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExecutionFigures {
    /// How many are in each state, counted up to 10,000.
    pub states: Vec<StateCount>,
    /// How many are scheduled for longer than they may be, counted up to 10,000.
    pub stuck: i64,
    /// From being requested to running, on average over the last hour, in milliseconds.
    pub scheduling_latency_ms: Option<i64>,
    /// Executions that the monitor failed, or that timed out, in the last hour.
    pub timeouts: i64,
    /// Executions that were over in the last hour.
    pub ended: i64,
    /// Since when the monitor has been able to see; it fails nothing for a while after that.
    pub watched_since: Option<DateTime<Utc>>,
    /// `ExecutionCompleted` messages that wait to be published.
    pub unpublished: i64,
    /// Why the oldest of them was not, when it was tried.
    pub unpublished_why: Option<String>,
}

/// How many executions are in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StateCount {
    /// The state.
    pub state: ExecutionState,
    /// How many.
    pub count: i64,
    /// Whether there may be more.
    pub is_least: bool,
}

#[cfg(test)]
mod tests;
