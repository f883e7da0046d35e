//! What a worker says of itself. Members that we do not know are ignored: a worker must not be
//! held for dead because it is newer than we are.

use std::fmt;

use chrono::TimeDelta;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{DEFAULT_INTERVAL, WorkerState};
use crate::named::{self, has_nul, is_direction};

/// Names, queues and versions: as long as an AMQP name can be.
const MOST_NAME: usize = 255;
/// Bytes of a probe's address.
const MOST_URL: usize = 2_048;
/// Bytes of metadata, written as JSON.
pub const MOST_METADATA: usize = 4_096;
/// Seconds between two heartbeats: from, to.
const INTERVALS: (f64, f64) = (0.1, 3_600.0);

/// A sign of life. What is left out stays as it was, but for `running`, which is of the moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(remote = "Self")]
pub struct Heartbeat {
    /// The worker's name. In a message it must be there; in an address it stands already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "named::some_name")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<named::Name>))]
    pub worker: Option<String>,
    /// Seconds until the next one, 0.1 to 3,600; 10 when it was never said.
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
    /// Where it answers when it is well: `http://…` or `https://…`, without a name or a password in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_url: Option<String>,
    /// Whatever else is worth knowing: an object of at most 4,096 bytes.
    #[serde(default, deserialize_with = "object_or_null", skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Heartbeat {
    /// From an object: a list of members in some order says nothing.
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(Members)
    }
}

/// Null says as little as nothing does, as of the other members.
fn object_or_null<'de, D: Deserializer<'de>>(input: D) -> Result<Map<String, Value>, D::Error> {
    Option::deserialize(input).map(Option::unwrap_or_default)
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Heartbeat;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Heartbeat, A::Error> {
        Heartbeat::deserialize(MapAccessDeserializer::new(members))
    }
}

impl Serialize for Heartbeat {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, output)
    }
}

/// What a worker is told in return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HeartbeatAnswer {
    /// What we hold its state to be. `draining` although it did not say so: somebody wants it to
    /// end what it has in hand and to take nothing more.
    pub state: WorkerState,
    /// Why the queue that it named was not taken down; left out where it was, or where it named none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_refused: Option<String>,
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
    #[error("`probe_url` must begin with http:// or https:// and name a host")]
    ProbeUrl,
    /// Everybody who may read workers would see it.
    #[error("`probe_url` must not hold a name or a password: it is shown")]
    ProbeSecret,
    /// A browser would go elsewhere.
    #[error("a worker cannot be called `.` or `..`: in an address these lead elsewhere")]
    Direction,
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
    if is_direction(name) {
        return Err(HeartbeatFault::Direction);
    }
    check_text("worker", Some(name), MOST_NAME)
}

/// Checks the address of a probe as far as can be without a resolver.
fn check_probe(url: &str) -> Result<(), HeartbeatFault> {
    let rest = match url.split_once("://") {
        Some((scheme, rest)) if is_http(scheme) => rest,
        _ => return Err(HeartbeatFault::ProbeUrl),
    };
    // A backslash ends a host as a slash does, wherever addresses are read as browsers do.
    let host = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        return Err(HeartbeatFault::ProbeSecret);
    }
    if host.is_empty() || host.starts_with(':') {
        return Err(HeartbeatFault::ProbeUrl);
    }
    Ok(())
}

fn is_http(scheme: &str) -> bool {
    ["http", "https"].iter().any(|one| scheme.eq_ignore_ascii_case(one))
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
        if self.queue.as_deref().is_some_and(str::is_empty) {
            return Err(HeartbeatFault::Empty("queue"));
        }
        check_text("queue", self.queue.as_deref(), MOST_NAME)?;
        check_text("version", self.version.as_deref(), MOST_NAME)?;
        check_text("probe_url", self.probe_url.as_deref(), MOST_URL)?;
        self.probe_url.as_deref().map_or(Ok(()), check_probe)?;
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
        let holds_nul = |(name, value): (&String, &Value)| name.contains('\0') || has_nul(value);
        if self.metadata.iter().any(holds_nul) {
            return Err(HeartbeatFault::Control("metadata"));
        }
        Ok(())
    }

    /// What it says together with one that came before it, of the same worker.
    #[must_use]
    pub fn after(self, earlier: &Self) -> Self {
        let earlier = earlier.clone();
        // One that had stopped, and lives, is active again.
        let was = earlier.state.map(|state| match state {
            WorkerState::Stopped => WorkerState::Active,
            state => state,
        });
        Self {
            worker: self.worker.or(earlier.worker),
            interval_seconds: self.interval_seconds.or(earlier.interval_seconds),
            state: self.state.or(was),
            queue: self.queue.or(earlier.queue),
            version: self.version.or(earlier.version),
            running: self.running,
            capacity: self.capacity.or(earlier.capacity),
            probe_url: self.probe_url.or(earlier.probe_url),
            metadata: if self.metadata.is_empty() { earlier.metadata } else { self.metadata },
        }
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
