//! An office that looks after workers, whose clock stands until it is moved.

use std::sync::Arc;

use chrono::TimeDelta;
use dlo_app::desk::FleetDesk as _;
use dlo_domain::worker::{Condition, Heartbeat, WorkerReport, WorkerState};
use sqlx::PgPool;

use crate::clock::ManualClock;
use crate::desk::PgDesk;
use crate::fixture;
use crate::fleet::{Monitor, Part};

/// One office with its monitor.
pub(super) struct Workforce {
    pub(super) pool: PgPool,
    pub(super) clock: Arc<ManualClock>,
    pub(super) desk: PgDesk,
    pub(super) monitor: Monitor,
}

/// What a worker says that says nothing but that it lives.
pub(super) fn alive() -> Heartbeat {
    Heartbeat::default()
}

/// The same with its state.
pub(super) fn saying(state: WorkerState) -> Heartbeat {
    Heartbeat { state: Some(state), ..Heartbeat::default() }
}

impl Workforce {
    pub(super) async fn open(pool: &PgPool) -> Self {
        let clock = Arc::new(ManualClock::at(fixture::noon()));
        let desk = fixture::desk(pool, &clock);
        let mut force = Self { monitor: monitor(pool, &clock), pool: pool.clone(), clock, desk };
        force.look().await;
        force
    }

    /// Another office's monitor, of the same time.
    pub(super) fn other_monitor(&self) -> Monitor {
        monitor(&self.pool, &self.clock)
    }

    /// A heartbeat.
    pub(super) async fn beat(&self, name: &str, beat: Heartbeat) -> WorkerState {
        let told = self.desk.heartbeat(name, beat).await;
        told.expect("written down").state
    }

    /// The monitor looks once.
    pub(super) async fn look(&mut self) {
        self.monitor.look().await.expect("looked");
    }

    /// Time goes on, and the monitor looks every second.
    pub(super) async fn pass(&mut self, seconds: usize) {
        for _ in 0..seconds {
            self.clock.advance(TimeDelta::seconds(1));
            self.look().await;
        }
    }

    /// The clock is set, or nobody looks for so long.
    pub(super) fn jump(&self, seconds: i64) {
        self.clock.advance(TimeDelta::seconds(seconds));
    }

    pub(super) async fn report(&self, name: &str) -> WorkerReport {
        self.desk.worker(name).await.expect("known")
    }

    pub(super) async fn condition(&self, name: &str) -> Condition {
        self.report(name).await.worker.condition
    }
}

fn monitor(pool: &PgPool, clock: &Arc<ManualClock>) -> Monitor {
    let part = Part { hears_http: true, judges: true };
    Monitor::new(pool.clone(), clock.clone(), part)
}
