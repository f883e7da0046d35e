//! What workers and schedulers report, and what it makes of an execution.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Execution, ExecutionState, MOST_ERROR_BYTES, MOST_NAME_BYTES, MOST_RESULT_BYTES};
use crate::named::{self, has_nul, is_direction};

/// The most reports of one request.
pub const MOST_REPORTS: usize = 1_000;

/// The most attempts that an execution can have.
const MOST_ATTEMPTS: i32 = 1_000;

/// An execution came to a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The execution; in a request for one it stands in the path.
    #[serde(default, skip_serializing_if = "String::is_empty", deserialize_with = "named::name")]
    #[cfg_attr(feature = "openapi", schema(value_type = named::Name))]
    pub id: String,
    /// Where it stands now.
    pub state: ExecutionState,
    /// The worker that has it.
    #[serde(default, deserialize_with = "named::some_name")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<named::Name>))]
    pub worker: Option<String>,
    /// Which attempt this is of, from 1; the present one when it is left out. A later one may begin
    /// anew, also what had failed or timed out.
    #[serde(default)]
    pub attempt: Option<i32>,
    /// As many attempts as there may be; as it was, else 1, when it is left out.
    #[serde(default)]
    pub max_attempts: Option<i32>,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<String>,
    /// What came of it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub result: Option<Value>,
}

/// Several reports, each judged by itself, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(try_from = "Map<String, Value>")]
pub struct Reports {
    /// 1 to 1,000.
    pub reports: Vec<Report>,
}

impl TryFrom<Map<String, Value>> for Reports {
    type Error = String;

    /// Several reports, or one by itself.
    fn try_from(mut members: Map<String, Value>) -> Result<Self, String> {
        let Some(reports) = members.remove("reports") else {
            let report = Report::deserialize(Value::Object(members));
            return Ok(Self { reports: vec![report.map_err(|why| why.to_string())?] });
        };
        if let Some(name) = members.keys().next() {
            return Err(format!("unknown field `{name}` beside `reports`"));
        }
        let reports = Vec::deserialize(reports).map_err(|why| format!("`reports`: {why}"))?;
        Ok(Self { reports })
    }
}

/// A report that says nothing that can be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportFault {
    /// Names are bounded.
    #[error(
        "`{0}` has 1 to {MOST_NAME_BYTES} bytes, no control characters, and is not `.` or `..`"
    )]
    Name(&'static str),
    /// Attempts are bounded.
    #[error("`{0}` is a number from 1 to {MOST_ATTEMPTS}")]
    Attempts(&'static str),
    /// Errors are bounded.
    #[error("`error` has at most {MOST_ERROR_BYTES} bytes, and no NUL character")]
    Error,
    /// Results are bounded.
    #[error("`result` has at most {MOST_RESULT_BYTES} bytes as JSON, and no NUL character")]
    Result,
}

/// Why a report was not taken: the execution is not where it could follow from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing leaves a state that is the last.
    #[error("execution `{id}` is {state} since {since}: it is over, and cannot become {next}")]
    Over {
        /// The execution.
        id: String,
        /// Its state.
        state: ExecutionState,
        /// Since when.
        since: String,
        /// What was reported.
        next: ExecutionState,
    },
    /// Reports that come late do not turn it back.
    #[error("execution `{id}` is {state} since {since}: it cannot go back to {next}")]
    Back {
        /// The execution.
        id: String,
        /// Its state.
        state: ExecutionState,
        /// Since when.
        since: String,
        /// What was reported.
        next: ExecutionState,
    },
    /// Another attempt is under way.
    #[error("execution `{id}` is at attempt {present} of {most}: this report is of attempt {told}")]
    Attempt {
        /// The execution.
        id: String,
        /// Its attempt.
        present: i32,
        /// As many as there may be.
        most: i32,
        /// What was reported.
        told: i32,
    },
    /// Another worker has it.
    #[error("execution `{id}` is {state} on worker `{has}` since {since}, not on `{told}`")]
    Worker {
        /// The execution.
        id: String,
        /// Its state.
        state: ExecutionState,
        /// The worker that has it.
        has: String,
        /// Since when it is in its state.
        since: String,
        /// The worker that reported.
        told: String,
    },
}

/// Whether a name of an execution or a worker can be kept and shown.
#[must_use]
pub fn is_name(name: &str) -> bool {
    (1..=MOST_NAME_BYTES).contains(&name.len())
        && !name.chars().any(char::is_control)
        && !is_direction(name)
}

