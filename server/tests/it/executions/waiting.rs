//! Letters that cannot be told from a pause yet wait, and hold up none behind them.

use chrono::TimeDelta;
use dlo_domain::execution::ExecutionState;
use dlo_server::clock::Clock as _;
use dlo_server::executions;
use dlo_server::store::workers::watches;
use sqlx::PgPool;

use crate::support::yard::Yard;

/// A letter that names the execution, dead for this reason and arriving now.
async fn dies(yard: &Yard, execution: &str, reason: &str) {
    sqlx::query(
        "with source as (
             insert into sources (id, broker, vhost, queue, name, mode, configured,
                 condition_since, created_at, origins)
             values (gen_random_uuid(), 'main', '/', $1, $1, 'take', false, now(), now(), '[\"*\"]')
             returning id),
         letter as (
             insert into letters (id, source_id, state, severity, queue, reason, size_bytes,
                 arrivals, replays, first_arrived_at, last_arrived_at)
             select gen_random_uuid(), id, 'held', 'normal', 'work', $2, 1, 1, 0, $3, $3
             from source returning id)
         insert into letter_executions (letter_id, arrived_at, execution_id, noted_at)
         select id, $3, $1, $3 from letter",
    )
    .bind(execution)
    .bind(reason)
    .bind(yard.clock.now())
    .execute(&yard.pool)
    .await
    .expect("a letter");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_waits_for_its_broker_holds_up_no_other(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.told("waits", ExecutionState::Scheduled, "a").await;
    yard.told("goes", ExecutionState::Scheduled, "a").await;
    let mut conn = pool.acquire().await.expect("a connection");
    let looked = watches::look(&mut conn, "amqp:main", yard.clock.now()).await;
    looked.expect("looked");
    // Nothing is heard from the broker since: an expired message may only tell of that.
    yard.clock.advance(TimeDelta::seconds(30));
    dies(&yard, "waits", "expired").await;
    yard.clock.advance(TimeDelta::seconds(1));
    dies(&yard, "goes", "rejected").await;
    assert!(executions::handle_next(&yard.keeper).await.expect("handled"));
    let goes = yard.of("goes").await.execution;
    assert_eq!(goes.state, ExecutionState::Failed);
    assert!(!executions::handle_next(&yard.keeper).await.expect("none"));
    let waits = yard.of("waits").await.execution;
    assert_eq!(waits.state, ExecutionState::Scheduled);
    yard.clock.advance(TimeDelta::seconds(61));
    assert!(executions::handle_next(&yard.keeper).await.expect("handled"));
    let waits = yard.of("waits").await.execution;
    assert_eq!(waits.state, ExecutionState::Failed, "it never opened");
}
