//! Workers as they are shown.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::opinion::{Opinion, WorkerQueue};
use super::{Condition, check_name};
use crate::page::BadCursor;

/// What a worker's own address answered last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Probe {
    /// The address.
    pub url: String,
    /// When it was asked last; absent before the first time.
    pub at: Option<DateTime<Utc>>,
    /// The status of the answer; absent when there was none.
    pub status: Option<u16>,
    /// How long the answer took, in milliseconds.
    pub millis: Option<u32>,
    /// What was wrong with it.
    pub fault: Option<String>,
}

/// A worker in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Worker {
    /// Its name.
    pub name: String,
    /// Its name without what tells workers of a kind apart.
    pub kind: String,
    /// How it is.
    pub condition: Condition,
    /// Since when it is active, draining or stopped.
    pub state_since: DateTime<Utc>,
    /// Who had it drained, when it was not the worker itself.
    pub drained_by: Option<String>,
    /// When it was heard of first.
    pub first_seen_at: DateTime<Utc>,
    /// When it was heard of last.
    pub last_heartbeat_at: DateTime<Utc>,
    /// How long it has been silent, in milliseconds: of a worker that is not stale only the time in
    /// which it could have been heard.
    pub silent_ms: i64,
    /// How often it says that it lives, in milliseconds.
    pub interval_ms: i32,
    /// Its last sign of life, while it is stale.
    pub silent_since: Option<DateTime<Utc>>,
    /// The queue that it works on.
    pub queue: Option<String>,
    /// The queue that it named and that was not taken: no worker's queue is called so.
    #[serde(default)]
    pub refused_queue: Option<String>,
    /// What it runs.
    pub version: Option<String>,
    /// How much it has in hand.
    pub running: Option<u32>,
    /// How much it can have in hand at once.
    pub capacity: Option<u32>,
    /// What its own address says.
    pub probe: Option<Probe>,
    /// Seconds that it was away since midnight (UTC).
    pub down_today_seconds: i64,
    /// Arrivals of letters that died in its queue in the last hour, to five minutes; null when it names no
    /// queue.
    #[serde(default)]
    pub letters_last_hour: Option<i64>,
}

/// A time in which a worker was away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Downtime {
    /// Its last sign of life before.
    pub since: DateTime<Utc>,
    /// When the silence was found to be one.
    pub found_at: DateTime<Utc>,
    /// The next sign of life; absent while it is away.
    pub until: Option<DateTime<Utc>>,
}

/// One worker, with everything known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkerReport {
    /// As in the list.
    #[serde(flatten)]
    pub worker: Worker,
    /// By which way it was heard last: `http`, or `amqp:` and the broker's name.
    pub way: String,
    /// Whatever else it said.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// When it was away, newest first, the last 50 times.
    pub downtimes: Vec<Downtime>,
    /// Its queue, as brokers tell of it; empty where none does.
    #[serde(default)]
    pub queues: Vec<WorkerQueue>,
    /// What they say of the worker; absent when that is as it should be, or not known.
    #[serde(default)]
    pub opinion: Option<Opinion>,
}

/// The workers of a kind, counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KindSummary {
    /// What their names have in common.
    pub kind: String,
    /// Heard of lately.
    pub fresh: i64,
    /// Silent for too long.
    pub stale: i64,
    /// Taking nothing more.
    pub draining: i64,
    /// Ended in good order.
    pub stopped: i64,
}

impl KindSummary {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.fresh + self.stale + self.draining + self.stopped
    }
}

/// A page of workers: what needs somebody first, then by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkerPage {
    /// The workers.
    pub items: Vec<Worker>,
    /// Ask for the next page with this; absent on the last page.
    pub next_cursor: Option<String>,
    /// How many there are in all.
    pub estimated_total: i64,
}

/// The place after a worker in the list. Opaque to callers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCursor {
    /// How it was.
    pub condition: Condition,
    /// Its name.
    pub name: String,
}

impl WorkerCursor {
    /// The place after this worker.
    #[must_use]
    pub fn after(worker: &Worker) -> Self {
        Self { condition: worker.condition, name: worker.name.clone() }
    }
}

impl fmt::Display for WorkerCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = vec![self.condition.rank()];
        bytes.extend_from_slice(self.name.as_bytes());
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

impl FromStr for WorkerCursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| BadCursor)?;
        let (rank, name) = bytes.split_first().ok_or(BadCursor)?;
        let condition = Condition::ALL.get(usize::from(*rank)).ok_or(BadCursor)?;
        let name = str::from_utf8(name).map_err(|_| BadCursor)?;
        check_name(name).map_err(|_| BadCursor)?;
        Ok(Self { condition: *condition, name: name.to_owned() })
    }
}
