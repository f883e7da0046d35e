//! A broker or a database that stands still lets messages expire that workers would have taken. When it is
//! back they come as letters, all at once, and fail nobody who was not away before. 20 seconds; in full 120.

use std::sync::Arc;
use std::time::Duration;

use dlo_app::desk::ExecutionDesk as _;
use dlo_domain::execution::{ExecutionNaming, ExecutionState, HANDLER, Report};
use dlo_server::broker::Brokers;
use dlo_server::clock::SystemClock;
use dlo_server::config::{ExecutionsConfig, ReplayConfig};
use dlo_server::executions;
use futures_util::StreamExt as _;
use lapin::options::BasicAckOptions;
use lapin::types::AMQPValue;
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::time::sleep;

use crate::harness::frozen::{own_broker, own_database};
use crate::harness::heartbeats::Beating;
use crate::harness::sized;
use crate::support::background::Background;
use crate::support::broker::Vhost;
use crate::support::desk::{Bench, Engine};
use crate::support::fleet::{Lookout, known, own_brokers, say, until_listening};
use crate::support::office::{Office, name_executions};
use crate::support::until_within;
use crate::support::yard;

/// What workers have in their queues: of one that lives, of one that was away long before, and of one that
/// goes away meanwhile.
const ALIVE: u32 = 40;
const DEAD: std::ops::Range<u32> = 100..103;
const GONE: std::ops::Range<u32> = 200..202;

/// How long the server stands still, in seconds, and how long messages live, in milliseconds.
fn measures() -> (u64, i32) {
    sized((20, 10_000), (120, 60_000))
}

/// An office with all that it does, and workers.
struct Story {
    pool: PgPool,
    bench: Bench,
    intake: Office,
    lookout: Lookout,
    engine: Engine,
    beating: [Beating; 2],
    handling: Background,
}

impl Story {
    /// Three workers have been handed work that they have not taken when it begins; one is known to be
    /// silent.
    async fn open(pool: &PgPool, vhost: &Vhost) -> Self {
        let brokers = own_brokers(vhost);
        vhost.dead_letter_pair("dlx", "dead").await;
        let bench = Bench::new(pool, &brokers, &vhost.name).await;
        let naming = ExecutionNaming { path: Some("/id".to_owned()), ..ExecutionNaming::default() };
        name_executions(pool, naming).await;
        let keeper = keeper(pool, &brokers, &vhost.name);
        let handling = Background::new();
        executions::begin(keeper, &handling.duties);
        let lookout = Lookout::start(pool, brokers.clone());
        until_listening(vhost, 1).await;
        let beat = json!({"worker": "dead", "interval_seconds": 0.5}).to_string();
        say(vhost, "heartbeat.dead", beat.as_bytes()).await;
        let beating = ["alive", "gone"].map(|one| Beating::start(&brokers, &vhost.name, one));
        until_within("the dead worker is silent", Duration::from_secs(20), || async {
            known(pool).await.contains(&("dead".to_owned(), true)) && known(pool).await.len() == 3
        })
        .await;
        let story = Self {
            pool: pool.clone(),
            intake: Office::start(pool, &brokers).await,
            engine: bench.engine().await,
            bench,
            lookout,
            beating,
            handling,
        };
        for (worker, ids) in [("alive", 0..ALIVE), ("dead", DEAD), ("gone", GONE)] {
            story.hand_out(vhost, worker, ids).await;
        }
        story
    }

    async fn hand_out(&self, vhost: &Vhost, worker: &str, ids: std::ops::Range<u32>) {
        let queue = format!("worker.{worker}.executions");
        let text = |text: &str| AMQPValue::LongString(text.into());
        let arguments = [
            ("x-dead-letter-exchange", text("dlx")),
            ("x-message-ttl", AMQPValue::LongInt(measures().1)),
        ];
        vhost.queue(&queue, &arguments).await;
        let reports: Vec<Report> =
            ids.clone().map(|id| report(id, ExecutionState::Scheduled, worker)).collect();
        self.report(&reports).await;
        let bodies: Vec<String> = ids.map(|id| json!({"id": id}).to_string()).collect();
        vhost.publish_all(&queue, &bodies).await;
    }

    async fn report(&self, reports: &[Report]) {
        let told = self.bench.desk.report_executions(reports).await;
        for one in told.expect("an answer") {
            assert_eq!(one.refused, None);
        }
    }

