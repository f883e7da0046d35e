//! What we make of an execution ourselves: it is failed, called off, or goes to another worker.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{Execution, ExecutionState};
use crate::reading::cut;

/// The type of the message that tells of an end.
pub const COMPLETED: &str = "ExecutionCompleted";

impl Execution {
    /// Ends one that is not over: failed or cancelled, with who did it and why.
    #[must_use]
    pub fn ended_by(
        &self,
        state: ExecutionState,
        (by, error): (&str, &str),
        at: DateTime<Utc>,
    ) -> Self {
        debug_assert!(self.state.may_become(state) && state.is_terminal());
        Self {
            state,
            state_since: at,
            ended_at: Some(at),
            error: Some(cut(error, super::MOST_ERROR_BYTES)),
            failed_by: Some(by.to_owned()),
            is_stuck: false,
            ..self.clone()
        }
    }

    /// Hands it to another worker, as the next attempt.
    #[must_use]
    pub fn rescheduled(&self, worker: &str, at: DateTime<Utc>) -> Self {
        Self {
            state: ExecutionState::Scheduled,
            worker: Some(worker.to_owned()),
            attempt: self.attempt + 1,
            max_attempts: self.max_attempts.max(self.attempt + 1),
            state_since: at,
            scheduled_at: Some(at),
            error: None,
            failed_by: None,
            is_stuck: false,
            ..self.clone()
        }
    }

    /// Lets what was not begun have its whole time again: its message goes back to its queue. What is
    /// being worked on goes on.
    #[must_use]
    pub fn spared(&self, at: DateTime<Utc>) -> Self {
        let state_since = if self.state < ExecutionState::Running { at } else { self.state_since };
        Self { state_since, is_stuck: false, ..self.clone() }
    }

    /// What came of one that was ended by us.
    #[must_use]
    pub fn result(&self) -> Value {
        json!({ "error": self.error, "failed_by": self.failed_by })
    }

    /// The message that tells of its end. An id that is a whole number is written as one, since
    /// systems that number their executions read it back as a number.
    #[must_use]
    pub fn completed_message(&self) -> Value {
        let number: Option<i64> = self.id.parse().ok();
        let id = match number.filter(|number| number.to_string() == self.id) {
            Some(number) => json!(number),
            None => json!(self.id),
        };
        json!({
            "message_type": COMPLETED,
            "payload": {
                "execution_id": id,
                "status": self.state,
                "result": self.result(),
            },
        })
    }
}
