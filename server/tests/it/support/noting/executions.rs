//! The part of the noting desk that is about executions. Execution `over` refuses reports.

use async_trait::async_trait;
use dlo_app::desk::{DeskError, ExecutionDesk};
use dlo_domain::audit::Actor;
use dlo_domain::execution::{
    Execution, ExecutionDetail, ExecutionFigures, ExecutionQuery, ExecutionState, Report, Reported,
};
use dlo_domain::globs::Globs;
use dlo_domain::page::{Cursor, Page};
use serde_json::json;

use super::NotingDesk;
use crate::support::samples::{page, sample};

fn sample_execution(id: &str) -> Execution {
    sample(json!({
        "id": id, "state": "running", "worker": "a", "attempt": 1, "max_attempts": 1,
        "state_since": "2026-11-21T12:00:00Z", "first_seen_at": "2026-11-21T12:00:00Z",
        "is_stuck": false,
    }))
}

#[async_trait]
impl ExecutionDesk for NotingDesk {
    async fn executions(
        &self,
        query: &ExecutionQuery,
        _after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Execution>, DeskError> {
        let ExecutionQuery {
            state,
            worker,
            stuck,
        } = query;
        self.note(format!("executions {state:?} {worker:?} {stuck} {limit}"))?;
        Ok(page())
    }

    async fn execution(&self, id: &str) -> Result<ExecutionDetail, DeskError> {
        self.note(format!("execution {id}"))?;
        Ok(ExecutionDetail {
            execution: sample_execution(id),
            result: None,
            letters: Vec::new(),
        })
    }

    async fn report_executions_of(
        &self,
        reports: &[Report],
        _workers: &Globs,
    ) -> Result<Vec<Reported>, DeskError> {
        let told: Vec<String> = reports
            .iter()
            .map(|report| format!("{} is {}", report.id, report.state))
            .collect();
        self.note(told.join(", "))?;
        let reported = |report: &Report| Reported {
            execution: sample_execution(&report.id),
            refused: (report.id == "over").then(|| "it is over".to_owned()),
        };
        Ok(reports.iter().map(reported).collect())
    }

    async fn end_execution(
        &self,
        actor: &Actor,
        id: &str,
        state: ExecutionState,
        reason: &str,
    ) -> Result<Execution, DeskError> {
        self.note(format!("{} makes {id} {state}: {reason}", actor.0))?;
        Ok(sample_execution(id))
    }

    async fn execution_figures(&self) -> Result<ExecutionFigures, DeskError> {
        self.note("execution figures".to_owned())?;
        Ok(ExecutionFigures {
            states: Vec::new(),
            stuck: 0,
            scheduling_latency_ms: None,
            timeouts: 0,
            ended: 0,
            watched_since: None,
            unpublished: 0,
            unpublished_why: None,
        })
    }
}
