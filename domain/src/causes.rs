//! What is not well beside the letters, and may be why they die.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::ReplayId;
use crate::severity::Severity;

/// Stuck executions are counted up to here.
pub const MOST_STUCK: i64 = 10_000;

/// Letters that died behind a worker are counted up to here.
pub const MOST_DIED: i64 = 10_000;

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

/// A worker that should be at work and is silent, and what died behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SilentWorker {
    /// What it is called.
    pub name: String,
    /// Its last sign of life.
    pub since: DateTime<Utc>,
    /// Letters that died in its queue since then, up to 10,000.
    pub letters: i64,
    /// Whether there are more than that.
    pub letters_are_least: bool,
}

/// Replays that go on only when somebody says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StandingReplays {
    /// How many there are.
    pub replays: i64,
    /// The letters that they have not sent yet.
    pub letters: i64,
    /// The oldest of them.
    pub oldest: ReplayId,
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
    /// Of the stale workers, the one in whose queue the most letters died within the last hour; if none did, the one
    /// that fell silent last. `None` if no worker is stale.
    pub worst_worker: Option<SilentWorker>,
    /// Replays that are paused. `None` if there are none.
    pub paused_replays: Option<StandingReplays>,
    /// Replays that wait for a second person's approval. `None` if there are none.
    pub replays_to_approve: Option<StandingReplays>,
    /// Queues that nobody works on, without muted ones.
    pub queues_without_consumers: i64,
    /// What can lose messages in queues by severity, worst first, without what is muted. Queues that
    /// nobody works on are among them.
    pub findings: Vec<(Severity, i64)>,
}
