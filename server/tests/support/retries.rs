//! Retry policies and their scheduler, within a test.

use std::sync::Arc;

use dlo_app::desk::PolicyDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::PolicyId;
use dlo_domain::policy::{NewPolicy, Schedule};
use dlo_server::clock::SystemClock;
use dlo_server::config::ReplayConfig;
use dlo_server::retrying::{self, Scheduler};
use sqlx::PgPool;

use super::background::Background;
use super::desk::Bench;

/// A scheduler under way.
pub fn scheduler(pool: &PgPool) -> Background {
    let background = Background::new();
    let scheduler =
        Scheduler::new(pool.clone(), Arc::new(SystemClock), ReplayConfig::default(), true);
    background.duties.every("retries", retrying::LOOK_EVERY, scheduler);
    background
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
