//! What is told of executions: one of them with its dead letters, lists, reports and figures.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Execution, ExecutionState};
use crate::ids::LetterId;

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
    /// The broker, the database or all offices had stood still: its message goes back to the queue that it
    /// died in, as the detail says.
    Spared,
}

impl HandlerVerdict {
    /// Every verdict.
    pub const ALL: [Self; 7] = [
        Self::Failed,
        Self::Rescheduled,
        Self::Terminal,
        Self::Superseded,
        Self::Unknown,
        Self::Left,
        Self::Spared,
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
            Self::Spared => "spared",
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
    /// How many are stuck: not begun for longer than that may take, counted up to 10,000.
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
