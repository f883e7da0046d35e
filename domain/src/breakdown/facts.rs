//! What of a letter it can be divided by: its queue, and its headers value by value.
//!
//! Left out is what says the failure over again (death history, exceptions, stack traces), what
//! we wrote ourselves, points in time, and texts too long to be anybody's name.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::{Axis, FacetKind};
use crate::grouping::SignatureId;
use crate::ids::LetterId;

/// Names and values of headers that are longer, in bytes, are prose and no names.
pub const MOST_VALUE_BYTES: usize = 256;
/// Values of one letter that are looked at.
const MOST_FACTS: usize = 128;
/// How deep tables within headers are followed.
const MOST_DEPTH: usize = 3;
/// Elements of an array that are looked at.
const MOST_ELEMENTS: usize = 16;

/// Beginnings of names that brokers, their plugins and we ourselves write.
const OWN_PREFIXES: [&str; 4] = ["x-dlo-", "x-original-", "x-opt-", "x-stream-"];
/// Such names as a whole.
const OWN_NAMES: [&str; 4] =
    ["x-delivery-count", "x-acquired-count", "x-received-from", "mt-reason"];
/// Words in names of headers that tell of the failure, or how often it was met.
const OF_FAILURE: [&str; 16] = [
    "attempt",
    "attempts",
    "death",
    "deaths",
    "error",
    "errors",
    "exception",
    "failed",
    "failure",
    "fault",
    "retries",
    "retry",
    "retrycount",
    "stack",
    "stacktrace",
    "traceback",
];
const OF_VERSION: [&str; 6] = ["version", "release", "build", "revision", "commit", "sha"];
const OF_TENANT: [&str; 8] =
    ["tenant", "customer", "account", "org", "organization", "organisation", "client", "workspace"];
const OF_WORKER: [&str; 11] = [
    "worker",
    "consumer",
    "host",
    "hostname",
    "machine",
    "machinename",
    "node",
    "pod",
    "instance",
    "container",
    "processingendpoint",
];

/// What the store knows of a letter that is sampled.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// The letter.
    pub id: LetterId,
    /// Its signature, once it has one.
    pub signature: Option<SignatureId>,
    /// The queue that it died in.
    pub queue: Option<&'a str>,
    /// The exchange that it had been published to.
    pub exchange: Option<&'a str>,
    /// The routing key that it had been published with.
    pub routing_key: Option<&'a str>,
    /// The message's type.
    pub message_type: Option<&'a str>,
    /// The exception's class.
    pub error_class: Option<&'a str>,
    /// The exception's message, or its beginning.
    pub error_message: Option<&'a str>,
    /// When it arrived last.
    pub arrived_at: DateTime<Utc>,
    /// Its headers as they are kept for searching.
    pub headers: Option<&'a Value>,
}

/// A letter of a sample, taken apart.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// The letter.
    pub id: LetterId,
    /// Its signature, once it has one.
    pub signature: Option<SignatureId>,
    /// What it can be divided by, each once.
    pub(super) facts: Vec<(Axis, String)>,
}

impl Sampled {
    /// Takes a letter apart.
    #[must_use]
    pub fn of(told: &Told<'_>) -> Self {
        let fields = [
            (Axis::Queue, told.queue),
            (Axis::Exchange, told.exchange),
            (Axis::RoutingKey, told.routing_key),
            (Axis::MessageType, told.message_type),
        ];
        let mut facts: Vec<(Axis, String)> = fields
            .into_iter()
            .filter_map(|(axis, value)| Some((axis, value?.to_owned())))
            .filter(|(axis, value)| *axis == Axis::Queue || value.len() <= MOST_VALUE_BYTES)
            .collect();
        let mut reader = Reader { told, facts: &mut facts };
        for (name, value) in told.headers.and_then(Value::as_object).into_iter().flatten() {
            reader.read(&mut vec![name.clone()], value);
        }
        facts.sort_unstable();
        facts.dedup();
        Self { id: told.id, signature: told.signature, facts }
    }

    /// The queue that it died in, if it is known.
    #[must_use]
    pub fn queue(&self) -> Option<&str> {
        let named = self.facts.iter().find(|(axis, _)| *axis == Axis::Queue);
        named.map(|(_, queue)| queue.as_str())
    }
}

struct Reader<'a> {
    told: &'a Told<'a>,
    facts: &'a mut Vec<(Axis, String)>,
}

impl Reader<'_> {
    fn read(&mut self, path: &mut Vec<String>, value: &Value) {
        let name = path.last().map_or("", String::as_str);
        if self.facts.len() >= MOST_FACTS || !is_of_interest(name) {
            return;
        }
        match value {
            Value::Object(members) if path.len() < MOST_DEPTH => {
                for (name, value) in members {
                    path.push(name.clone());
                    self.read(path, value);
                    path.pop();
                }
            }
            Value::Object(_) | Value::Null => {}
            Value::Array(elements) => {
                let plain = |value: &&Value| !value.is_array() && !value.is_object();
                for element in elements.iter().filter(plain).take(MOST_ELEMENTS) {
                    self.read(path, element);
                }
            }
            Value::String(text) => self.keep(path, text),
            Value::Number(_) | Value::Bool(_) => self.keep(path, &value.to_string()),
        }
    }

    fn keep(&mut self, path: &[String], value: &str) {
        let says_failure = [self.told.error_class, self.told.error_message].contains(&Some(value));
        let is_name = !value.is_empty() && value.len() <= MOST_VALUE_BYTES;
        if is_name && !says_failure && !is_moment(value, self.told.arrived_at) {
            self.facts.push((Axis::Header(path.to_vec()), value.to_owned()));
        }
    }
}

