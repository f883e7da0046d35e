//! What the application says of its failure: in headers or in the body, as its framework writes it, by the names that
//! people invent, or by those that a source's settings name.

mod exception;
mod frameworks;
mod message;
mod plain;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use frameworks::framework_name;
pub use message::FailedMessage;
pub(crate) use message::time_of;
pub use plain::{CLASSES, MESSAGES};

/// A failure as it is told. Every member may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// Whose words these are: a framework's (`spring`, `masstransit`, `nservicebus`, `rebus`, `wolverine`, `symfony`,
    /// `celery`, `laravel`, `sneakers`, `easynetq`), `custom` for the source's own names, `report` for an error report,
    /// `headers` for any others.
    pub told_by: Option<String>,
    /// The exception's class or type.
    pub error_class: Option<String>,
    /// The exception's message.
    pub error_message: Option<String>,
    /// The stack trace.
    pub stack_trace: Option<String>,
    /// The queue that failed to process it.
    pub queue: Option<String>,
    /// The virtual host of that queue.
    pub vhost: Option<String>,
    /// The exchange it was published to.
    pub exchange: Option<String>,
    /// The routing key it was published with.
    pub routing_key: Option<String>,
    /// The message's type.
    pub message_type: Option<String>,
    /// What is told around it.
    pub circumstances: Circumstances,
}

/// What is told around a failure. Every member may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Circumstances {
    /// How often it was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// How often it may be tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_attempts: Option<u32>,
    /// How often it was tried again after the first time, where that is what is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// When it failed, by the clock of whoever tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<DateTime<Utc>>,
    /// The machine that it failed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The process, or the endpoint, that it failed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// The version of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The trace that it belongs to, as W3C Trace Context writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

impl Circumstances {
    /// Whether nothing is told.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// The same, with what `other` tells where nothing is told here. How often something was tried is not put together
    /// of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let counts = (self.attempts, self.most_attempts, self.retries);
        let (attempts, most_attempts, retries) = match counts {
            (None, None, None) => (other.attempts, other.most_attempts, other.retries),
            counts => counts,
        };
        Self {
            attempts,
            most_attempts,
            retries,
            failed_at: self.failed_at.or(other.failed_at),
            host: self.host.or(other.host),
            process: self.process.or(other.process),
            version: self.version.or(other.version),
            traceparent: self.traceparent.or(other.traceparent),
        }
    }

    /// How often, when and where it failed, for people; `None` if that is not told.
    #[must_use]
    pub fn says(&self) -> Option<String> {
        let mut parts = Vec::new();
        match (self.attempts, self.most_attempts, self.retries) {
            (Some(count), Some(most), _) => parts.push(format!("attempt {count} of {most}")),
            (Some(count), None, _) => parts.push(format!("attempt {count}")),
            (None, _, Some(count)) => parts.push(format!("retry {count}")),
            (None, ..) => {}
        }
        if let Some(at) = self.failed_at {
            parts.push(at.format("failed %F %T UTC").to_string());
        }
        if let Some(host) = &self.host {
            parts.push(format!("on {host}"));
        }
        if let Some(process) = &self.process {
            let version = self.version.as_ref().map(|version| format!(" {version}"));
            parts.push(format!("in {process}{}", version.unwrap_or_default()));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Where messages of a source that follows no known framework tell their failure: names of headers, or, where they
/// begin with `/`, JSON pointers (RFC 6901) into the body.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HeaderMap {
    /// Holds the exception's class.
    pub error_class: Option<String>,
    /// Holds the exception's message.
    pub error_message: Option<String>,
    /// Holds the stack trace.
    pub stack_trace: Option<String>,
    /// Holds the failing queue.
    pub queue: Option<String>,
    /// Holds the message's type.
    pub message_type: Option<String>,
    /// Holds what people know the work by, such as an order's number: letters that have the same are related.
    pub business_key: Option<String>,
}

/// Reads the failure that a message tells of: the source's own names first, then its framework's.
#[must_use]
pub fn read_failure(told: &FailedMessage<'_>, names: &HeaderMap) -> Failure {
    let custom = plain::custom(told, names);
    let framework = frameworks::recognise(told).unwrap_or_else(|| plain::read(told));
    let mut failure = merge(custom, framework);
    let traces =
        ["traceparent", "cloudEvents:traceparent", "cloudEvents_traceparent", "ce-traceparent"];
    failure.circumstances.traceparent = told.first(&traces);
    failure
}

fn merge(first: Failure, second: Failure) -> Failure {
    Failure {
        told_by: first.told_by.or(second.told_by),
        error_class: first.error_class.or(second.error_class),
        error_message: first.error_message.or(second.error_message),
        stack_trace: first.stack_trace.or(second.stack_trace),
        queue: first.queue.or(second.queue),
        vhost: second.vhost,
        exchange: first.exchange.or(second.exchange),
        routing_key: first.routing_key.or(second.routing_key),
        message_type: first.message_type.or(second.message_type),
        // A source's own names tell nothing of these.
        circumstances: second.circumstances,
    }
}

#[cfg(test)]
mod tests;
