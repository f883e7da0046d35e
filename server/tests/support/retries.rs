//! Retry policies and their scheduler, within a test.

use std::sync::Arc;

use dlo_app::desk::PolicyDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::PolicyId;
use dlo_domain::policy::{NewPolicy, Schedule};
use dlo_server::clock::{SharedClock, SystemClock};
use dlo_server::config::ReplayConfig;
use dlo_server::events::Hub;
use dlo_server::retrying::{self, Deps};
use dlo_server::store::StoreError;
use sqlx::PgPool;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::desk::Bench;

/// A scheduler under way.
pub struct Scheduler {
    stop: CancellationToken,
    task: JoinHandle<Result<(), StoreError>>,
}

impl Scheduler {
    pub fn start(pool: &PgPool) -> Self {
        let clock: SharedClock = Arc::new(SystemClock);
        let deps =
            Deps { pool: pool.clone(), clock, replay: ReplayConfig::default(), takes_part: true };
        let stop = CancellationToken::new();
        #[expect(clippy::disallowed_methods, reason = "the test owns the task and ends it")]
        let task = tokio::spawn(retrying::run(deps, Hub::default(), stop.clone()));
        Self { stop, task }
    }

    pub async fn stop(self) {
        self.stop.cancel();
        self.task.await.expect("no panic").expect("an orderly end");
    }
}

pub fn policy(delays_seconds: Vec<u32>) -> NewPolicy {
    NewPolicy {
        name: "again".to_owned(),
        schedule: Schedule { delays_seconds, jitter_percent: 0 },
        retries_per_minute: 60_000,
        breaker: None,
        ..NewPolicy::default()
    }
}

pub async fn add(bench: &Bench, policy: &NewPolicy) -> PolicyId {
    let anna = Actor("anna".to_owned());
    let added = bench.desk.add_policy(&anna, policy).await;
    added.expect("added").id
}
