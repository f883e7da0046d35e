//! Executions that are read: shown and linked like others, and never ended here.

use dlo_app::desk::{DeskError, ExecutionDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::execution::{ExecutionState, HandlerVerdict};
use dlo_server::executions;
use sqlx::PgPool;

use crate::support::company::{Company, EXECUTIONS, WORKERS};
use crate::support::yard::Yard;

const WORK: &str = "
    insert into company.worker (name, last_heartbeat) select 'worker-7', told from company.time;
    insert into company.execution (id, status, worker, updated)
    select n, state, 1, told - interval '2 h' from company.time,
        (values (1, 'SCHEDULED'), (2, 'RUNNING'), (3, 'REQUESTED'), (4, 'COMPLETED')) as e (n, state)";

async fn read(pool: &PgPool) -> (Company, Yard) {
    let mut company = Company::open(pool, Some(WORKERS), Some(EXECUTIONS)).await;
    company.run(WORK).await;
    company.pass(8, &["worker-7"]).await;
    assert_eq!(company.trouble().await, "");
    (company, Yard::open(pool))
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn executions_are_read_with_their_worker_and_since_when(pool: PgPool) {
    let (mut company, yard) = read(&pool).await;
    let one = yard.of("1").await.execution;
    assert_eq!((one.state, one.worker.as_deref()), (ExecutionState::Scheduled, Some("worker-7")));
    assert!(one.is_read && one.is_stuck);
    let waited = one.first_seen_at - one.state_since;
    assert_eq!(waited.num_minutes(), 120, "by our clock");
    company.run("update company.execution set status = 'RUNNING' where id = 3").await;
    company.pass(6, &[]).await;
    let three = yard.of("3").await.execution;
    assert_eq!(three.state, ExecutionState::Running);
    // What is over stays as it is, and is no fault.
    company.run("update company.execution set status = 'RUNNING' where id = 4").await;
    company.pass(6, &[]).await;
    assert_eq!(yard.of("4").await.execution.state, ExecutionState::Completed);
    assert_eq!(company.trouble().await, "");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_ended_long_ago_is_no_figure_of_this_hour_and_not_taken_for_ever(pool: PgPool) {
    let (mut company, yard) = read(&pool).await;
    let before = yard.desk.execution_figures().await.expect("figures");
    company
        .run(
            "insert into company.execution (id, status, updated)
             select 100 + n, 'TIMED_OUT', told - n * interval '20 days'
             from company.time, generate_series(1, 3) n;
             insert into company.execution (id, status, updated)
             select 200, 'TIMED_OUT', told - interval '5 min' from company.time",
        )
        .await;
    company.pass(6, &[]).await;
    let after = yard.desk.execution_figures().await.expect("figures");
    assert_eq!(after.timeouts - before.timeouts, 1, "that of 5 minutes ago");
    let kept = "select count(*) from executions where id in ('101', '102', '103')";
    assert_eq!(company.count(kept).await, 1, "of 20 days, not of 40 and 60");
    // One that is known to run and ended while nobody read is told to be over, however long ago.
    assert_eq!(yard.of("2").await.execution.state, ExecutionState::Running);
    company
        .run(
            "update company.execution set status = 'FAILED', updated = told - interval '40 days'
             from company.time where id = 2",
        )
        .await;
    company.pass(6, &[]).await;
    assert_eq!(yard.of("2").await.execution.state, ExecutionState::Failed);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn rows_that_are_no_executions_are_told(pool: PgPool) {
    let (mut company, yard) = read(&pool).await;
    company
        .run(
            "insert into company.execution (id, status) values (5, 'PAUSED');
             insert into company.execution (id, status) values (6, 'REQUESTED')",
        )
        .await;
    company.pass(6, &[]).await;
    let said = company.trouble().await;
    assert!(said.contains("1 of 6 rows of executions") && said.contains("paused"), "{said}");
    assert_eq!(yard.of("6").await.execution.state, ExecutionState::Requested);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_only_read_is_not_ended_here_by_anybody(pool: PgPool) {
    let (_company, yard) = read(&pool).await;
    yard.watch_for(1_200).await;
    assert_eq!(yard.check().await, 0, "late, and not ours");
    let anna = Actor("anna".into());
    let failed = ExecutionState::Failed;
    let refused = yard.desk.end_execution(&anna, "1", failed, "late").await;
    assert!(matches!(refused, Err(DeskError::Conflict(_))), "{refused:?}");
    for sql in [
        "insert into sources (id, broker, vhost, queue, name, mode, configured, condition_since,
             created_at)
         values (gen_random_uuid(), 'main', '/', 'dead', 'dead', 'take', false, now(), now())",
        "insert into letters (id, source_id, state, severity, queue, reason, size_bytes, arrivals,
             replays, first_arrived_at, last_arrived_at)
         select gen_random_uuid(), id, 'held', 'normal', 'worker.7', 'expired', 1, 1, 0, now(), now()
         from sources",
        "insert into letter_executions (letter_id, arrived_at, execution_id)
         select id, last_arrived_at, '2' from letters",
    ] {
        sqlx::query(sql).execute(&pool).await.expect(sql);
    }
    assert!(executions::handle_next(&yard.keeper).await.expect("handled"));
    let two = yard.of("2").await;
    assert_eq!(two.execution.state, ExecutionState::Running);
    assert_eq!(two.letters[0].verdict, Some(HandlerVerdict::Left));
    let detail = two.letters[0].detail.as_deref().expect("a detail");
    assert!(detail.contains("expired in the queue `worker.7`"), "{detail}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_reported_too_is_ours_to_end(pool: PgPool) {
    let (mut company, yard) = read(&pool).await;
    let told = yard.told("2", ExecutionState::Running, "worker-7").await;
    assert!(!told.is_read, "it is ours from its first report on");
    assert!(!yard.of("2").await.execution.is_read);
    company.pass(6, &[]).await;
    assert!(!yard.of("2").await.execution.is_read, "the register does not take it back");
    let anna = Actor("anna".into());
    let ended = yard.desk.end_execution(&anna, "2", ExecutionState::Failed, "late").await;
    assert_eq!(ended.expect("ended").state, ExecutionState::Failed);
}