/// Whether a header of this name can tell more than the failure itself.
fn is_of_interest(name: &str) -> bool {
    let folded = name.to_ascii_lowercase();
    let is_own = OWN_NAMES.contains(&folded.as_str())
        || OWN_PREFIXES.iter().any(|begin| folded.starts_with(begin));
    let is_name = !name.is_empty() && name.len() <= MOST_VALUE_BYTES;
    is_name && !is_own && !has_word(name, &OF_FAILURE)
}

/// What a header tells, by the words of its name.
pub(super) fn kind_of(path: &[String]) -> FacetKind {
    let says = |words: &[&str]| path.iter().any(|name| has_word(name, words));
    if says(&OF_VERSION) {
        FacetKind::Version
    } else if says(&OF_TENANT) {
        FacetKind::Tenant
    } else if says(&OF_WORKER) {
        FacetKind::Worker
    } else {
        FacetKind::Header
    }
}

/// Whether a name holds one of these words: `x-app-version` and `AppVersion` hold `version`.
fn has_word(name: &str, words: &[&str]) -> bool {
    let parts = name.split(|c: char| !c.is_alphanumeric());
    parts.into_iter().any(|part| {
        let is_word = |text: &str| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        is_word(part) || camel_words(part).any(is_word)
    })
}

/// `AppVersion` as `App` and `Version`.
fn camel_words(part: &str) -> impl Iterator<Item = &str> {
    let mut starts: Vec<usize> = vec![0];
    let mut was_lower = false;
    for (place, c) in part.char_indices() {
        if c.is_uppercase() && was_lower {
            starts.push(place);
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    starts.push(part.len());
    let ends = starts.clone().into_iter().skip(1);
    starts.into_iter().zip(ends).map(move |(from, to)| &part[from..to])
}

/// Whether a value is a point in time, written out or counted since 1970 near the arrival.
fn is_moment(value: &str, arrived_at: DateTime<Utc>) -> bool {
    let begin: Vec<u8> = value.bytes().take(12).collect();
    let is_date = |bytes: &[u8]| {
        let shape: Vec<bool> = bytes.iter().map(u8::is_ascii_digit).collect();
        matches!(shape[..], [true, true, true, true, false, true, true, false, true, true])
    };
    if let [date @ .., b'T' | b't' | b' ', hour] = &begin[..]
        && is_date(date)
        && hour.is_ascii_digit()
    {
        return true;
    }
    if DateTime::parse_from_rfc2822(value).is_ok() {
        return true;
    }
    let seconds = value.split('.').next().and_then(|whole| {
        let number: i64 = whole.parse().ok()?;
        match whole.len() {
            9..=10 => Some(number),
            12..=13 => Some(number / 1_000),
            15..=16 => Some(number / 1_000_000),
            18..=19 => Some(number / 1_000_000_000),
            _ => None,
        }
    });
    let time = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.is_some_and(|time| (time - arrived_at).abs() < TimeDelta::days(366))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_by_their_words() {
        let kind = |name: &str| kind_of(&[name.to_owned()]);
        for name in ["version", "x-version", "AppVersion", "x_release", "git.sha"] {
            assert_eq!(kind(name), FacetKind::Version, "{name}");
        }
        for name in ["tenant", "X-Tenant-Id", "tenantId", "customer"] {
            assert_eq!(kind(name), FacetKind::Tenant, "{name}");
        }
        for name in ["x-worker", "MT-Host-MachineName", "pod_name", "hostname"] {
            assert_eq!(kind(name), FacetKind::Worker, "{name}");
        }
        for name in ["conversion", "shape", "ghost", "", "ümläut", "x-lane"] {
            assert_eq!(kind(name), FacetKind::Header, "{name}");
        }
    }

    #[test]
    fn what_says_the_failure_over_again_is_left_out() {
        for name in [
            "x-death",
            "x-first-death-queue",
            "x-last-death-reason",
            "x-dlo-letter",
            "x-exception-stacktrace",
            "x-exception-trace",
            "NServiceBus.ExceptionInfo.Message",
            "NServiceBus.FailedQ",
            "NServiceBus.TimeOfFailure",
            "MT-Fault-InputAddress",
            "MT-Reason",
            "x-original-routingKey",
            "x-error-name",
            "x-traceback",
            "x-stack",
            "x-delivery-count",
            "x-opt-deaths",
            "x-retries",
            "x-retry-count",
            "",
        ] {
            assert!(!is_of_interest(name), "{name}");
        }
        for name in ["x-version", "x-tenant", "x-trace", "retryable", "terror"] {
            assert!(is_of_interest(name), "{name}");
        }
    }

    #[test]
    fn points_in_time_are_no_names() {
        let arrived: DateTime<Utc> = "2026-11-21T12:00:00Z".parse().expect("a time");
        for value in [
            "2026-11-21T12:00:00Z",
            "2024-01-01 07:00:00.123",
            "Sat, 21 Nov 2026 13:59:39 +0000",
            "1795262400",
            "1795262400.5",
            "1795262400123",
            "1795262400123456",
        ] {
            assert!(is_moment(value, arrived), "{value}");
        }
        for value in ["2026-11-21", "2.3.1", "1234567890", "42", "", "ü026-11-21T1"] {
            assert!(!is_moment(value, arrived), "{value}");
        }
    }
}
