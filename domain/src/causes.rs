//! What is not well beside the letters, and may be why they die.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::severity::Severity;

/// Stuck executions are counted up to here.
pub const MOST_STUCK: i64 = 10_000;

/// Workers and executions behind letters that are told.
pub const MOST_BEHIND: i64 = 5;

/// Who stands behind the newest letters of a group.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Behind {
    /// The letters that were looked at: the newest, at most 1,000.
    pub letters: i64,
    /// Workers whose queue letters died in, and how many letters; the five with the most.
    pub workers: Vec<(String, i64)>,
    /// Executions that letters name, and how many letters; the five with the most.
    pub executions: Vec<(String, i64)>,
}

/// How much is not well with workers, executions and queues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Causes {
    /// When this was counted.
    pub at: DateTime<Utc>,
    /// Alerts that fire and that nobody looks into, by severity, worst first.
    pub firing_alerts: Vec<(Severity, i64)>,
    /// Workers that should be at work, and are silent.
    pub stale_workers: i64,
    /// Executions that were handed to a worker and not begun in time, up to 10,000.
    pub stuck_executions: i64,
    /// Whether there are more than that.
    pub stuck_is_least: bool,
    /// Queues that nobody works on, without muted ones.
    pub queues_without_consumers: i64,
    /// What can lose messages in queues by severity, worst first, without what is muted. Queues that
    /// nobody works on are among them.
    pub findings: Vec<(Severity, i64)>,
}
