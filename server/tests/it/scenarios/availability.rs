//! Workers that stop, that never begin, that are all away, that leave in good order; and messages that
//! expire.

use dlo_app::desk::{CauseDesk as _, TriageDesk as _};
use dlo_domain::death::Reason;
use dlo_domain::execution::{ExecutionState, HANDLER, HandlerVerdict, MONITOR};
use dlo_domain::ids::LetterId;
use dlo_domain::state::LetterState;
use dlo_domain::worker::{Condition, Heartbeat, WorkerState};
use serde_json::json;
use sqlx::PgPool;

use super::{Company, queue_of};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_that_stops_in_the_middle_lets_its_execution_time_out_and_fail(pool: PgPool) {
    let mut company = Company::open(&pool, Vec::new()).await;
    company.beat("a").await;
    company.pass(20, &["a"]).await;
    for id in ["41", "42"] {
        company.yard.told(id, ExecutionState::Running, "a").await;
    }
    company.yard.told("41", ExecutionState::Completed, "a").await;
    // It is killed: it says nothing any more.
    company.pass(31, &[]).await;
    assert_eq!(company.condition("a").await, Condition::Stale);
    let causes = company.yard.desk.causes().await.expect("counted");
    assert_eq!(causes.stale_workers, 1);
    assert_eq!(company.yard.check().await, 0, "it may come back");
    company.pass(271, &[]).await;
    assert_eq!(company.yard.check().await, 1);
    let failed = company.yard.of("42").await;
    assert_eq!(failed.execution.state, ExecutionState::Failed);
    let why = "Execution timeout: its worker `a` was silent or stopped for more than 300 s";
    let result = json!({"error": why, "failed_by": MONITOR});
    assert_eq!(failed.result, Some(result));
    let done = company.yard.of("41").await.execution;
    assert_eq!(done.state, ExecutionState::Completed);
    company.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_task_that_a_worker_never_picks_up_times_out_after_five_minutes(pool: PgPool) {
    let mut company = Company::open(&pool, Vec::new()).await;
    company.worker_queue("a", None).await;
    company.beat("a").await;
    company.hand_out(42, "a", 1).await;
    company.pass(300, &["a"]).await;
    assert_eq!(company.yard.check().await, 0, "five minutes are allowed");
    company.pass(1, &["a"]).await;
    let causes = company.yard.desk.causes().await.expect("counted");
    assert_eq!((causes.stale_workers, causes.stuck_executions), (0, 1));
    assert_eq!(company.yard.check().await, 1);
    let failed = company.yard.of("42").await.execution;
    assert_eq!(failed.failed_by.as_deref(), Some(MONITOR));
    let why = "Execution timeout: worker `a` did not begin it within 300 s of being scheduled";
    assert_eq!(failed.error.as_deref(), Some(why));
    // Its message is where it was: nobody but the worker may take it.
    assert_eq!(company.vhost.depth(&queue_of("a")).await, 1);
    company.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn with_all_workers_down_an_execution_fails_at_once(pool: PgPool) {
    let mut company = Company::open(&pool, vec![Reason::Expired]).await;
    company.worker_queue("crew-1", Some(50)).await;
    for worker in ["crew-1", "crew-2", "crew-3"] {
        company.beat(worker).await;
    }
    company.pass(31, &[]).await;
    assert_eq!(company.condition("crew-3").await, Condition::Stale);
    company.hand_out(42, "crew-1", 3).await;
    company.handled(1).await;
    let failed = company.yard.of("42").await.execution;
    assert_eq!(failed.state, ExecutionState::Failed);
    assert_eq!(failed.failed_by.as_deref(), Some(HANDLER));
    assert_eq!(failed.ended_at, failed.scheduled_at, "in the same moment");
    let why = failed.error.expect("a reason");
    assert!(why.starts_with("no workers available: "), "{why}");
    company.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_that_stops_gracefully_is_inactive_and_gets_nothing_new(pool: PgPool) {
    let mut company = Company::open(&pool, vec![Reason::Expired]).await;
    company.worker_queue("crew-1", Some(50)).await;
    for worker in ["crew-1", "crew-2", "crew-3"] {
        company.beat(worker).await;
    }
    for (worker, state) in [("crew-2", WorkerState::Stopped), ("crew-3", WorkerState::Draining)] {
        let last_word = Heartbeat { state: Some(state), ..Heartbeat::default() };
        company.say(worker, last_word).await;
    }
    company.pass(120, &["crew-1"]).await;
    for worker in ["crew-2", "crew-3"] {
        let report = company.worker(worker).await;
        assert_eq!(report.worker.condition, Condition::Stopped, "{worker}");
        assert!(report.downtimes.is_empty(), "{worker} was not away");
    }
    let causes = company.yard.desk.causes().await.expect("counted");
    assert_eq!(causes.stale_workers, 0);
    company.hand_out(42, "crew-1", 3).await;
    company.handled(1).await;
    let failed = company.yard.of("42").await.execution;
    let why = failed.error.expect("a reason");
    assert!(why.starts_with("no workers available: "), "{why}");
    company.beat("crew-4").await;
    company.hand_out(43, "crew-1", 3).await;
    company.handled(2).await;
    let moved = company.yard.of("43").await;
    assert_eq!(moved.letters[0].verdict, Some(HandlerVerdict::Rescheduled));
    assert_eq!(moved.execution.worker.as_deref(), Some("crew-4"));
    company.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_message_that_expires_goes_to_the_dead_letter_queue_and_its_execution_fails(
    pool: PgPool,
) {
    let company = Company::open(&pool, Vec::new()).await;
    company.worker_queue("a", Some(50)).await;
    company.hand_out(42, "a", 1).await;
    company.handled(1).await;
    assert_eq!(company.vhost.depth(&queue_of("a")).await, 0);
    let failed = company.yard.of("42").await;
    assert_eq!(failed.execution.state, ExecutionState::Failed);
    let why = "its message expired in the queue `worker.a.executions`: no worker took it in time";
    let result = json!({"error": why, "failed_by": HANDLER});
    assert_eq!(failed.result, Some(result));
    let told: serde_json::Value = sqlx::query_scalar("select body from execution_outbox")
        .fetch_one(&pool)
        .await
        .expect("one message");
    assert_eq!(told["message_type"], "ExecutionCompleted");
    // The letter is kept, and leads to execution and worker.
    let id: LetterId = failed.letters[0].letter_id;
    let letter = company.yard.desk.letter(id).await.expect("kept");
    assert_eq!(letter.summary.state, LetterState::Held);
    assert_eq!(letter.summary.reason, Reason::Expired);
    assert_eq!(letter.execution_id.as_deref(), Some("42"));
    assert_eq!(letter.worker.as_deref(), Some("a"));
    company.close().await;
}
