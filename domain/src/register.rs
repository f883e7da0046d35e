//! A register: tables in which a system keeps its workers and executions already, read by configured
//! SQL. Each row comes as JSON with its columns as members. What another database holds is input of
//! somebody else: every member is checked here, and nothing here asks a database.
//!
//! That a worker lives is seen by its heartbeat *changing*: so neither a clock that is set over there,
//! nor one that always differs from ours, makes anybody silent or alive.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::execution::{ExecutionState, Report, ReportFault};
use crate::named;
use crate::worker::{Heartbeat, HeartbeatFault, Verdict, WorkerState, judge, kept_for, kind_of};

/// The longest row that is read, in bytes of JSON.
pub const MOST_ROW_BYTES: usize = 16 * 1024;
/// Workers that are read.
pub const MOST_WORKERS: usize = 20_000;
/// Executions that are read.
pub const MOST_EXECUTIONS: usize = 20_000;

/// Why a row says nothing that can be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// It is too long.
    #[error("a row has more than {MOST_ROW_BYTES} bytes as JSON")]
    TooLong,
    /// Columns are missing, or of another type.
    #[error("a row does not fit: {0}")]
    Columns(String),
    /// A worker that cannot be kept.
    #[error("a worker cannot be kept: {0}")]
    Worker(#[from] HeartbeatFault),
    /// Nobody can tell which of them is meant.
    #[error("several rows are called `{0}`, of which one is taken: have it give each once")]
    Twice(String),
    /// An execution that cannot be kept.
    #[error("an execution cannot be kept: {0}")]
    Execution(#[from] ReportFault),
}

/// A worker as the register has it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadWorker {
    /// Its name.
    pub name: String,
    /// When it said last that it lives, by the register's clock.
    pub beat_at: DateTime<Utc>,
    /// What else is said of it.
    pub heartbeat: Heartbeat,
}

/// An execution as the register has it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadExecution {
    /// What it is.
    pub report: Report,
    /// Since when it is so, by the register's clock, if it is told.
    pub since: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
struct WorkerColumns {
    #[serde(deserialize_with = "named::name")]
    name: String,
    /// Null while it was never heard of.
    #[serde(deserialize_with = "time_or_null")]
    last_heartbeat: Option<DateTime<Utc>>,
    #[serde(default)]
    state: Option<WorkerState>,
    #[serde(default)]
    queue: Option<String>,
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    running: Option<u32>,
    #[serde(default)]
    capacity: Option<u32>,
    #[serde(default)]
    interval_seconds: Option<f64>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct ExecutionColumns {
    #[serde(deserialize_with = "named::name")]
    id: String,
    state: ExecutionState,
    #[serde(default, deserialize_with = "named::some_name")]
    worker: Option<String>,
    #[serde(default)]
    attempt: Option<i32>,
    #[serde(default)]
    max_attempts: Option<i32>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    since: Option<DateTime<Utc>>,
}

/// The column must be there, as what is left out may be a slip of the SQL.
fn time_or_null<'de, D: Deserializer<'de>>(input: D) -> Result<Option<DateTime<Utc>>, D::Error> {
    Option::deserialize(input)
}

fn columns<'de, T: Deserialize<'de>>(row: &'de str) -> Result<T, RowFault> {
    if row.len() > MOST_ROW_BYTES {
        return Err(RowFault::TooLong);
    }
    serde_json::from_str(row).map_err(|why| RowFault::Columns(why.to_string()))
}

/// Reads a worker; nothing when it is one that was registered and never heard of. The columns are `name` and `last_heartbeat` (a `timestamptz`), and, as far as they
/// are there, `state`, `queue`, `version`, `running`, `capacity`, `interval_seconds` and `metadata`.
///
/// # Errors
/// The first fault.
pub fn read_worker(row: &str) -> Result<Option<ReadWorker>, RowFault> {
    let read: WorkerColumns = columns(row)?;
    let heartbeat = Heartbeat {
        state: read.state,
        interval_seconds: read.interval_seconds,
        queue: read.queue,
        version: read.version,
        running: read.running,
        capacity: read.capacity,
        metadata: read.metadata.unwrap_or_default(),
        ..Heartbeat::default()
    };
    heartbeat.check(&read.name)?;
    Ok(read.last_heartbeat.map(|beat_at| ReadWorker { name: read.name, beat_at, heartbeat }))
}

/// Reads an execution. The columns are `id` and `state`, and, as far as they are there, `worker`,
/// `attempt`, `max_attempts`, `error` and `since` (a `timestamptz`).
///
/// # Errors
/// The first fault.
pub fn read_execution(row: &str) -> Result<ReadExecution, RowFault> {
    let read: ExecutionColumns = columns(row)?;
    let report = Report {
        worker: read.worker,
        attempt: read.attempt,
        max_attempts: read.max_attempts,
        error: read.error,
        ..Report::of(&read.id, read.state)
    };
    report.check()?;
    Ok(ReadExecution { report, since: read.since })
}

/// What was written down of a worker when the register was read before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Its heartbeat by the register's clock.
    pub beat_at: DateTime<Utc>,
    /// How it is.
    pub state: WorkerState,
}

/// A worker that gave a sign of life, and how long ago that was.
#[derive(Debug, Clone, PartialEq)]
pub struct Sign {
    /// The worker.
    pub worker: ReadWorker,
    /// How long ago.
    pub age: TimeDelta,
    /// It is seen for the first time, and has been silent for too long by the register's own clock.
    pub is_stale: bool,
}

/// The fault of names that come more than once.
#[must_use]
pub fn twice<'a>(names: impl Iterator<Item = &'a str>) -> Option<RowFault> {
    let mut seen = BTreeSet::new();
    let mut names = names;
    let name = names.find(|name| !seen.insert(*name))?;
    Some(RowFault::Twice(name.to_owned()))
}

/// The signs of life of a read: of workers whose heartbeat or state is another than it was, and of
/// those that are not known yet. `now` is the register's clock, `since` how long ago the read before
/// was by ours. Workers that were silent for so long that they would be forgotten are left alone.
#[must_use]
pub fn signs(
    read: Vec<ReadWorker>,
    known: &BTreeMap<String, Known>,
    now: DateTime<Utc>,
    since: Option<TimeDelta>,
) -> Vec<Sign> {
    let mut newest: BTreeMap<String, ReadWorker> = BTreeMap::new();
    for worker in read {
        let other = newest.get(&worker.name);
        if other.is_none_or(|other| other.beat_at <= worker.beat_at) {
            newest.insert(worker.name.clone(), worker);
        }
    }
    let sign = |worker: ReadWorker| {
        let age = (now - worker.beat_at).max(TimeDelta::zero());
        let said = worker.heartbeat.state.unwrap_or(WorkerState::Active);
        let Some(known) = known.get(&worker.name) else {
            let is_old = age > kept_for(kind_of(&worker.name).is_autoscaled);
            let verdict = judge(said, worker.heartbeat.interval(), age);
            let is_stale = verdict == Verdict::Stale;
            return (!is_old).then_some(Sign { worker, age, is_stale });
        };
        if known.beat_at == worker.beat_at && known.state == said {
            return None;
        }
        // It came after the read before, whatever the clock over there says.
        let age = since.map_or(age, |since| age.min(since.max(TimeDelta::zero())));
        Some(Sign { worker, age, is_stale: false })
    };
    newest.into_values().filter_map(sign).collect()
}

#[cfg(test)]
mod tests;
