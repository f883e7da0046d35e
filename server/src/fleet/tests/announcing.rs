//! What workers and people say: drain, stop, go on.

use dlo_app::desk::{DeskError, FleetDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::worker::{Condition, WorkerState};
use sqlx::PgPool;

use super::workforce::{Workforce, alive, saying};

fn anna() -> Actor {
    Actor("anna".to_owned())
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_draining_worker_is_never_stale_and_has_stopped_in_the_end(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("a", saying(WorkerState::Draining)).await;
    force.pass(60).await;
    assert_eq!(force.condition("a").await, Condition::Draining);
    force.pass(1).await;
    let report = force.report("a").await;
    assert_eq!(report.worker.condition, Condition::Stopped);
    assert!(report.downtimes.is_empty(), "it ended in good order");
    assert_eq!(force.beat("a", alive()).await, WorkerState::Active);
    assert_eq!(force.condition("a").await, Condition::Fresh);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_worker_that_says_it_stops_is_not_waited_for(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("a", alive()).await;
    force.beat("a", saying(WorkerState::Stopped)).await;
    force.pass(200).await;
    let report = force.report("a").await;
    assert_eq!(report.worker.condition, Condition::Stopped);
    assert!(report.downtimes.is_empty());
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn what_a_person_said_stands_against_the_worker(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("a", alive()).await;
    let report = force.desk.drain_worker(&anna(), "a", true).await;
    let report = report.expect("drained");
    assert_eq!(report.worker.condition, Condition::Draining);
    assert_eq!(report.worker.drained_by.as_deref(), Some("anna"));
    for beat in [alive(), saying(WorkerState::Active)] {
        assert_eq!(force.beat("a", beat).await, WorkerState::Draining);
    }
    let report = force.desk.drain_worker(&anna(), "a", false).await;
    assert_eq!(report.expect("active").worker.condition, Condition::Fresh);
    let written: Vec<(String, String)> =
        sqlx::query_as("select action, detail from audit order by id")
            .fetch_all(&pool)
            .await
            .expect("read");
    let wanted = [("worker.drain", "a"), ("worker.activate", "a")];
    assert_eq!(written, wanted.map(|(a, d)| (a.to_owned(), d.to_owned())));
    force.look().await;
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_drained_worker_that_stopped_is_free_when_it_is_started_again(pool: PgPool) {
    let force = Workforce::open(&pool).await;
    force.beat("a", alive()).await;
    force.desk.drain_worker(&anna(), "a", true).await.expect("drained");
    force.beat("a", saying(WorkerState::Stopped)).await;
    let again = force.desk.drain_worker(&anna(), "a", true).await;
    assert!(matches!(again, Err(DeskError::Conflict(_))), "{again:?}");
    assert_eq!(force.beat("a", alive()).await, WorkerState::Active);
    assert_eq!(force.report("a").await.worker.drained_by, None);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_stale_worker_that_is_drained_stays_away_and_drains_when_it_is_back(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("a", alive()).await;
    force.pass(40).await;
    force.desk.drain_worker(&anna(), "a", true).await.expect("drained");
    force.pass(300).await;
    let report = force.report("a").await;
    assert_eq!(report.worker.condition, Condition::Stale);
    assert_eq!(report.worker.drained_by.as_deref(), Some("anna"));
    let [away] = report.downtimes[..] else { panic!("{:?}", report.downtimes) };
    assert_eq!(away.until, None);
    let page = force.desk.workers(Some(Condition::Stale), None, None, 9);
    assert_eq!(page.await.expect("read").estimated_total, 1);
    for _ in 0..2 {
        assert_eq!(force.beat("a", alive()).await, WorkerState::Draining);
        force.pass(2).await;
    }
    let report = force.report("a").await;
    assert_eq!(report.worker.condition, Condition::Draining);
    assert!(report.downtimes[0].until.is_some());
    force.beat("a", saying(WorkerState::Stopped)).await;
    assert_eq!(force.beat("a", alive()).await, WorkerState::Active);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_stale_worker_is_taken_back_before_it_heard_of_a_drain(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("a", alive()).await;
    force.pass(40).await;
    for (drains, by) in [(true, Some("anna")), (false, None)] {
        let report = force.desk.drain_worker(&anna(), "a", drains).await;
        let worker = report.expect("done").worker;
        assert_eq!(worker.condition, Condition::Stale);
        assert_eq!(worker.drained_by.as_deref(), by);
    }
    assert_eq!(force.beat("a", alive()).await, WorkerState::Active);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn nobody_can_be_drained_who_is_not_there(pool: PgPool) {
    let force = Workforce::open(&pool).await;
    let drained = force.desk.drain_worker(&anna(), "nobody", true).await;
    assert!(matches!(drained, Err(DeskError::NotFound(_))), "{drained:?}");
    force.beat("a", alive()).await;
    let active = force.desk.drain_worker(&anna(), "a", false).await;
    assert!(matches!(active, Err(DeskError::Conflict(_))), "{active:?}");
}
