//! A desk and a monitor whose clock stands until it is moved.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_app::desk::ExecutionDesk as _;
use dlo_domain::execution::{Execution, ExecutionDetail, ExecutionState, Report};
use dlo_server::broker::Brokers;
use dlo_server::clock::{Clock as _, ManualClock};
use dlo_server::config::{ExecutionsConfig, ReplayConfig};
use dlo_server::desk::PgDesk;
use dlo_server::executions::{self, Keeper};
use dlo_server::store::executions::outbox::Destination;
use sqlx::PgPool;

use super::desk::desk;

/// A desk, and what a monitor works with.
pub struct Yard {
    pub clock: Arc<ManualClock>,
    pub desk: PgDesk,
    pub keeper: Keeper,
    pub pool: PgPool,
}

/// Where ends are told.
pub fn completed(vhost: &str) -> Destination {
    Destination {
        broker: "main".to_owned(),
        vhost: vhost.to_owned(),
        exchange: "executions".to_owned(),
        routing_key: "execution.completed".to_owned(),
    }
}

impl Yard {
    pub fn open(pool: &PgPool) -> Self {
        let nobody = Brokers::main("amqp://127.0.0.1:1/%2f", None);
        Self::at(pool, &nobody, "/")
    }

    pub fn at(pool: &PgPool, brokers: &Brokers, vhost: &str) -> Self {
        let noon: DateTime<Utc> = "2026-11-21T12:00:00Z".parse().expect("a time");
        let clock = Arc::new(ManualClock::at(noon));
        let config =
            ExecutionsConfig { completed: Some(completed(vhost)), ..ExecutionsConfig::default() };
        let keeper = Keeper {
            pool: pool.clone(),
            clock: clock.clone(),
            brokers: Arc::new(brokers.clone()),
            config: config.clone(),
            replay: ReplayConfig::default(),
        };
        let desk = desk(pool, brokers, clock.clone()).with_executions(config);
        Self { clock, desk, keeper, pool: pool.clone() }
    }

    /// Reports; the answer must be that it was taken.
    pub async fn told(&self, id: &str, state: ExecutionState, worker: &str) -> Execution {
        let told = self.try_told(id, state, worker).await;
        told.expect("taken")
    }

    /// Reports; or says why it was refused.
    pub async fn try_told(
        &self,
        id: &str,
        state: ExecutionState,
        worker: &str,
    ) -> Result<Execution, String> {
        let report = Report {
            worker: (!worker.is_empty()).then(|| worker.to_owned()),
            ..Report::of(id, state)
        };
        self.report(report).await
    }

    pub async fn report(&self, report: Report) -> Result<Execution, String> {
        let told = self.desk.report_executions(&[report]).await;
        let mut told = told.expect("an answer");
        let told = told.remove(0);
        told.refused.map_or(Ok(told.execution), Err)
    }

    /// Reports of `many` executions that they are scheduled on a worker.
    pub async fn scheduled(&self, many: usize, worker: &str) -> Vec<String> {
        let ids: Vec<String> = (0..many).map(|number| format!("e-{number:04}")).collect();
        for ids in ids.chunks(500) {
            let reports = ids.iter().map(|id| Report {
                worker: Some(worker.to_owned()),
                ..Report::of(id, ExecutionState::Scheduled)
            });
            let reports: Vec<Report> = reports.collect();
            let told = self.desk.report_executions(&reports).await;
            assert!(told.expect("taken").iter().all(|one| one.refused.is_none()));
        }
        ids
    }

    pub async fn of(&self, id: &str) -> ExecutionDetail {
        self.desk.execution(id).await.expect("an execution")
    }

    /// Lets time go by with somebody looking.
    pub async fn watch_for(&self, seconds: i64) {
        let mut left = seconds;
        while left > 0 {
            let step = left.min(5);
            self.clock.advance(TimeDelta::seconds(step));
            executions::look(&self.keeper).await.expect("looked");
            left -= step;
        }
    }

    pub async fn check(&self) -> usize {
        executions::check(&self.keeper).await.expect("checked")
    }

    /// A worker; one that was heard of, or that has been silent for so long.
    pub async fn worker(&self, name: &str, silent_for: Option<Duration>) {
        let now = self.clock.now();
        worker(&self.pool, name, "shell", silent_for.map(|since| now - since), now).await;
    }

    pub async fn count(&self, of: &'static str) -> i64 {
        let counted = sqlx::query_scalar(of).fetch_one(&self.pool).await;
        counted.expect("counted")
    }
}

/// Writes a worker down, as the workers' part does.
pub async fn worker(
    pool: &PgPool,
    name: &str,
    kind: &str,
    silent_since: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) {
    sqlx::query(
        "insert into workers (name, kind, is_autoscaled, state, state_since, first_seen_at,
             last_heartbeat_at, way, heard_ms, interval_ms, silent_since)
         values ($1, $2, false, 'active', $4, coalesce($3, $4), coalesce($3, $4), 'http', 0, 10000, $3)
         on conflict (name) do update set silent_since = excluded.silent_since",
    )
    .bind(name)
    .bind(kind)
    .bind(silent_since)
    .bind(now)
    .execute(pool)
    .await
    .expect("a worker");
}
