//! Error reports: what a worker tells of a message that it could not process, apart from the message, where its reject
//! carries no exception. Which letter a report belongs to is decided here.
//!
//! A report belongs to a letter if that is the only one whose message it can be of, out of all that arrive around it.
//! Where several fit it is joined to none of them: a letter never shows the failure of another.

mod checking;
mod joining;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::failure::{Circumstances, Failure};
use crate::ids::{ErrorReportId, LetterId};

pub use checking::ErrorReportFault;
pub use joining::{ArrivedMessage, JoinedArrival, Joining, MAY_BE_LATE_BY, WAITS_FOR, next_look};

/// Whose words a failure is told in that was reported: the value of `told_by`.
pub const TOLD_BY: &str = "report";

/// An error report as a worker sends it. It names its message by `message_id`, or by `body_sha256` and `queue`: the
/// more of them it names, the surer it is. It tells a class, a message or a stack.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NewErrorReport {
    /// The message's property `message_id`, 1 to 255 bytes.
    pub message_id: Option<String>,
    /// SHA-256 of the message's body as it was delivered, in 64 hexadecimal digits.
    pub body_sha256: Option<String>,
    /// The queue that the worker took the message from, 1 to 255 bytes. Needed where there is no `message_id`.
    pub queue: Option<String>,
    /// The virtual host of that queue, 1 to 255 bytes; any if it is left out.
    pub vhost: Option<String>,
    /// The exception's class or type; cut after 512 bytes.
    pub error_class: Option<String>,
    /// The exception's message; cut after 4 KiB.
    pub error_message: Option<String>,
    /// The stack trace; cut after 128 KiB.
    pub stack_trace: Option<String>,
    /// What is told around it.
    pub circumstances: Circumstances,
}

/// An error report that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorReport {
    /// The message that it is about.
    pub message: ReportedMessage,
    /// What it tells.
    pub failure: ReportedFailure,
}

/// The message that a report is about: by its id, or by its body and queue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportedMessage {
    /// Its property `message_id`.
    pub message_id: Option<String>,
    /// SHA-256 of its body.
    pub body_sha256: Option<[u8; 32]>,
    /// The queue that it was taken from.
    pub queue: Option<String>,
    /// The virtual host of that queue.
    pub vhost: Option<String>,
}

/// What a report tells of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ReportedFailure {
    /// The exception's class or type.
    pub error_class: Option<String>,
    /// The exception's message.
    pub error_message: Option<String>,
    /// The stack trace.
    pub stack_trace: Option<String>,
    /// What is told around it.
    pub circumstances: Circumstances,
}

impl ReportedFailure {
    /// Has a failure tell what was reported of it. What the message itself says of class, message and stack may be of
    /// another exception, so that nothing is put together of both.
    pub fn retell(&self, failure: &mut Failure) {
        let told = self.clone();
        failure.told_by = Some(TOLD_BY.to_owned());
        failure.error_class = told.error_class;
        failure.error_message = told.error_message;
        failure.stack_trace = told.stack_trace;
        failure.circumstances = told.circumstances.or(std::mem::take(&mut failure.circumstances));
    }
}

/// Where a report stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorReportState {
    /// Its letter has not arrived.
    Waiting,
    /// Its letter shows what it tells. Until `open_until` it is taken back if a second letter comes that it may be of.
    Joined,
    /// Several letters may be the one that it is of. It is joined to none.
    Ambiguous,
    /// No letter that it may be of arrived in time.
    Unmatched,
}

/// An error report with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeptErrorReport {
    /// Its id.
    pub id: ErrorReportId,
    /// When it came.
    pub received_at: DateTime<Utc>,
    /// The name of the token that it came with.
    pub reporter: String,
    /// Where it stands.
    pub state: ErrorReportState,
    /// The letter that it is joined to.
    pub letter_id: Option<LetterId>,
    /// The arrival of that letter, from 1.
    pub arrival: Option<i32>,
    /// Until when letters may arrive that it is of.
    pub open_until: DateTime<Utc>,
    /// The message id that it names.
    pub message_id: Option<String>,
    /// The digest of a body that it names, in hexadecimal digits.
    pub body_sha256: Option<String>,
    /// The queue that it names.
    pub queue: Option<String>,
    /// The virtual host that it names.
    pub vhost: Option<String>,
    /// What it tells.
    #[serde(flatten)]
    pub failure: ReportedFailure,
}
