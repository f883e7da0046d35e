//! The dead-letter handler: intake, handler and replay engine against a real broker.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use dlo_app::desk::{ExecutionDesk as _, TriageDesk as _};
use dlo_domain::death::Reason;
use dlo_domain::execution::{
    ExecutionDetail, ExecutionNaming, ExecutionState, HANDLER, HandlerVerdict, Report,
};
use dlo_domain::ids::LetterId;
use dlo_domain::letter::Letter;
use dlo_server::clock::{Clock as _, SystemClock};
use dlo_server::config::{ExecutionsConfig, ReplayConfig};
use dlo_server::executions::{self, Keeper};
use lapin::BasicProperties;
use lapin::types::AMQPValue;
use serde_json::json;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work};
use crate::support::office::{Office, believe, letters, name_executions};
use crate::support::until;
use crate::support::yard;

/// An office that takes dead letters, and workers' queues whose messages expire at once.
pub(super) struct Scene {
    pub(super) pool: PgPool,
    pub(super) vhost: Vhost,
    pub(super) bench: Bench,
    intake: Office,
    pub(super) keeper: Keeper,
}

impl Scene {
    pub(super) async fn open(pool: &PgPool, reschedule_on: Vec<Reason>) -> Self {
        let (vhost, bench) = at_work(pool).await;
        vhost.dead_letter_pair("dlx", "dead").await;
        let naming = ExecutionNaming {
            path: Some("/payload/execution_id".to_owned()),
            message_type: Some("ExecutionRequested".to_owned()),
            reschedule_on,
            ..ExecutionNaming::default()
        };
        name_executions(pool, naming).await;
        let intake = Office::start(pool, &vhost.brokers).await;
        let keeper = Keeper {
            pool: pool.clone(),
            clock: Arc::new(SystemClock),
            brokers: Arc::new(vhost.brokers.clone()),
            config: ExecutionsConfig {
                completed: Some(yard::completed(&vhost.name)),
                ..ExecutionsConfig::default()
            },
            replay: ReplayConfig::default(),
        };
        Self { pool: pool.clone(), vhost, bench, intake, keeper }
    }

    pub(super) async fn worker_queue(&self, worker: &str, ttl_ms: Option<i32>) -> String {
        let queue = format!("worker.{worker}.executions");
        let exchange = ("x-dead-letter-exchange", AMQPValue::LongString("dlx".into()));
        let mut arguments = vec![exchange];
        arguments.extend(ttl_ms.map(|ttl| ("x-message-ttl", AMQPValue::LongInt(ttl))));
        self.vhost.queue(&queue, &arguments).await;
        queue
    }

    pub(super) async fn worker(&self, name: &str, kind: &str, silent_since: Option<DateTime<Utc>>) {
        yard::worker(&self.pool, name, kind, silent_since, SystemClock.now()).await;
    }

    pub(super) async fn scheduled(&self, id: &str, worker: &str, max_attempts: i32) {
        let report = Report {
            worker: Some(worker.to_owned()),
            max_attempts: Some(max_attempts),
            ..Report::of(id, ExecutionState::Scheduled)
        };
        let told = self.bench.desk.report_executions(&[report]).await;
        assert!(told.expect("told")[0].refused.is_none());
    }

    pub(super) async fn publish(&self, queue: &str, body: &serde_json::Value) {
        let body = body.to_string();
        self.vhost.publish(queue, BasicProperties::default(), body.as_bytes()).await;
    }

    /// Waits for so many letters, and handles what they name.
    pub(super) async fn handled(&self, arrivals: i64) {
        until("the letters are stored", || async {
            let count: i64 = sqlx::query_scalar("select count(*) from arrivals")
                .fetch_one(&self.pool)
                .await
                .expect("counted");
            count == arrivals
        })
        .await;
        while executions::handle_next(&self.keeper).await.expect("handled") {}
    }

    pub(super) async fn of(&self, id: &str) -> ExecutionDetail {
        self.bench.desk.execution(id).await.expect("an execution")
    }

    pub(super) async fn letter(&self) -> Letter {
        let id: uuid::Uuid = sqlx::query_scalar("select id from letters order by id limit 1")
            .fetch_one(&self.pool)
            .await
            .expect("a letter");
        self.bench.desk.letter(LetterId(id)).await.expect("a letter")
    }

    pub(super) async fn close(self) {
        self.intake.stop().await;
        self.vhost.delete().await;
    }
}

pub(super) fn requested(id: &serde_json::Value) -> serde_json::Value {
    json!({"message_type": "ExecutionRequested", "payload": {"execution_id": id}})
}

