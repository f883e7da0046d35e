//! The part of the noting desk that is about workers.

use async_trait::async_trait;
use dlo_app::desk::{DeskError, FleetDesk};
use dlo_domain::audit::Actor;
use dlo_domain::worker::{
    Condition, Heartbeat, HeartbeatAnswer, KindSummary, WorkerCursor, WorkerPage, WorkerReport,
    WorkerState,
};
use serde_json::json;

use super::NotingDesk;
use crate::support::samples::sample;

fn sample_worker() -> WorkerReport {
    sample(json!({
        "name": "worker-7", "kind": "worker-*", "condition": "stale",
        "state_since": "2026-11-21T12:00:00Z", "first_seen_at": "2026-11-21T12:00:00Z",
        "last_heartbeat_at": "2026-11-21T12:00:00Z", "silent_ms": 366_000, "interval_ms": 10_000,
        "silent_since": "2026-11-21T12:00:00Z", "queue": "worker.7.executions",
        "down_today_seconds": 366, "way": "http", "metadata": {"zone": "fra"},
        "downtimes": [{"since": "2026-11-21T12:00:00Z", "found_at": "2026-11-21T12:00:31Z"}],
    }))
}

#[async_trait]
impl FleetDesk for NotingDesk {
    async fn heartbeat(&self, name: &str, beat: Heartbeat) -> Result<HeartbeatAnswer, DeskError> {
        self.note(format!("heartbeat of {name}: {:?}", beat.running))?;
        Ok(HeartbeatAnswer {
            state: WorkerState::Draining,
            queue_refused: None,
        })
    }

    async fn workers(
        &self,
        condition: Option<Condition>,
        kind: Option<&str>,
        after: Option<&WorkerCursor>,
        limit: u32,
    ) -> Result<WorkerPage, DeskError> {
        let after = after.map(|cursor| cursor.name.as_str());
        self.note(format!("workers {condition:?} {kind:?} {after:?} {limit}"))?;
        Ok(self.told(WorkerPage {
            items: vec![sample_worker().worker],
            next_cursor: None,
            estimated_total: 1,
        }))
    }

    async fn worker_kinds(&self) -> Result<Vec<KindSummary>, DeskError> {
        self.note("worker kinds".to_owned())?;
        Ok(self.told(vec![KindSummary {
            kind: "worker-*".to_owned(),
            fresh: 0,
            stale: 1,
            draining: 0,
            stopped: 0,
        }]))
    }

    async fn worker(&self, name: &str) -> Result<WorkerReport, DeskError> {
        self.note(format!("worker {name}"))?;
        Ok(self.told(sample_worker()))
    }

    async fn drain_worker(
        &self,
        actor: &Actor,
        name: &str,
        is_to_drain: bool,
    ) -> Result<WorkerReport, DeskError> {
        self.note(format!("{} drains {name}: {is_to_drain}", actor.0))?;
        Ok(sample_worker())
    }
}
