//! Heartbeats on their way into the database.

use std::sync::Arc;

use dlo_app::desk::{DeskError, FleetDesk as _};
use dlo_domain::worker::{Condition, Heartbeat, WorkerState};
use futures_util::future::join_all;
use serde_json::json;
use sqlx::PgPool;

use super::workforce::{Workforce, alive, saying};
use crate::fleet::{Beats, HTTP};
use crate::store::workers::beats::{self, Beat};

fn named(name: &str) -> Beat {
    Beat { name: name.to_owned(), heartbeat: alive(), refused_queue: None }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn what_a_worker_says_is_shown_as_it_said_it(pool: PgPool) {
    let force = Workforce::open(&pool).await;
    let said = json!({
        "interval_seconds": 5, "queue": "worker.7.executions", "version": "2.8.0", "running": 7,
        "capacity": 16, "probe_url": "http://10.0.0.7/healthz",
        "metadata": {"zone": "<b>fra</b>", "n": 1e300},
    });
    let beat: Heartbeat = serde_json::from_value(said).expect("a heartbeat");
    force.beat("worker-7", beat).await;
    let report = force.report("worker-7").await;
    let worker = &report.worker;
    assert_eq!((worker.kind.as_str(), worker.interval_ms), ("worker-*", 5_000));
    assert_eq!((worker.running, worker.capacity), (Some(7), Some(16)));
    assert_eq!(worker.queue.as_deref(), Some("worker.7.executions"));
    assert_eq!(worker.probe.as_ref().map(|probe| probe.at), Some(None));
    assert_eq!(report.metadata["zone"], "<b>fra</b>");
    assert_eq!(report.way, HTTP);
    force.beat("worker-7", alive()).await;
    let report = force.report("worker-7").await;
    let worker = &report.worker;
    assert_eq!(worker.running, None, "that is of the moment");
    assert_eq!(worker.interval_ms, 5_000, "it is as it was");
    assert_eq!(worker.queue.as_deref(), Some("worker.7.executions"));
    assert_eq!(worker.version.as_deref(), Some("2.8.0"));
    assert_eq!(worker.capacity, Some(16));
    assert!(worker.probe.is_some());
    assert_eq!(report.metadata["zone"], "<b>fra</b>");
    let said = json!({"queue": "worker.other.executions", "metadata": {"zone": 2}});
    let beat: Heartbeat = serde_json::from_value(said).expect("a heartbeat");
    force.beat("worker-7", beat).await;
    let report = force.report("worker-7").await;
    assert_eq!(report.worker.queue.as_deref(), Some("worker.other.executions"));
    assert_eq!(report.metadata.len(), 1);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn heartbeats_that_cannot_be_kept_are_refused_and_hold_up_nobody(pool: PgPool) {
    let force = Workforce::open(&pool).await;
    for (name, beat) in [
        ("", alive()),
        ("a\u{0}b", alive()),
        (&*"x".repeat(256), alive()),
        ("a", Heartbeat { interval_seconds: Some(0.0), ..Heartbeat::default() }),
    ] {
        let refused = force.desk.heartbeat(name, beat).await;
        assert!(matches!(refused, Err(DeskError::Invalid(_))), "{refused:?}");
    }
    // Whatever passes the check fits into the table.
    let largest = Heartbeat {
        interval_seconds: Some(3_600.0),
        queue: Some("q".repeat(255)),
        version: Some("v".repeat(255)),
        running: Some(2_147_483_647),
        probe_url: Some(format!("http://{}", "h".repeat(2_041))),
        metadata: serde_json::from_value(json!({"x": "\u{1}".repeat(680)})).expect("an object"),
        ..Heartbeat::default()
    };
    assert_eq!(force.beat(&"n".repeat(255), largest).await, WorkerState::Active);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn heartbeats_of_many_at_once_are_all_written(pool: PgPool) {
    let force = Workforce::open(&pool).await;
    let names: Vec<String> = (0..1_200).map(|n| format!("worker-{n}")).collect();
    for _ in 0..2 {
        let told = join_all(names.iter().map(|name| force.desk.heartbeat(name, alive()))).await;
        assert!(
            told.iter()
                .all(|told| { told.as_ref().is_ok_and(|told| told.state == WorkerState::Active) })
        );
    }
    let page = force.desk.workers(None, None, None, 1).await.expect("read");
    assert_eq!(page.estimated_total, 1_200);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_heartbeat_is_written_again_when_whoever_wrote_it_is_cut_off(pool: PgPool) {
    let force = Workforce::open(&pool).await;
    let beats = Arc::new(Beats::new(pool.clone(), force.clock.clone(), HTTP));
    // The one who writes waits for this lock, and is cut off meanwhile.
    let mut lock = pool.begin().await.expect("begun");
    sqlx::query("lock table workers in exclusive mode").execute(&mut *lock).await.expect("locked");
    let mut first = Box::pin(beats.take(named("first")));
    let mut second = Box::pin(beats.take(named("second")));
    let pause = std::time::Duration::from_millis(300);
    assert!(tokio::time::timeout(pause, &mut first).await.is_err());
    assert!(tokio::time::timeout(pause, &mut second).await.is_err());
    drop(first);
    lock.rollback().await.expect("ended");
    assert_eq!(second.await, Ok(WorkerState::Active));
    assert_eq!(force.condition("second").await, Condition::Fresh);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_heartbeat_writes_no_index(pool: PgPool) {
    let force = Workforce::open(&pool).await;
    let names: Vec<Beat> = (0..50).map(|n| named(&format!("worker-{n}"))).collect();
    let mut conn = pool.begin().await.expect("begun");
    beats::write(&mut conn, &*force.clock, HTTP, &names).await.expect("written");
    conn.commit().await.expect("committed");
    let mut conn = pool.begin().await.expect("begun");
    beats::write(&mut conn, &*force.clock, HTTP, &names).await.expect("written");
    let (all, without_index): (i64, i64) = sqlx::query_as(
        "select pg_stat_get_xact_tuples_updated('workers'::regclass),
             pg_stat_get_xact_tuples_hot_updated('workers'::regclass)",
    )
    .fetch_one(&mut *conn)
    .await
    .expect("counted");
    assert_eq!((all, without_index), (50, 50));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn of_several_heartbeats_of_one_worker_the_last_counts(pool: PgPool) {
    let force = Workforce::open(&pool).await;
    let mut said = vec![named("a"), named("b")];
    said.push(Beat {
        name: "a".to_owned(),
        heartbeat: saying(WorkerState::Draining),
        refused_queue: None,
    });
    // That the last one says nothing of it takes nothing back.
    said.push(named("a"));
    let mut conn = pool.begin().await.expect("begun");
    let states = beats::write(&mut conn, &*force.clock, HTTP, &said).await;
    conn.commit().await.expect("committed");
    assert_eq!(states.expect("written")["a"], WorkerState::Draining);
    assert_eq!(force.condition("a").await, Condition::Draining);
    assert_eq!(force.condition("b").await, Condition::Fresh);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_queue_that_is_no_workers_is_not_taken_down(pool: PgPool) {
    let force = Workforce::open(&pool).await;
    let naming = |queue: &str| Heartbeat { queue: Some(queue.to_owned()), ..Heartbeat::default() };
    let told = force.desk.heartbeat("a", naming("worker.a.executions")).await;
    assert_eq!(told.expect("taken").queue_refused, None);
    let told = force.desk.heartbeat("a", naming("payments.execute")).await;
    let told = told.expect("the heartbeat is taken");
    let why = told.queue_refused.expect("a reason");
    assert!(why.contains("`payments.execute`") && why.contains("worker_queues"), "{why}");
    let worker = force.desk.worker("a").await.expect("known").worker;
    assert_eq!(worker.queue, None);
    assert_eq!(worker.refused_queue.as_deref(), Some("payments.execute"));
    // Whatever it says next that names none leaves that as it is.
    force.beat("a", alive()).await;
    let worker = force.desk.worker("a").await.expect("known").worker;
    assert_eq!(worker.refused_queue.as_deref(), Some("payments.execute"));
    force.beat("a", naming("worker.b.executions")).await;
    let worker = force.desk.worker("a").await.expect("known").worker;
    assert_eq!(worker.queue.as_deref(), Some("worker.b.executions"));
    assert_eq!(worker.refused_queue, None);
}