/// Seeds 000 and 003: a message expires in its worker's queue.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_message_that_expired_fails_its_execution(pool: PgPool) {
    let scene = Scene::open(&pool, Vec::new()).await;
    let queue = scene.worker_queue("a", Some(50)).await;
    scene.scheduled("42", "a", 3).await;
    scene.publish(&queue, &requested(&json!(42))).await;
    scene.handled(1).await;
    let failed = scene.of("42").await;
    let why = "its message expired in the queue `worker.a.executions`: no worker took it in time";
    assert_eq!(failed.execution.state, ExecutionState::Failed);
    assert_eq!(failed.result, Some(json!({"error": why, "failed_by": HANDLER})));
    assert_eq!(failed.letters[0].verdict, Some(HandlerVerdict::Failed));
    let letter = scene.letter().await;
    assert_eq!(failed.letters[0].letter_id, letter.summary.id);
    assert_eq!(letter.execution_id.as_deref(), Some("42"));
    assert_eq!(letter.worker.as_deref(), Some("a"));
    let told: i64 = sqlx::query_scalar("select count(*) from execution_outbox")
        .fetch_one(&pool)
        .await
        .expect("counted");
    assert_eq!(told, 1);
    scene.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_over_unknown_or_no_execution_is_left_alone_and_every_letter_kept(pool: PgPool) {
    let scene = Scene::open(&pool, vec![Reason::Expired]).await;
    let report = Report::of("7", ExecutionState::Completed);
    scene.bench.desk.report_executions(&[report]).await.expect("told");
    scene.scheduled("8", "a", 1).await;
    let other = json!({"message_type": "Heartbeat", "payload": {"execution_id": 8}});
    let long = "x".repeat(300);
    for body in [
        requested(&json!(7)),
        requested(&json!("nobody-told-us")),
        requested(&json!({"odd": true})),
        requested(&json!(long)),
        other,
        json!("no object"),
    ] {
        scene.publish("dead", &body).await;
    }
    let plain = BasicProperties::default();
    scene.vhost.publish("dead", plain, b"\xff\x00 no JSON").await;
    scene.handled(7).await;
    assert_eq!(letters(&pool).await, 7, "each is kept");
    let verdicts: Vec<(String, String)> =
        sqlx::query_as("select execution_id, verdict from letter_executions order by execution_id")
            .fetch_all(&pool)
            .await
            .expect("read");
    let wanted = [("7", "terminal"), ("nobody-told-us", "unknown")];
    let wanted = wanted.map(|(id, verdict)| (id.to_owned(), verdict.to_owned()));
    assert_eq!(verdicts, wanted);
    assert_eq!(scene.of("7").await.execution.state, ExecutionState::Completed);
    assert_eq!(scene.of("8").await.execution.state, ExecutionState::Scheduled);
    let linked: Vec<LetterId> =
        scene.of("7").await.letters.iter().map(|one| one.letter_id).collect();
    let letter = scene.letter().await;
    assert_eq!(linked, [letter.summary.id]);
    scene.close().await;
}

/// Whoever may publish to the dead-letter queue is not to choose what a worker gets.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_message_that_only_claims_its_origin_goes_to_no_other_worker(pool: PgPool) {
    let scene = Scene::open(&pool, vec![Reason::Expired]).await;
    believe(&pool, scene.bench.source, "other.*").await;
    scene.worker("a", "shell", Some(SystemClock.now())).await;
    scene.worker("b", "shell", None).await;
    let queue = scene.worker_queue("a", Some(50)).await;
    scene.worker_queue("b", None).await;
    scene.scheduled("42", "a", 3).await;
    scene.publish(&queue, &requested(&json!(42))).await;
    scene.handled(1).await;
    let failed = scene.of("42").await;
    assert_eq!(failed.execution.state, ExecutionState::Failed);
    let result = failed.result.expect("a reason");
    let why = result["error"].as_str().expect("words");
    assert!(why.contains("only the message itself says where it died"), "{why}");
    assert_eq!(scene.vhost.depth("worker.b.executions").await, 0);
    scene.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_execution_goes_to_another_fresh_worker_until_its_attempts_are_over(pool: PgPool) {
    let scene = Scene::open(&pool, vec![Reason::Expired]).await;
    let now = SystemClock.now();
    scene.worker("a", "shell", Some(now)).await;
    scene.worker("stale", "shell", Some(now)).await;
    scene.worker("other-kind", "python", None).await;
    scene.worker("b", "shell", None).await;
    let queue = scene.worker_queue("a", Some(50)).await;
    scene.worker_queue("b", Some(1_500)).await;
    scene.scheduled("42", "a", 2).await;
    let engine = scene.bench.engine().await;
    let body = requested(&json!(42));
    scene.publish(&queue, &body).await;
    scene.handled(1).await;
    let moved = scene.of("42").await;
    assert_eq!(moved.letters[0].verdict, Some(HandlerVerdict::Rescheduled), "{moved:?}");
    assert_eq!(moved.execution.worker.as_deref(), Some("b"));
    assert_eq!((moved.execution.attempt, moved.execution.state), (2, ExecutionState::Scheduled));
    // It comes to that worker's queue, and dies there too: the same letter, once more.
    scene.handled(2).await;
    assert_eq!(letters(&pool).await, 1);
    let failed = scene.of("42").await;
    assert_eq!(failed.execution.state, ExecutionState::Failed);
    let why = failed.execution.error.expect("a reason");
    assert!(
        why.contains("worker.b.executions") && why.ends_with("that was the last of 2 attempts"),
        "{why}"
    );
    assert_eq!(failed.letters.len(), 2);
    engine.stop().await;
    scene.close().await;
}

