//! Which worker an execution goes to when its message dies, and what becomes of it when the message
//! reaches nobody there.

use dlo_app::desk::{ExecutionDesk as _, FleetDesk as _, TriageDesk as _};
use dlo_domain::death::Reason;
use dlo_domain::execution::{ExecutionState, HANDLER, HandlerVerdict, Report};
use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Control, Makers, ReplayState};
use dlo_domain::worker::Heartbeat;
use dlo_server::clock::{Clock as _, SystemClock};
use dlo_server::executions;
use dlo_server::store::executions::watch::another_worker;
use dlo_server::store::replays::work::orders;
use serde_json::json;
use sqlx::PgPool;

use super::handler::{Scene, requested};
use crate::support::until;

async fn beats(scene: &Scene, name: &str, queue: Option<&str>) {
    let beat = Heartbeat { queue: queue.map(ToOwned::to_owned), ..Heartbeat::default() };
    let told = scene.bench.desk.heartbeat(name, beat).await;
    told.expect("written down");
}

async fn falls_silent(pool: &PgPool, name: &str) {
    sqlx::query("update workers set silent_since = last_heartbeat_at where name = $1")
        .bind(name)
        .execute(pool)
        .await
        .expect("told");
}

/// Names that are words tell of no kind: each would be one of its own, and nobody stand in for it.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_whose_name_tells_of_no_kind_is_stood_in_for_by_any(pool: PgPool) {
    let scene = Scene::open(&pool, vec![Reason::Expired]).await;
    scene.vhost.queue("worker.beta-work.executions", &[]).await;
    let queue = scene.worker_queue("alpha", Some(50)).await;
    beats(&scene, "alpha", None).await;
    beats(&scene, "beta", Some("worker.beta-work.executions")).await;
    falls_silent(&pool, "alpha").await;
    scene.scheduled("42", "alpha", 3).await;
    let engine = scene.bench.engine().await;
    scene.publish(&queue, &requested(&json!(42))).await;
    scene.handled(1).await;
    let moved = scene.of("42").await;
    assert_eq!(moved.letters[0].verdict, Some(HandlerVerdict::Rescheduled), "{moved:?}");
    assert_eq!(moved.execution.worker.as_deref(), Some("beta"));
    let by = async |makers| {
        let page = scene.bench.desk.replays(makers, None, 10).await.expect("a page");
        page.items.into_iter().filter_map(|replay| replay.id).collect::<Vec<_>>()
    };
    assert_eq!(by(Makers::People).await, [], "nobody asked for it");
    let handed_on = by(Makers::Handler).await;
    assert_eq!(handed_on.len(), 1);
    let mut conn = pool.acquire().await.expect("a connection");
    let orders = orders(&mut conn, handed_on[0]).await.expect("read").expect("a replay");
    assert_eq!(orders.asked_by, "handler", "as metrics tell it");
    until("its message is there", || async {
        scene.vhost.depth("worker.beta-work.executions").await == 1
    })
    .await;
    engine.stop().await;
    scene.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_of_the_same_kind_comes_first_and_one_of_another_kind_never(pool: PgPool) {
    let scene = Scene::open(&pool, Vec::new()).await;
    for name in ["worker-1", "mailer-1", "alpha", "beta", "beta-old"] {
        beats(&scene, name, None).await;
    }
    let mut conn = pool.acquire().await.expect("a connection");
    let mut stands_in = async |for_whom| {
        let found = another_worker(&mut conn, Some(for_whom)).await;
        found.expect("asked")
    };
    assert_eq!(stands_in("worker-1").await, None, "a mailer is no worker");
    beats(&scene, "worker-2", None).await;
    assert_eq!(stands_in("worker-1").await.as_deref(), Some("worker-2"));
    beats(&scene, "worker-3", Some("worker.q3.executions")).await;
    let named = stands_in("worker-1").await;
    assert_eq!(named.as_deref(), Some("worker-3"), "its queue is known");
    for name in ["beta", "beta-old"] {
        falls_silent(&pool, name).await;
    }
    let any = stands_in("alpha").await;
    assert_eq!(any.as_deref(), Some("worker-3"), "there is no better one");
    scene.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_workers_say_of_their_load_decides_among_those_alike(pool: PgPool) {
    let scene = Scene::open(&pool, Vec::new()).await;
    let says = async |name: &str, running, capacity| {
        let beat = Heartbeat {
            queue: Some(format!("worker.{name}.executions")),
            running: Some(running),
            capacity,
            ..Heartbeat::default()
        };
        let told = scene.bench.desk.heartbeat(name, beat).await;
        told.expect("written down");
    };
    for (name, running, capacity) in [
        ("worker-1", 0, None),
        ("worker-2", 50, None),
        ("worker-3", 4, Some(4)),
        ("worker-4", 9, Some(16)),
    ] {
        says(name, running, capacity).await;
    }
    let mut conn = pool.acquire().await.expect("a connection");
    let mut stands_in = async || {
        let found = another_worker(&mut conn, Some("worker-1")).await;
        found.expect("asked")
    };
    let least = stands_in().await;
    assert_eq!(least.as_deref(), Some("worker-4"), "worker-3 is full");
    says("worker-3", 3, Some(4)).await;
    assert_eq!(stands_in().await.as_deref(), Some("worker-3"));
    scene.close().await;
}

/// Nobody said who has it, but its message died in the queue of one worker.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_message_does_not_go_back_to_the_worker_that_let_it_die(pool: PgPool) {
    let scene = Scene::open(&pool, vec![Reason::Expired]).await;
    let queue = scene.worker_queue("zed-1", Some(50)).await;
    beats(&scene, "zed-1", Some(&queue)).await;
    let report = dlo_domain::execution::Report {
        max_attempts: Some(3),
        ..dlo_domain::execution::Report::of("42", ExecutionState::Requested)
    };
    let told = scene.bench.desk.report_executions(&[report]).await;
    told.expect("taken");
    scene.publish(&queue, &requested(&json!(42))).await;
    scene.handled(1).await;
    let failed = scene.of("42").await.execution;
    assert_eq!(failed.state, ExecutionState::Failed);
    let why = failed.error.expect("a reason");
    assert!(why.starts_with("no workers available"), "{why}");
    scene.close().await;
}

