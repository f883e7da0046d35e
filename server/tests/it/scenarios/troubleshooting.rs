//! "High DLQ Rate", "DLQ Handler Not Processing", "Messages Not Reaching DLQ": where the office says which
//! cause it is. What a frozen database says is in `outage`, and heartbeats that cannot be heard in the
//! tests of the fleet.

use chrono::TimeDelta;
use dlo_app::desk::{CauseDesk as _, TopologyDesk as _, TriageDesk as _};
use dlo_domain::execution::ExecutionState;
use dlo_domain::ids::GroupId;
use dlo_domain::worker::{Condition, Heartbeat};
use dlo_server::executions;
use dlo_server::grouping::Grouper;
use lapin::types::AMQPValue;
use sqlx::PgPool;

use super::{Company, queue_of};
use crate::support::desk::Bench;
use crate::support::topology::{Watcher, dying, text};
use crate::support::until;

/// High rate: workers are down or restart often.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn workers_that_go_away_again_and_again_are_counted_and_stand_behind_the_group(pool: PgPool) {
    let mut company = Company::open(&pool, Vec::new()).await;
    company.worker_queue("a", Some(50)).await;
    company.beat("b").await;
    for _ in 0..3 {
        company.beat("a").await;
        company.pass(40, &["b"]).await;
    }
    let away = company.worker("a").await;
    assert_eq!(away.worker.condition, Condition::Stale);
    assert_eq!(away.downtimes.len(), 3);
    assert!(away.worker.down_today_seconds >= 120, "{away:?}");
    let steady = company.worker("b").await;
    assert_eq!(steady.downtimes.len(), 0);
    let causes = company.yard.desk.causes().await.expect("counted");
    assert_eq!(causes.stale_workers, 1);
    for id in 1..=3 {
        company.hand_out(id, "a", 1).await;
    }
    company.handled(3).await;
    let group = only_group(&company, &pool).await;
    let behind = company.yard.desk.behind_group(group).await;
    let behind = behind.expect("counted");
    assert_eq!(behind.workers, [("a".to_owned(), 3)]);
    assert_eq!(behind.executions.len(), 3);
    let letters = async |name| company.worker(name).await.worker.letters_last_hour;
    assert_eq!((letters("a").await, letters("b").await), (Some(3), Some(0)));
    company.close().await;
}

async fn only_group(company: &Company, pool: &PgPool) -> GroupId {
    Grouper::new(pool.clone(), company.yard.clock.clone()).catch_up().await.expect("grouped");
    let groups: Vec<uuid::Uuid> =
        sqlx::query_scalar("select id from groups").fetch_all(pool).await.expect("read");
    assert_eq!(groups.len(), 1, "they died of one cause");
    GroupId(groups[0])
}

/// High rate: the time to live is too short, or the worker has too much to do. In both cases the worker
/// lives; its queue says what its time to live is, and the worker how much it has in hand.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_short_time_to_live_and_a_worker_with_full_hands_are_told(pool: PgPool) {
    let mut company = Company::open(&pool, Vec::new()).await;
    company.worker_queue("a", Some(50)).await;
    let busy = Heartbeat { running: Some(16), capacity: Some(16), ..Heartbeat::default() };
    company.say("a", busy).await;
    company.pass(5, &[]).await;
    company.hand_out(42, "a", 1).await;
    company.handled(1).await;
    let worker = company.worker("a").await.worker;
    assert_eq!(worker.condition, Condition::Fresh);
    assert_eq!((worker.running, worker.capacity), (Some(16), Some(16)));
    assert_eq!(worker.queue, Some(queue_of("a")));
    company.close().await;

    let watcher = Watcher::start(&pool, "management").await;
    let short =
        [("x-message-ttl", AMQPValue::LongInt(50)), ("x-dead-letter-exchange", text("fan"))];
    watcher.vhost.queue("work", &short).await;
    watcher.vhost.dead_letter_pair("fan", "dead").await;
    watcher.look().await;
    let bench = Bench::offline(&pool).await;
    let vhost = &watcher.vhost.name;
    let queue = bench.desk.queue("main", vhost, "work").await;
    let ttl = queue.expect("there").effective.message_ttl;
    assert_eq!(ttl.map(|set| set.value), Some(50));
    watcher.end().await;
}

/// The handler does nothing: its office does not run, or has it switched off.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_that_nobody_handles_are_told_on_every_page(pool: PgPool) {
    let company = Company::open(&pool, Vec::new()).await;
    company.worker_queue("a", Some(50)).await;
    company.hand_out(42, "a", 1).await;
    company.named(1).await;
    let told = || async {
        let troubles = company.yard.desk.troubles().await;
        let mut told = troubles.iter().map(|trouble| trouble.what.clone());
        told.find(|what| what.contains("name executions"))
    };
    // Intake goes by the system's clock, which is later than the test's.
    assert_eq!(told().await, None, "just now");
    company.yard.clock.advance(TimeDelta::days(20_000));
    let what = told().await.expect("told");
    assert!(what.contains("DLO_EXECUTIONS"), "{what}");
    company.handled(1).await;
    assert_eq!(told().await, None);
    company.close().await;
}