    /// All messages have expired. What becomes of them, and of those who wait for them.
    async fn goes_on(&self, vhost: &Vhost) {
        let all = i64::from(ALIVE) + 5;
        until_within("all letters are there", Duration::from_mins(1), || async {
            self.count("select count(*) from letters").await == all
        })
        .await;
        // Only now does the worker take anything.
        let mut deliveries = vhost.consume("worker.alive.executions", "alive").await;
        for _ in 0..ALIVE {
            let next = tokio::time::timeout(Duration::from_mins(1), deliveries.next()).await;
            let delivery = next.expect("it comes").expect("open").expect("a message");
            let body: Value = serde_json::from_slice(&delivery.data).expect("JSON");
            let id = body["id"].as_u64().expect("an id");
            let id = u32::try_from(id).expect("small");
            let states = [ExecutionState::Running, ExecutionState::Completed];
            self.report(&states.map(|state| report(id, state, "alive"))).await;
            delivery.ack(BasicAckOptions::default()).await.expect("acknowledged");
        }
        self.nobody_failed_who_was_not_away().await;
        // Who never comes back is not waited for: its messages go back three times, and no more.
        let gone = "select count(*) from executions where worker = 'gone' and state = 'failed'";
        until_within("the work of who went away fails", Duration::from_secs(150), || async {
            self.count(gone).await == 2
        })
        .await;
        let back = "select count(*) from letter_executions
             where verdict = 'spared' and execution_id like '20_'";
        let back = self.count(back).await;
        assert!((2..=6).contains(&back), "{back} times");
    }

    async fn nobody_failed_who_was_not_away(&self) {
        // Their letters may be the last that are handled.
        let away = "select count(*) from executions where worker = 'dead' and state = 'failed'";
        until_within("the work of who was away before fails", Duration::from_mins(1), || async {
            self.count(away).await == 3
        })
        .await;
        let standing: Vec<(String, String, i64)> = sqlx::query_as(
            "select worker, state, count(*) from executions
             where worker in ('alive', 'dead') group by 1, 2 order by 1, 2",
        )
        .fetch_all(&self.pool)
        .await
        .expect("counted");
        let wanted = [
            ("alive".to_owned(), "completed".to_owned(), i64::from(ALIVE)),
            ("dead".to_owned(), "failed".to_owned(), 3),
        ];
        assert_eq!(standing, wanted);
        let spared = "select count(distinct execution_id) from letter_executions
             where verdict = 'spared' and detail like 'nothing was heard of its broker from % to %'
                 and execution_id::int < 40";
        assert_eq!(self.count(spared).await, i64::from(ALIVE));
        let dead = self.bench.desk.execution("100").await.expect("known");
        assert_eq!(dead.execution.failed_by.as_deref(), Some(HANDLER));
        // Whoever goes away meanwhile may have failed by now too.
        let told: Vec<Value> = sqlx::query_scalar(
            "select body #> '{payload,execution_id}' as id from execution_outbox
             where (body #>> '{payload,execution_id}')::int < 200 order by id",
        )
        .fetch_all(&self.pool)
        .await
        .expect("read");
        assert_eq!(told, DEAD.map(Value::from).collect::<Vec<_>>());
    }

    async fn count(&self, of: &'static str) -> i64 {
        let counted = sqlx::query_scalar(of).fetch_one(&self.pool).await;
        counted.expect("counted")
    }

    async fn close(self) {
        for one in self.beating {
            one.stop();
        }
        self.handling.stop().await;
        self.intake.stop().await;
        self.engine.stop().await;
        self.lookout.stop().await;
    }
}

fn report(id: u32, state: ExecutionState, worker: &str) -> Report {
    Report { worker: Some(worker.to_owned()), ..Report::of(&id.to_string(), state) }
}

fn keeper(pool: &PgPool, brokers: &Brokers, vhost: &str) -> executions::Keeper {
    executions::Keeper {
        pool: pool.clone(),
        clock: Arc::new(SystemClock),
        brokers: Arc::new(brokers.clone()),
        config: ExecutionsConfig {
            completed: Some(yard::completed(vhost)),
            check_every: Duration::from_secs(1),
            ..ExecutionsConfig::default()
        },
        replay: ReplayConfig::default(),
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_that_stands_still_fails_nobody_whose_message_expired(pool: PgPool) {
    let (sandbox, mut vhost) = own_broker().await;
    let server = sandbox.rabbitmq().expect("a broker");
    let story = Story::open(&pool, &vhost).await;
    server.pause().await.expect("paused");
    sleep(Duration::from_secs(measures().0)).await;
    server.resume().await.expect("resumed");
    vhost.reconnect().await;
    story.goes_on(&vhost).await;
    story.close().await;
    vhost.delete().await;
    sandbox.stop().await.expect("stopped");
}

/// Workers ask before they begin, so a database that stands still keeps them from it.
#[tokio::test]
async fn a_database_that_stands_still_fails_nobody_whose_message_expired() {
    let (sandbox, _, pool) = own_database(Duration::from_secs(5)).await;
    let server = sandbox.postgres().expect("a database");
    let vhost = Vhost::create().await;
    let story = Story::open(&pool, &vhost).await;
    server.pause().await.expect("paused");
    sleep(Duration::from_secs(measures().0)).await;
    server.resume().await.expect("resumed");
    story.goes_on(&vhost).await;
    story.close().await;
    pool.close().await;
    vhost.delete().await;
    sandbox.stop().await.expect("stopped");
}