impl Report {
    /// That it is in a state, and nothing else.
    #[must_use]
    pub fn of(id: &str, state: ExecutionState) -> Self {
        Self {
            id: id.to_owned(),
            state,
            worker: None,
            attempt: None,
            max_attempts: None,
            error: None,
            result: None,
        }
    }

    /// Checks names and sizes.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), ReportFault> {
        if !is_name(&self.id) {
            return Err(ReportFault::Name("id"));
        }
        if self.worker.as_deref().is_some_and(|name| !is_name(name)) {
            return Err(ReportFault::Name("worker"));
        }
        let numbers = [("attempt", self.attempt), ("max_attempts", self.max_attempts)];
        for (member, number) in numbers {
            if number.is_some_and(|number| !(1..=MOST_ATTEMPTS).contains(&number)) {
                return Err(ReportFault::Attempts(member));
            }
        }
        let error = self.error.as_deref().unwrap_or_default();
        if error.len() > MOST_ERROR_BYTES || error.contains('\0') {
            return Err(ReportFault::Error);
        }
        let fits =
            |result: &Value| result.to_string().len() <= MOST_RESULT_BYTES && !has_nul(result);
        if !self.result.as_ref().is_none_or(fits) {
            return Err(ReportFault::Result);
        }
        Ok(())
    }
}

impl Execution {
    /// What a report makes of it; nothing when it says what is known already.
    ///
    /// # Errors
    /// When the execution is not where the report could follow from.
    pub fn told(&self, report: &Report, at: DateTime<Utc>) -> Result<Option<Self>, Refusal> {
        let attempt = report.attempt.unwrap_or(self.attempt);
        let most = report.max_attempts.unwrap_or(self.max_attempts).max(attempt);
        let is_later = attempt > self.attempt;
        if self.state.is_terminal() && !(is_later && self.state.may_be_tried_again()) {
            let is_the_same = report.state == self.state && attempt == self.attempt;
            return is_the_same.then_some(None).ok_or_else(|| self.over(report.state));
        }
        if attempt < self.attempt {
            return Err(Refusal::Attempt {
                id: self.id.clone(),
                present: self.attempt,
                most: self.max_attempts,
                told: attempt,
            });
        }
        if !is_later {
            self.check_worker(report)?;
            if report.state < self.state {
                return Err(self.back(report.state));
            }
        }
        let mut next = Self {
            attempt,
            max_attempts: most,
            worker: report.worker.clone().or_else(|| self.worker.clone()),
            ..self.clone()
        };
        if is_later || report.state != self.state {
            next.enter(report.state, at);
            next.error.clone_from(&report.error);
            next.failed_by = None;
        }
        Ok((next != *self).then_some(next))
    }

    /// The first report of it: whatever it says.
    #[must_use]
    pub fn begun(report: &Report, at: DateTime<Utc>) -> Self {
        let attempt = report.attempt.unwrap_or(1);
        let mut begun = Self {
            attempt,
            max_attempts: report.max_attempts.unwrap_or(1).max(attempt),
            worker: report.worker.clone(),
            error: report.error.clone(),
            ..Self::unheard(&report.id, at)
        };
        begun.enter(report.state, at);
        begun
    }

    fn enter(&mut self, state: ExecutionState, at: DateTime<Utc>) {
        self.state = state;
        self.state_since = at;
        self.ended_at = None;
        match state {
            ExecutionState::Requested => self.requested_at = Some(at),
            ExecutionState::Scheduling => self.scheduling_at = Some(at),
            ExecutionState::Scheduled => self.scheduled_at = Some(at),
            ExecutionState::Running => self.running_at = Some(at),
            ExecutionState::Completed
            | ExecutionState::Failed
            | ExecutionState::Cancelled
            | ExecutionState::TimedOut => self.ended_at = Some(at),
        }
    }

    /// A worker that lost it to another does not speak for it any more.
    fn check_worker(&self, report: &Report) -> Result<(), Refusal> {
        let is_assigned = self.state >= ExecutionState::Scheduled;
        match (&self.worker, &report.worker) {
            (Some(has), Some(told)) if is_assigned && has != told => Err(Refusal::Worker {
                id: self.id.clone(),
                state: self.state,
                has: has.clone(),
                since: machine(self.state_since),
                told: told.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Says that it is over already.
    #[must_use]
    pub fn over(&self, next: ExecutionState) -> Refusal {
        Refusal::Over {
            id: self.id.clone(),
            state: self.state,
            since: machine(self.state_since),
            next,
        }
    }

    fn back(&self, next: ExecutionState) -> Refusal {
        Refusal::Back {
            id: self.id.clone(),
            state: self.state,
            since: machine(self.state_since),
            next,
        }
    }
}

fn machine(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
