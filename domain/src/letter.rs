//! A letter: one logical dead-lettered message, followed across replays.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::arrival::Arrival;
use crate::audit::AuditEntry;
use crate::death::{Death, Reason};
use crate::error_report;
use crate::failure::{Circumstances, framework_name};
use crate::ids::{GroupId, LetterId, SourceId};
use crate::policy::LetterRetries;
use crate::replay::LetterReplay;
use crate::severity::Severity;
use crate::state::LetterState;

/// A letter in a list. Texts are cut to what a list can show; the letter itself has them whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LetterSummary {
    /// Its id.
    pub id: LetterId,
    /// Where it stands.
    pub state: LetterState,
    /// How bad it is.
    pub severity: Severity,
    /// The name of the source it was taken from.
    pub source: String,
    /// The source's id.
    pub source_id: SourceId,
    /// The queue that it died in; absent when nothing tells.
    pub queue: Option<String>,
    /// The exchange that it had been published to; `""` is the default exchange.
    pub exchange: Option<String>,
    /// The routing key that it had been published with.
    pub routing_key: Option<String>,
    /// Whether only the message itself says that it died in `queue`: neither the last read of the
    /// broker's queues nor the source's `origins` confirms that dead letters of that queue come here.
    /// Whoever may publish to the source can write such a message.
    #[serde(default)]
    pub origin_claimed: bool,
    /// Why it died.
    pub reason: Reason,
    /// The exception's class, when something tells.
    pub error_class: Option<String>,
    /// The exception's message, when something tells.
    pub error_message: Option<String>,
    /// The message's type, when something tells.
    pub message_type: Option<String>,
    /// The sender's message id: may be doubled or reused.
    pub message_id: Option<String>,
    /// Size of the last arrival's body in bytes.
    pub size_bytes: i64,
    /// How often its message reached a source.
    pub arrivals: i32,
    /// When it was first taken.
    pub first_arrived_at: DateTime<Utc>,
    /// When it was last taken.
    pub last_arrived_at: DateTime<Utc>,
    /// The group it belongs to, once it is grouped.
    pub group_id: Option<GroupId>,
    /// What that group is called.
    #[serde(default)]
    pub group_title: Option<String>,
}

/// One letter with all that is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Letter {
    /// What the list shows.
    #[serde(flatten)]
    pub summary: LetterSummary,
    /// The vhost of its source.
    pub vhost: String,
    /// How many letters its group has, itself included, once it is grouped.
    #[serde(default)]
    pub group_letters: Option<i64>,
    /// The death history of the last arrival, newest first.
    pub deaths: Vec<Death>,
    /// The stack trace, when a header holds one.
    pub stack_trace: Option<String>,
    /// Whose words the failure is told in: a framework's, `custom` for the names in the source's settings, `report` for
    /// an error report, `headers` for any others.
    pub told_by: Option<String>,
    /// What the last arrival tells around its failure. A page has it as sentences.
    #[serde(skip)]
    pub circumstances: Circumstances,
    /// Every arrival, oldest first.
    #[serde(rename = "arrivals_detail")]
    pub arrivals: Vec<Arrival>,
    /// The execution that it names, when its source says where to look.
    pub execution_id: Option<String>,
    /// The worker that it was meant for, when something tells: the one that has its execution, else the only
    /// one that works on the queue that it died in.
    pub worker: Option<String>,
    /// The replays that it was part of, newest first.
    pub replays: Vec<LetterReplay>,
    /// What retry policies did with it, and will do.
    #[serde(default)]
    pub retries: LetterRetries,
    /// Who did what with it, newest first.
    pub audit: Vec<AuditEntry>,
    /// What the answer leaves out.
    #[serde(default, skip_serializing_if = "OmittedOfLetter::is_nothing")]
    pub omitted: OmittedOfLetter,
}

impl Letter {
    /// What is told around its failure, and by whom, as sentences.
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        let summary = &self.summary;
        let is_bare = summary.error_class.is_none() && self.stack_trace.is_none();
        let bare = (is_bare && summary.error_message.is_some())
            .then(|| "its sender gives no class and no stack".to_owned());
        let told_by = self.told_by.as_deref().map(|told_by| {
            let whose = match told_by {
                "headers" => "its own headers",
                "custom" => "the names that its source has for it",
                error_report::TOLD_BY => "an error report of a worker",
                framework => framework_name(framework),
            };
            format!("told by {whose}")
        });
        bare.into_iter().chain(self.circumstances.says()).chain(told_by).collect()
    }
}

/// How much of a letter is left out, so that an answer stays small: the oldest of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct OmittedOfLetter {
    /// Arrivals. Each can be read with `GET /letters/{id}/arrivals/{ordinal}`.
    pub arrivals: u32,
    /// Replays.
    pub replays: u32,
    /// Lines of the audit trail.
    pub audit: u32,
    /// Bytes of the stack trace. The headers of its arrival have it whole.
    pub stack_trace_bytes: u32,
}

impl OmittedOfLetter {
    /// Whether nothing is left out.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Arrivals of a letter that an answer has, the newest.
pub const MOST_ARRIVALS: usize = 100;

/// Replays of a letter that an answer has, the newest.
pub const MOST_REPLAYS: usize = 100;

/// Lines of a letter's audit trail that an answer has, the newest.
pub const MOST_AUDIT: usize = 100;

/// The longest detail of a replay or of a line of the audit trail that an answer has, in bytes.
pub const MOST_DETAIL_BYTES: usize = 500;

/// What the headers, deaths and notes of all arrivals in an answer may take, in bytes.
pub const ARRIVALS_BUDGET: usize = 500_000;

/// What the stack trace in an answer may take, in bytes.
pub const STACK_TRACE_BUDGET: usize = 250_000;
