//! What is asked about executions.

use async_trait::async_trait;
use dlo_domain::audit::Actor;
use dlo_domain::execution::{
    Execution, ExecutionDetail, ExecutionFigures, ExecutionQuery, ExecutionState, Report, Reported,
};
use dlo_domain::globs::Globs;
use dlo_domain::page::{Cursor, Page};

use super::DeskError;

/// The part of the port that is about executions.
#[async_trait]
pub trait ExecutionDesk: Sync {
    /// A page of executions, newest first; of stuck ones the longest first. `limit` is 1 to 500.
    async fn executions(
        &self,
        query: &ExecutionQuery,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Execution>, DeskError>;

    /// One execution, with the letters that name it.
    async fn execution(&self, id: &str) -> Result<ExecutionDetail, DeskError>;

    /// Takes reports, each judged by itself, in their order. One that cannot be kept makes all of
    /// them invalid.
    async fn report_executions(&self, reports: &[Report]) -> Result<Vec<Reported>, DeskError> {
        self.report_executions_of(reports, &Globs::any()).await
    }

    /// The same for somebody who speaks for these workers alone: a report of an execution that another one has
    /// is refused.
    async fn report_executions_of(
        &self,
        reports: &[Report],
        workers: &Globs,
    ) -> Result<Vec<Reported>, DeskError>;

    /// Ends an execution: failed or cancelled, in the actor's name. One that is over is a conflict.
    async fn end_execution(
        &self,
        actor: &Actor,
        id: &str,
        state: ExecutionState,
        reason: &str,
    ) -> Result<Execution, DeskError>;

    /// How executions fare.
    async fn execution_figures(&self) -> Result<ExecutionFigures, DeskError>;
}
