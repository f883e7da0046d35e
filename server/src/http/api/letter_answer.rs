//! One letter as programs get it: the summary's members, with `arrivals` as the list of arrivals
//! where the summary has their number.

use chrono::{DateTime, Utc};
use dlo_domain::arrival::Arrival;
use dlo_domain::audit::AuditEntry;
use dlo_domain::death::{Death, Reason};
use dlo_domain::error_report::KeptErrorReport;
use dlo_domain::failure::Circumstances;
use dlo_domain::ids::{GroupId, LetterId, SourceId};
use dlo_domain::letter::{Letter, OmittedOfLetter};
use dlo_domain::policy::LetterRetries;
use dlo_domain::replay::LetterReplay;
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;
use serde::Serialize;
use utoipa::ToSchema;

/// A letter with everything known of it. The members are those of the domain's letter.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LetterAnswer {
    id: LetterId,
    state: LetterState,
    severity: Severity,
    source: String,
    source_id: SourceId,
    vhost: String,
    queue: Option<String>,
    exchange: Option<String>,
    routing_key: Option<String>,
    reason: Reason,
    error_class: Option<String>,
    error_message: Option<String>,
    stack_trace: Option<String>,
    told_by: Option<String>,
    /// What the last arrival tells around its failure.
    circumstances: Circumstances,
    /// What workers reported of it: at most 20, its last arrival's first, of each the newest first. Their stack traces
    /// are at `/error-reports/{id}`.
    error_reports: Vec<KeptErrorReport>,
    message_type: Option<String>,
    message_id: Option<String>,
    size_bytes: i64,
    first_arrived_at: DateTime<Utc>,
    last_arrived_at: DateTime<Utc>,
    group_id: Option<GroupId>,
    group_title: Option<String>,
    /// How many letters its group has, itself included.
    group_letters: Option<i64>,
    execution_id: Option<String>,
    worker: Option<String>,
    deaths: Vec<Death>,
    arrivals: Vec<Arrival>,
    replays: Vec<LetterReplay>,
    /// What retry policies did with it, and will do.
    retries: LetterRetries,
    audit: Vec<AuditEntry>,
    /// How much is left out, where it is very much.
    #[serde(skip_serializing_if = "OmittedOfLetter::is_nothing")]
    omitted: OmittedOfLetter,
}

impl LetterAnswer {
    /// The answer of a letter, with what workers reported of it.
    pub(crate) fn new(letter: Letter, error_reports: Vec<KeptErrorReport>) -> Self {
        let summary = letter.summary;
        Self {
            id: summary.id,
            state: summary.state,
            severity: summary.severity,
            source: summary.source,
            source_id: summary.source_id,
            vhost: letter.vhost,
            queue: summary.queue,
            exchange: summary.exchange,
            routing_key: summary.routing_key,
            reason: summary.reason,
            error_class: summary.error_class,
            error_message: summary.error_message,
            stack_trace: letter.stack_trace,
            told_by: letter.told_by,
            circumstances: letter.circumstances,
            error_reports,
            message_type: summary.message_type,
            message_id: summary.message_id,
            size_bytes: summary.size_bytes,
            first_arrived_at: summary.first_arrived_at,
            last_arrived_at: summary.last_arrived_at,
            group_id: summary.group_id,
            group_title: summary.group_title,
            group_letters: letter.group_letters,
            execution_id: letter.execution_id,
            worker: letter.worker,
            deaths: letter.deaths,
            arrivals: letter.arrivals,
            replays: letter.replays,
            retries: letter.retries,
            audit: letter.audit,
            omitted: letter.omitted,
        }
    }
}
