//! What is asked about workers.

use async_trait::async_trait;
use dlo_domain::audit::Actor;
use dlo_domain::worker::{
    Condition, Heartbeat, HeartbeatAnswer, KindSummary, WorkerCursor, WorkerPage, WorkerReport,
};

use super::DeskError;

/// The part of the port that is about workers.
#[async_trait]
pub trait FleetDesk {
    /// Writes a worker's sign of life down, and tells what its state is: it may be told to drain.
    async fn heartbeat(&self, name: &str, beat: Heartbeat) -> Result<HeartbeatAnswer, DeskError>;

    /// A page of workers, stale ones first. `limit` is 1 to 500.
    async fn workers(
        &self,
        condition: Option<Condition>,
        kind: Option<&str>,
        after: Option<&WorkerCursor>,
        limit: u32,
    ) -> Result<WorkerPage, DeskError>;

    /// Workers by kind, those with stale ones first.
    async fn worker_kinds(&self) -> Result<Vec<KindSummary>, DeskError>;

    /// One worker, with everything known of it.
    async fn worker(&self, name: &str) -> Result<WorkerReport, DeskError>;

    /// Has a worker drained, or ends that. A conflict when it has stopped, or is not draining.
    async fn drain_worker(
        &self,
        actor: &Actor,
        name: &str,
        is_to_drain: bool,
    ) -> Result<WorkerReport, DeskError>;
}