/// A worker that does not name its queue may work on one that another names, too.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_queue_of_another_worker_tells_nothing_of_a_first_attempt(pool: PgPool) {
    let scene = Scene::open(&pool, Vec::new()).await;
    beats(&scene, "sq1", Some("worker.tw3.executions")).await;
    beats(&scene, "sq2", None).await;
    let dlx = lapin::types::AMQPValue::LongString("dlx".into());
    let ttl = lapin::types::AMQPValue::LongInt(50);
    let arguments = [("x-dead-letter-exchange", dlx), ("x-message-ttl", ttl)];
    scene.vhost.queue("worker.tw3.executions", &arguments).await;
    scene.scheduled("sqx", "sq2", 1).await;
    scene.publish("worker.tw3.executions", &requested(&json!("sqx"))).await;
    scene.handled(1).await;
    let failed = scene.of("sqx").await;
    assert_eq!(failed.letters[0].verdict, Some(HandlerVerdict::Failed));
    // Whoever names another queue has nothing to do with this one.
    beats(&scene, "sq2", Some("worker.another.executions")).await;
    scene.scheduled("sqy", "sq2", 1).await;
    scene.publish("worker.tw3.executions", &requested(&json!("sqy"))).await;
    scene.handled(2).await;
    let left = scene.of("sqy").await;
    assert_eq!(left.letters[0].verdict, Some(HandlerVerdict::Superseded));
    scene.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_message_that_reaches_no_queue_of_the_next_worker_fails_its_execution(pool: PgPool) {
    let scene = Scene::open(&pool, vec![Reason::Expired]).await;
    let now = SystemClock.now();
    scene.worker("gamma-1", "gamma-*", Some(now)).await;
    scene.worker("gamma-2", "gamma-*", None).await;
    let queue = scene.worker_queue("gamma-1", Some(50)).await;
    scene.scheduled("42", "gamma-1", 2).await;
    scene.publish(&queue, &requested(&json!(42))).await;
    scene.handled(1).await;
    let handed = scene.of("42").await;
    assert_eq!(handed.execution.worker.as_deref(), Some("gamma-2"));
    assert!(!follow(&scene).await, "it is not known yet");
    let engine = scene.bench.engine().await;
    until("it is known", || follow(&scene)).await;
    let failed = scene.of("42").await;
    assert_eq!(failed.execution.state, ExecutionState::Failed);
    assert_eq!(failed.execution.failed_by.as_deref(), Some(HANDLER));
    let why = failed.execution.error.expect("a reason");
    assert!(
        why.contains("did not reach a queue of worker `gamma-2`")
            && why.ends_with("that was the last of 2 attempts"),
        "{why}"
    );
    assert_eq!(failed.letters[0].verdict, Some(HandlerVerdict::Failed));
    assert!(!follow(&scene).await, "once");
    engine.stop().await;
    scene.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn it_goes_on_to_one_more_worker_and_what_arrived_is_left_alone(pool: PgPool) {
    let scene = Scene::open(&pool, vec![Reason::Expired]).await;
    let now = SystemClock.now();
    scene.worker("gamma-1", "gamma-*", Some(now)).await;
    scene.worker("gamma-2", "gamma-*", None).await;
    let queue = scene.worker_queue("gamma-1", Some(50)).await;
    scene.scheduled("42", "gamma-1", 3).await;
    scene.publish(&queue, &requested(&json!(42))).await;
    scene.handled(1).await;
    let engine = scene.bench.engine().await;
    until("it is unroutable", || async {
        let outcome: String = sqlx::query_scalar("select outcome from replay_items")
            .fetch_one(&pool)
            .await
            .expect("an item");
        outcome == "unroutable"
    })
    .await;
    let next = scene.worker_queue("gamma-3", None).await;
    scene.worker("gamma-3", "gamma-*", None).await;
    assert!(follow(&scene).await);
    let handed = scene.of("42").await;
    assert_eq!(handed.execution.worker.as_deref(), Some("gamma-3"));
    assert_eq!(handed.execution.attempt, 3);
    until("it is there", || async { scene.vhost.depth(&next).await == 1 }).await;
    until("nothing is followed any more", || async {
        assert!(!follow(&scene).await);
        let left: i64 = sqlx::query_scalar(
            "select count(*) from letter_executions where replay_id is not null",
        )
        .fetch_one(&pool)
        .await
        .expect("counted");
        left == 0
    })
    .await;
    let handed = scene.of("42").await.execution;
    assert_eq!(handed.state, ExecutionState::Scheduled);
    engine.stop().await;
    scene.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_execution_whose_replay_is_cancelled_is_failed_unless_it_goes_on_by_itself(
    pool: PgPool,
) {
    let scene = Scene::open(&pool, vec![Reason::Expired]).await;
    let now = SystemClock.now();
    scene.worker("gamma-1", "gamma-*", Some(now)).await;
    scene.worker("gamma-2", "gamma-*", None).await;
    let queue = scene.worker_queue("gamma-1", Some(50)).await;
    for id in ["1", "2"] {
        scene.scheduled(id, "gamma-1", 2).await;
        scene.publish(&queue, &requested(&json!(id))).await;
    }
    scene.handled(2).await;
    let report = Report::of("2", ExecutionState::Running);
    let told = scene.bench.desk.report_executions(&[report]).await;
    assert!(told.expect("told")[0].refused.is_none());
    let replays: Vec<uuid::Uuid> =
        sqlx::query_scalar("select id from replays").fetch_all(&pool).await.expect("read");
    for id in replays {
        let told = scene.bench.tell(ReplayId(id), Control::Cancel, false).await;
        assert_eq!(told.state, ReplayState::Cancelled);
    }
    while follow(&scene).await {}
    let failed = scene.of("1").await.execution;
    let why = failed.error.expect("a reason");
    assert!(why.contains("its replay was cancelled"), "{why}");
    let goes_on = scene.of("2").await;
    assert_eq!(goes_on.execution.state, ExecutionState::Running);
    assert_eq!(goes_on.letters[0].verdict, Some(HandlerVerdict::Superseded));
    scene.close().await;
}

/// One turn of the handler, as far as it follows messages. Tells whether it did anything.
async fn follow(scene: &Scene) -> bool {
    executions::follow(&scene.keeper).await.expect("followed") > 0
}