/// The handler crashed, or hangs: what it had in hand is another's, and nobody waits for it.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_handler_that_crashes_or_hangs_leaves_its_letter_to_another(pool: PgPool) {
    let company = Company::open(&pool, Vec::new()).await;
    company.worker_queue("a", Some(50)).await;
    for id in [41, 42] {
        company.hand_out(id, "a", 1).await;
        company.named(id - 40).await;
    }
    // Something holds the execution, so the handler stands in the middle of its letter.
    let mut held = pool.begin().await.expect("begun");
    sqlx::query("select from executions where id = '41' for update")
        .execute(&mut *held)
        .await
        .expect("held");
    let keeper = company.yard.keeper.clone();
    #[expect(clippy::disallowed_methods, reason = "the test owns the task and ends it")]
    let hangs = tokio::spawn(async move { executions::handle_next(&keeper).await });
    until("it has the first letter in hand", || async {
        let waiting = "select count(*) from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'";
        company.yard.count(waiting).await == 1
    })
    .await;
    let other = executions::handle_next(&company.yard.keeper).await;
    assert!(other.expect("handled"), "the second does not wait for it");
    let state = async |id: &str| company.yard.of(id).await.execution.state;
    assert_eq!(state("42").await, ExecutionState::Failed);
    assert_eq!(state("41").await, ExecutionState::Scheduled);
    hangs.abort();
    assert!(hangs.await.expect_err("cut off").is_cancelled());
    held.rollback().await.expect("let go");
    until("another takes the first", || async {
        executions::handle_next(&company.yard.keeper).await.expect("handled")
    })
    .await;
    assert_eq!(state("41").await, ExecutionState::Failed);
    let told = company.yard.count("select count(*) from execution_outbox").await;
    assert_eq!(told, 2, "each once");
    let letters = company.yard.count("select count(*) from letters").await;
    assert_eq!(letters, 2);
    company.close().await;
}

/// The handler gets nothing: nobody reads the dead-letter queue.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_dead_letter_queue_that_nobody_reads_is_told_and_its_messages_stay(pool: PgPool) {
    let company = Company::open(&pool, Vec::new()).await;
    company.worker_queue("a", Some(50)).await;
    company.hand_out(41, "a", 1).await;
    company.handled(1).await;
    let Company { intake, yard, vhost, .. } = company;
    intake.stop().await;
    until("it is told", || async {
        let troubles = yard.desk.troubles().await;
        troubles.iter().any(|trouble| trouble.what.contains("is not being read"))
    })
    .await;
    let plain = lapin::BasicProperties::default();
    vhost.publish("attune.dlx.queue", plain, b"{}").await;
    assert_eq!(vhost.depth("attune.dlx.queue").await, 1);
    vhost.delete().await;
}

/// Nothing reaches the dead-letter queue: each way that this can be is a finding, or stands on the page
/// of the queue.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn queues_whose_messages_cannot_reach_a_dead_letter_queue_are_found(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    vhost.queue("no-exchange", &dying("attune.dlx")).await;
    vhost.queue("not-bound", &dying("bare")).await;
    vhost.direct("bare", &[]).await;
    // The catch-all of a topic is a literal to a direct exchange.
    vhost.queue("attune.dlx.queue", &[]).await;
    vhost.direct("direct.dlx", &[("attune.dlx.queue", "#")]).await;
    vhost.queue("literal", &dying("direct.dlx")).await;
    vhost.queue("neither", &[]).await;
    watcher
        .finds(&[
            ("exchange_missing", "no-exchange"),
            ("literal_hash", "literal"),
            ("unbound", "not-bound"),
        ])
        .await;
    let bench = Bench::offline(&pool).await;
    let neither = bench.desk.queue("main", &vhost.name, "neither").await;
    let neither = neither.expect("there");
    assert!(neither.dead_letters.is_none());
    assert!(neither.effective.message_ttl.is_none());
    watcher.end().await;
}

/// A queue without a time to live keeps what nobody takes: its executions are stuck, and told.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn executions_whose_messages_never_die_are_stuck_and_failed_by_the_monitor(pool: PgPool) {
    let mut company = Company::open(&pool, Vec::new()).await;
    company.worker_queue("a", None).await;
    for id in 1..=3 {
        company.hand_out(id, "a", 1).await;
    }
    company.pass(301, &[]).await;
    let causes = company.yard.desk.causes().await.expect("counted");
    assert_eq!(causes.stuck_executions, 3);
    let letters = company.yard.count("select count(*) from letters").await;
    assert_eq!(letters, 0, "no letter tells of them");
    assert_eq!(executions::check(&company.yard.keeper).await.expect("checked"), 3);
    company.close().await;
}