/// Seed 003: all workers are down.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn without_any_other_worker_it_is_failed_at_once(pool: PgPool) {
    let scene = Scene::open(&pool, vec![Reason::Expired]).await;
    let now = SystemClock.now();
    scene.worker("a", "shell", None).await;
    scene.worker("b", "shell", Some(now)).await;
    let queue = scene.worker_queue("a", Some(50)).await;
    scene.scheduled("42", "a", 3).await;
    scene.publish(&queue, &requested(&json!(42))).await;
    scene.handled(1).await;
    let failed = scene.of("42").await.execution;
    assert_eq!(failed.failed_by.as_deref(), Some(HANDLER));
    let why = failed.error.expect("a reason");
    assert!(why.starts_with("no workers available"), "{why}");
    scene.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_of_an_earlier_attempt_does_not_fail_the_next(pool: PgPool) {
    let scene = Scene::open(&pool, Vec::new()).await;
    let queue = scene.worker_queue("a", Some(50)).await;
    scene.scheduled("41", "a", 1).await;
    scene.scheduled("42", "b", 3).await;
    scene.publish(&queue, &requested(&json!(42))).await;
    scene.handled(1).await;
    let left = scene.of("42").await;
    assert_eq!(left.letters[0].verdict, Some(HandlerVerdict::Superseded));
    assert_eq!(left.execution.state, ExecutionState::Scheduled);
    scene.close().await;
}

/// Workers need not be called as their queues are.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_queue_that_a_worker_names_is_its_own_whatever_it_is_called(pool: PgPool) {
    let scene = Scene::open(&pool, Vec::new()).await;
    let queue = scene.worker_queue("7", Some(50)).await;
    scene.scheduled("41", "crew-7", 1).await;
    scene.publish(&queue, &requested(&json!(41))).await;
    scene.handled(1).await;
    // Nobody was heard of that is called 7.
    let failed = scene.of("41").await;
    assert_eq!(failed.letters[0].verdict, Some(HandlerVerdict::Failed));
    scene.worker("7", "crew", None).await;
    scene.worker("crew-7", "crew", None).await;
    sqlx::query("update workers set queue = $1 where name = 'crew-7'")
        .bind(&queue)
        .execute(&pool)
        .await
        .expect("told");
    scene.scheduled("42", "crew-7", 1).await;
    scene.publish(&queue, &requested(&json!(42))).await;
    scene.handled(2).await;
    let failed = scene.of("42").await;
    assert_eq!(failed.letters[0].verdict, Some(HandlerVerdict::Failed));
    scene.close().await;
}

/// Nothing is acknowledged before it is stored with what it names.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_message_that_cannot_be_written_down_goes_back_to_its_queue(pool: PgPool) {
    let scene = Scene::open(&pool, Vec::new()).await;
    scene.scheduled("42", "a", 1).await;
    for statement in [
        "create function full_disk() returns trigger language plpgsql as $$
         begin raise exception 'no space' using errcode = '53100'; end $$",
        "create trigger full_disk before insert on letter_executions
         for each row execute function full_disk()",
    ] {
        sqlx::query(statement).execute(&pool).await.expect("set up");
    }
    scene.publish("dead", &requested(&json!(42))).await;
    until("intake could not write it down", || async {
        let told = "select condition from sources where queue = 'dead'";
        let condition: String = sqlx::query_scalar(told).fetch_one(&pool).await.expect("read");
        condition != "running" && condition != "starting"
    })
    .await;
    assert_eq!(letters(&pool).await, 0);
    sqlx::query("drop trigger full_disk on letter_executions")
        .execute(&pool)
        .await
        .expect("mended");
    scene.handled(1).await;
    assert_eq!(letters(&pool).await, 1, "once");
    assert_eq!(scene.of("42").await.execution.state, ExecutionState::Failed);
    scene.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn several_handlers_handle_each_letter_once(pool: PgPool) {
    let scene = Scene::open(&pool, Vec::new()).await;
    for number in 0..60 {
        scene.scheduled(&number.to_string(), "a", 1).await;
        scene.publish("dead", &requested(&json!(number))).await;
    }
    until("the letters are stored", || async { letters(&pool).await == 60 }).await;
    let all = || async { while executions::handle_next(&scene.keeper).await.expect("handled") {} };
    tokio::join!(all(), all(), all());
    while executions::handle_next(&scene.keeper).await.expect("handled") {}
    let told: i64 = sqlx::query_scalar(
        "select count(distinct body->'payload'->>'execution_id') from execution_outbox",
    )
    .fetch_one(&pool)
    .await
    .expect("counted");
    let all: i64 = sqlx::query_scalar("select count(*) from execution_outbox")
        .fetch_one(&pool)
        .await
        .expect("counted");
    assert_eq!((told, all), (60, 60));
    scene.close().await;
}
