//! What a worker says of itself. Members that we do not know are ignored: a worker must not be
//! held for dead because it is newer than we are.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use super::{DEFAULT_INTERVAL, WorkerState};

/// Names, queues and versions: as long as an AMQP name can be.
const MOST_NAME: usize = 255;
/// Bytes of a probe's address.
const MOST_URL: usize = 2_048;
/// Bytes of metadata, written as JSON.
pub const MOST_METADATA: usize = 4_096;
/// Seconds between two heartbeats: from, to.
const INTERVALS: (f64, f64) = (0.1, 3_600.0);

/// A sign of life.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Heartbeat {
    /// The worker's name. In a message it must be there; in an address it stands already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Seconds until the next one, 0.1 to 3,600; 10 when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_seconds: Option<f64>,
    /// What it does. When it is left out, that stays as it is, and a stopped worker is active again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<WorkerState>,
    /// The queue that it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// What it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How much it has in hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u32>,
    /// How much it can have in hand at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u32>,
    /// Where it answers when it is well: `http://…` or `https://…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_url: Option<String>,
    /// Whatever else is worth knowing: an object of at most 4,096 bytes.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

/// Why a heartbeat cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeartbeatFault {
    /// Nobody can be named by it.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// It would not fit.
    #[error("`{0}` has more than {1} bytes")]
    TooLong(&'static str, usize),
    /// Neither Postgres nor a person can hold it.
    #[error("`{0}` holds a control character")]
    Control(&'static str),
    /// Nobody can keep that.
    #[error("`interval_seconds` must be from 0.1 to 3600")]
    Interval,
    /// More than a number of SQL can hold.
    #[error("`{0}` is larger than 2147483647")]
    TooLarge(&'static str),
    /// No address that can be asked.
    #[error("`probe_url` must begin with http:// or https://")]
    ProbeUrl,
    /// The name in the address and the one in the body differ.
    #[error("`worker` is not the worker that the address names")]
    OtherWorker,
}

/// Checks a worker's name.
///
/// # Errors
/// A name that is empty, too long, or holds what cannot be shown.
pub fn check_name(name: &str) -> Result<(), HeartbeatFault> {
    if name.trim().is_empty() {
        return Err(HeartbeatFault::Empty("worker"));
    }
    check_text("worker", Some(name), MOST_NAME)
}

fn check_text(member: &'static str, text: Option<&str>, most: usize) -> Result<(), HeartbeatFault> {
    let Some(text) = text else { return Ok(()) };
    if text.len() > most {
        return Err(HeartbeatFault::TooLong(member, most));
    }
    if text.chars().any(char::is_control) {
        return Err(HeartbeatFault::Control(member));
    }
    Ok(())
}

impl Heartbeat {
    /// Checks it, for the worker of this name.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, name: &str) -> Result<(), HeartbeatFault> {
        check_name(name)?;
        if self.worker.as_deref().is_some_and(|own| own != name) {
            return Err(HeartbeatFault::OtherWorker);
        }
        check_text("queue", self.queue.as_deref(), MOST_NAME)?;
        check_text("version", self.version.as_deref(), MOST_NAME)?;
        check_text("probe_url", self.probe_url.as_deref(), MOST_URL)?;
        let is_http = |url: &str| {
            let scheme = url.split_once("://").map(|(scheme, _)| scheme);
            scheme
                .is_some_and(|s| s.eq_ignore_ascii_case("http") || s.eq_ignore_ascii_case("https"))
        };
        if !self.probe_url.as_deref().is_none_or(is_http) {
            return Err(HeartbeatFault::ProbeUrl);
        }
        for (member, count) in [("running", self.running), ("capacity", self.capacity)] {
            if count.is_some_and(|count| i32::try_from(count).is_err()) {
                return Err(HeartbeatFault::TooLarge(member));
            }
        }
        if let Some(seconds) = self.interval_seconds
            && !(INTERVALS.0..=INTERVALS.1).contains(&seconds)
        {
            return Err(HeartbeatFault::Interval);
        }
        self.check_metadata()
    }

    fn check_metadata(&self) -> Result<(), HeartbeatFault> {
        // What is too large to be written is too large.
        let text = serde_json::to_string(&self.metadata).unwrap_or_default();
        if text.len() > MOST_METADATA {
            return Err(HeartbeatFault::TooLong("metadata", MOST_METADATA));
        }
        // The only character that Postgres cannot hold in JSON.
        if text.contains("\\u0000") {
            return Err(HeartbeatFault::Control("metadata"));
        }
        Ok(())
    }

    /// How often it beats.
    #[must_use]
    pub fn interval(&self) -> TimeDelta {
        self.interval_seconds.map_or(DEFAULT_INTERVAL, |seconds| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it was checked, and casts of floats saturate"
            )]
            let millis = (seconds.clamp(INTERVALS.0, INTERVALS.1) * 1_000.0).round() as i64;
            TimeDelta::milliseconds(millis)
        })
    }
}
