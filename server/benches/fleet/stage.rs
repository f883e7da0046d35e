//! A private Postgres with the workers and executions, and an office's parts before it.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::worker::Heartbeat;
use dlo_sandbox::{Sandbox, SandboxOptions};
use dlo_server::broker::Brokers;
use dlo_server::clock::{Clock as _, ManualClock, SystemClock};
use dlo_server::config::ReplayConfig;
use dlo_server::desk::PgDesk;
use dlo_server::fleet::{Beats, HTTP};
use dlo_server::replay::Waits;
use dlo_server::store::{self, workers::beats::Beat};
use futures_util::future::try_join_all;
use sqlx::PgPool;

use crate::Outcome;

/// A worker in so many falls silent in the outage.
pub const SILENT_ONE_IN: usize = 10;

/// What the bench plays on.
pub struct Stage {
    pub pool: PgPool,
    pub clock: Arc<ManualClock>,
    pub brokers: Arc<Brokers>,
    workers: usize,
    beats: Beats,
    sandbox: Sandbox,
}

impl Stage {
    /// Starts the server and fills it.
    pub async fn prepare(workers: usize, executions: i64) -> Outcome<Self> {
        let sandbox = Sandbox::start(SandboxOptions {
            data_dir: None,
            postgres: true,
            rabbitmq: false,
            ..SandboxOptions::default()
        })
        .await?;
        let pool = store::connect(&sandbox.endpoints().database, 12)?;
        store::migrate(&pool).await?;
        let clock = Arc::new(ManualClock::at(SystemClock.now()));
        let stage = Self {
            beats: Beats::new(pool.clone(), clock.clone(), HTTP),
            brokers: Arc::new(Brokers::main("amqp://127.0.0.1:1/%2f", None)),
            pool,
            clock,
            workers,
            sandbox,
        };
        stage.beat(|_| true).await?;
        stage.execute(executions).await?;
        println!("{workers} workers, {executions} executions");
        Ok(stage)
    }

    /// A desk of the bench's time.
    pub fn desk(&self) -> PgDesk {
        PgDesk::new(
            self.pool.clone(),
            self.brokers.clone(),
            self.clock.clone(),
            (Waits::default(), ReplayConfig::default()),
        )
    }

    /// Heartbeats of those who are wanted, all at once.
    pub async fn beat(&self, wanted: impl Fn(usize) -> bool) -> Outcome<()> {
        let beats = (0..self.workers).filter(|number| wanted(*number));
        let beats = beats.map(|number| {
            self.beats.take(Beat {
                name: format!("worker-{number}"),
                heartbeat: Heartbeat {
                    queue: Some(format!("worker.{number}.executions")),
                    running: Some(1),
                    capacity: Some(4),
                    ..Heartbeat::default()
                },
                refused_queue: None,
            })
        });
        try_join_all(beats).await?;
        Ok(())
    }

    /// So many seconds go by.
    pub fn pass(&self, seconds: i64) {
        self.clock.advance(TimeDelta::seconds(seconds));
    }

    /// Executions of the last day: of a hundred, one is scheduled since seconds, one runs, three failed
    /// and the others are completed.
    async fn execute(&self, executions: i64) -> Outcome<()> {
        let now: DateTime<Utc> = self.clock.now();
        sqlx::query(
            "insert into executions (id, key, state, worker, first_seen_at, state_since,
                 requested_at, scheduled_at, running_at, ended_at, error, failed_by)
             select 'execution-' || n, gen_random_uuid(), state, 'worker-' || n % $3, at, at,
                 at, at, case when state <> 'scheduled' then at end,
                 case when state in ('completed', 'failed') then at end,
                 case state when 'failed' then 'the worker said no' end,
                 case state when 'failed' then 'worker' end
             from (select n, case n % 100 when 0 then 'scheduled' when 1 then 'running'
                          when 2 then 'failed' when 3 then 'failed' when 4 then 'failed'
                          else 'completed' end as state,
                       case when n % 100 < 2 then $1 - interval '10 s'
                          else $1 - n * interval '1 day' / $2 end as at
                   from generate_series(0, $2 - 1) as n) as made",
        )
        .bind(now)
        .bind(executions)
        .bind(i64::try_from(self.workers)?)
        .execute(&self.pool)
        .await?;
        sqlx::raw_sql("vacuum analyze executions, workers").execute(&self.pool).await?;
        Ok(())
    }

    /// Ends the server.
    pub async fn end(self) -> Outcome<()> {
        self.pool.close().await;
        self.sandbox.stop().await?;
        Ok(())
    }
}
