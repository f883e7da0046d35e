//! What the application says of its failure: presets for the frameworks that write it into
//! headers, and for the header names that people invent.

mod presets;

use serde::{Deserialize, Serialize};

use crate::wire::FieldTable;

pub use presets::{CLASSES, MESSAGES};

/// A failure as told by headers. Every member may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Failure {
    /// Which preset recognised it: `spring`, `masstransit`, `nservicebus`, `celery`, `custom`, `headers`.
    pub told_by: Option<String>,
    /// The exception's class or type.
    pub error_class: Option<String>,
    /// The exception's message.
    pub error_message: Option<String>,
    /// The stack trace.
    pub stack_trace: Option<String>,
    /// The queue that failed to process it.
    pub queue: Option<String>,
    /// The exchange it was published to.
    pub exchange: Option<String>,
    /// The routing key it was published with.
    pub routing_key: Option<String>,
    /// The message's type.
    pub message_type: Option<String>,
}

/// Header names of a source that follows no known framework.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HeaderMap {
    /// Header that holds the exception's class.
    pub error_class: Option<String>,
    /// Header that holds the exception's message.
    pub error_message: Option<String>,
    /// Header that holds the stack trace.
    pub stack_trace: Option<String>,
    /// Header that holds the failing queue.
    pub queue: Option<String>,
    /// Header that holds the message's type.
    pub message_type: Option<String>,
}

/// Reads the failure that headers tell of: the source's own names first, then the presets.
#[must_use]
pub fn read_failure(headers: &FieldTable, names: &HeaderMap) -> Failure {
    let custom = presets::custom(headers, names);
    let preset = presets::recognise(headers);
    merge(custom, preset)
}

fn merge(first: Failure, second: Failure) -> Failure {
    Failure {
        told_by: first.told_by.or(second.told_by),
        error_class: first.error_class.or(second.error_class),
        error_message: first.error_message.or(second.error_message),
        stack_trace: first.stack_trace.or(second.stack_trace),
        queue: first.queue.or(second.queue),
        exchange: first.exchange.or(second.exchange),
        routing_key: first.routing_key.or(second.routing_key),
        message_type: first.message_type.or(second.message_type),
    }
}
