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
use crate::support::front::ID;
use crate::support::full;
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
        Ok(self.full(page(), || {
            let items = [full::execution("job 7")];
            json!({"items": items, "estimated_total": 1, "next_cursor": null})
        }))
    }

    async fn execution(&self, id: &str) -> Result<ExecutionDetail, DeskError> {
        self.note(format!("execution {id}"))?;
        let usual = ExecutionDetail {
            execution: sample_execution(id),
            result: None,
            letters: Vec::new(),
        };
        Ok(self.full(usual, || {
            let mut detail = full::execution(id);
            detail["result"] = json!({"says": "done"});
            detail["letters"] = json!([{"letter_id": ID, "arrived_at": "2026-11-21T03:00:00Z",
                "verdict": "failed", "detail": "of worker-7"}]);
            detail
        }))
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
        Ok(self.told(ExecutionFigures {
            states: Vec::new(),
            stuck: 0,
            scheduling_latency_ms: None,
            timeouts: 0,
            ended: 0,
            watched_since: None,
            unpublished: i64::from(self.is_odd),
            unpublished_why: self.is_odd.then(|| "the exchange work is gone".to_owned()),
        }))
    }
}
