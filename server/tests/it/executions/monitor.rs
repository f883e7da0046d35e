//! The timeout monitor: what it fails, once, and what it must not.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_app::desk::ExecutionDesk as _;
use dlo_domain::execution::{ExecutionQuery, ExecutionState, MONITOR};
use dlo_server::clock::Clock as _;
use dlo_server::executions;
use dlo_server::store::workers::watches;
use futures_util::future::join_all;
use serde_json::json;
use sqlx::PgPool;

use crate::support::yard::Yard;

/// Seed 003: a worker never picks the task up.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_nobody_begins_is_failed_after_five_minutes(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.watch_for(5).await;
    yard.told("7", ExecutionState::Scheduled, "a").await;
    yard.told("8", ExecutionState::Scheduled, "a").await;
    yard.watch_for(10).await;
    yard.told("8", ExecutionState::Running, "a").await;
    yard.watch_for(290).await;
    assert_eq!(yard.check().await, 0, "300 s are allowed");
    yard.watch_for(1).await;
    let stuck = ExecutionQuery { stuck: true, ..ExecutionQuery::default() };
    let page = yard.desk.executions(&stuck, None, 50).await.expect("a page");
    let shown: Vec<(&str, bool)> = page.items.iter().map(|one| (&*one.id, one.is_stuck)).collect();
    assert_eq!(shown, [("7", true)]);
    assert_eq!(yard.check().await, 1);
    assert_eq!(yard.check().await, 0);
    let failed = yard.of("7").await;
    let why = "Execution timeout: worker `a` did not begin it within 300 s of being scheduled";
    assert_eq!(failed.execution.state, ExecutionState::Failed);
    assert_eq!(failed.result, Some(json!({"error": why, "failed_by": MONITOR})));
    assert_eq!(yard.of("8").await.execution.state, ExecutionState::Running);
    let body: serde_json::Value = sqlx::query_scalar("select body from execution_outbox")
        .fetch_one(&pool)
        .await
        .expect("one message");
    assert_eq!(body["payload"]["execution_id"], 7);
    assert_eq!(body["payload"]["status"], "failed");
    let figures = yard.desk.execution_figures().await.expect("figures");
    assert_eq!((figures.timeouts, figures.ended), (1, 1));
}

/// Seed 003: a worker stops in the middle.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_runs_on_a_silent_worker_is_failed(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.watch_for(5).await;
    for (id, worker) in [("1", "dead"), ("2", "quiet"), ("3", "alive"), ("4", "unheard")] {
        yard.told(id, ExecutionState::Running, worker).await;
    }
    yard.watch_for(400).await;
    yard.worker("dead", Some(Duration::from_secs(301))).await;
    yard.worker("quiet", Some(Duration::from_secs(40))).await;
    yard.worker("alive", None).await;
    assert_eq!(yard.check().await, 1);
    let failed = yard.of("1").await.execution;
    assert_eq!(failed.failed_by.as_deref(), Some(MONITOR));
    let why = "Execution timeout: its worker `dead` was silent or stopped for more than 300 s";
    assert_eq!(failed.error.as_deref(), Some(why));
    let running = "select count(*) from executions where state = 'running'";
    assert_eq!(yard.count(running).await, 3);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn two_monitors_fail_nothing_twice(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.watch_for(5).await;
    yard.scheduled(400, "a").await;
    yard.watch_for(310).await;
    let checks = join_all((0..4).map(|_| executions::check(&yard.keeper))).await;
    let failed: usize = checks.into_iter().map(|done| done.expect("checked")).sum();
    assert_eq!(failed, 400);
    assert_eq!(yard.count("select count(*) from execution_outbox").await, 400);
    let told = "select count(distinct body->'payload'->>'execution_id') from execution_outbox";
    assert_eq!(yard.count(told).await, 400);
    let counted = "select sum(timeouts)::bigint from execution_minutes";
    assert_eq!(yard.count(counted).await, 400);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_that_begins_in_the_same_instant_wins(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.watch_for(5).await;
    yard.told("7", ExecutionState::Scheduled, "a").await;
    yard.watch_for(310).await;
    let mut worker = pool.begin().await.expect("begun");
    sqlx::query("update executions set state = 'running', state_since = now() where id = '7'")
        .execute(&mut *worker)
        .await
        .expect("begun");
    // Without waiting for it.
    let check = tokio::time::timeout(crate::support::patience(), yard.check()).await;
    assert_eq!(check.expect("at once"), 0);
    worker.commit().await.expect("committed");
    assert_eq!(yard.check().await, 0);
    assert_eq!(yard.of("7").await.execution.state, ExecutionState::Running);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn workers_and_monitors_that_race_agree_on_each(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.watch_for(5).await;
    let ids = yard.scheduled(120, "a").await;
    yard.watch_for(310).await;
    let begin = join_all(ids.iter().map(|id| yard.try_told(id, ExecutionState::Running, "a")));
    let check = join_all((0..3).map(|_| executions::check(&yard.keeper)));
    let (begun, checked) = tokio::join!(begin, check);
    yard.check().await;
    let refused = begun.iter().filter(|told| told.is_err()).count();
    let first: usize = checked.into_iter().map(|done| done.expect("checked")).sum();
    let failed = yard.count("select count(*) from executions where state = 'failed'").await;
    assert_eq!(i64::try_from(refused), Ok(failed), "of {first} that were failed first");
    assert_eq!(yard.count("select count(*) from execution_outbox").await, failed);
}

/// What stands against everybody at once is no proof against anybody.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_frozen_database_and_a_clock_that_is_set_fail_nobody(pool: PgPool) {
    let yard = Yard::open(&pool);
    for step in [TimeDelta::seconds(120), TimeDelta::hours(1), TimeDelta::hours(-1)] {
        yard.watch_for(5).await;
        sqlx::query("delete from executions").execute(&pool).await.expect("gone");
        yard.scheduled(50, "a").await;
        yard.watch_for(290).await;
        yard.clock.advance(step);
        assert_eq!(yard.check().await, 0, "{step}");
        // Whoever was cut off has its whole time again.
        yard.watch_for(295).await;
        assert_eq!(yard.check().await, 0, "{step}");
        yard.watch_for(10).await;
        assert_eq!(yard.check().await, 50, "{step}: and then they are late");
    }
}

/// A worker that is heard by message could not begin what did not come to it.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn who_was_cut_off_with_its_broker_has_its_whole_time_again(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.watch_for(5).await;
    yard.worker("a", None).await;
    yard.worker("b", None).await;
    sqlx::query("update workers set way = 'amqp:main' where name = 'a'")
        .execute(&pool)
        .await
        .expect("told");
    heard_for(&yard, 5).await;
    yard.scheduled(20, "a").await;
    yard.told("other", ExecutionState::Scheduled, "b").await;
    heard_for(&yard, 190).await;
    yard.watch_for(120).await;
    assert_eq!(yard.check().await, 1, "the broker is away");
    assert_eq!(yard.of("other").await.execution.state, ExecutionState::Failed);
    heard_for(&yard, 295).await;
    assert_eq!(yard.check().await, 0, "the broker was away");
    heard_for(&yard, 15).await;
    assert_eq!(yard.check().await, 20, "and then they are late");
}

/// Silent for 31 s, and then nobody could have heard it: that is not 300 s of silence.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_runs_on_a_worker_that_was_cut_off_has_its_whole_time_again(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.watch_for(5).await;
    for name in ["a", "back"] {
        yard.worker(name, None).await;
        yard.told(name, ExecutionState::Running, name).await;
    }
    sqlx::query("update workers set way = 'amqp:main'").execute(&pool).await.expect("told");
    heard_for(&yard, 5).await;
    let silent = yard.clock.now();
    heard_for(&yard, 30).await;
    for name in ["a", "back"] {
        away(&yard, name, silent, None).await;
    }
    yard.watch_for(400).await;
    assert_eq!(yard.check().await, 0, "the broker is away");
    heard_for(&yard, 5).await;
    away(&yard, "back", silent, Some(yard.clock.now())).await;
    for _ in 0..29 {
        assert_eq!(yard.check().await, 0, "the broker was away");
        heard_for(&yard, 10).await;
    }
    heard_for(&yard, 20).await;
    assert_eq!(yard.check().await, 1, "and then it is late");
    assert_eq!(yard.of("a").await.execution.state, ExecutionState::Failed);
}

/// A worker that comes back under its name has not what it had before.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_ran_before_a_long_time_away_is_failed_when_its_worker_is_back(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.watch_for(5).await;
    for name in ["long", "short"] {
        yard.worker(name, None).await;
        yard.told(name, ExecutionState::Running, name).await;
    }
    yard.watch_for(60).await;
    let (silent, fresh) = (yard.clock.now(), TimeDelta::seconds(290));
    yard.watch_for(310).await;
    let now = yard.clock.now();
    away(&yard, "long", silent, Some(now)).await;
    away(&yard, "short", silent, Some(silent + fresh)).await;
    yard.told("since", ExecutionState::Running, "long").await;
    assert_eq!(yard.check().await, 1);
    let failed = yard.of("long").await.execution;
    let why = "Execution timeout: its worker `long` was silent or stopped for more than 300 s";
    assert_eq!(failed.error.as_deref(), Some(why));
    assert_eq!(yard.check().await, 0, "what it began since goes on");
}

/// A worker is away since then, or was until then.
async fn away(yard: &Yard, name: &str, since: DateTime<Utc>, until: Option<DateTime<Utc>>) {
    for statement in [
        "delete from worker_downtimes
         where worker = $1 and until is null and $2::timestamptz <= coalesce($3::timestamptz, $2)",
        "insert into worker_downtimes (worker, since, found_at, until) values ($1, $2, $2, $3)",
        "update workers set silent_since = case when $3::timestamptz is null then $2 end
         where name = $1",
    ] {
        sqlx::query(statement)
            .bind(name)
            .bind(since)
            .bind(until)
            .execute(&yard.pool)
            .await
            .expect("told");
    }
}

/// Nobody hands it out: nobody is late, and it stands still all the same.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_waits_for_a_worker_for_long_is_shown_as_stuck_and_not_failed(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.watch_for(5).await;
    yard.told("1", ExecutionState::Requested, "").await;
    yard.watch_for(1).await;
    yard.told("2", ExecutionState::Scheduling, "").await;
    yard.told("3", ExecutionState::Running, "a").await;
    let shown = async |state| {
        let stuck = ExecutionQuery { stuck: true, state, ..ExecutionQuery::default() };
        let page = yard.desk.executions(&stuck, None, 50).await;
        let items = page.expect("a page").items;
        assert!(items.iter().all(|one| one.is_stuck));
        items.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    yard.watch_for(299).await;
    assert!(shown(None).await.is_empty());
    yard.watch_for(1).await;
    assert_eq!(shown(None).await, ["1"]);
    yard.watch_for(1).await;
    assert_eq!(shown(None).await, ["1", "2"], "the oldest first");
    assert_eq!(shown(Some(ExecutionState::Scheduling)).await, ["2"]);
    assert_eq!(yard.check().await, 0);
    let figures = yard.desk.execution_figures().await.expect("figures");
    assert_eq!((figures.stuck, figures.timeouts), (2, 0));
}

/// Time goes by with somebody looking, in which the broker is heard.
async fn heard_for(yard: &Yard, seconds: i64) {
    let mut conn = yard.pool.acquire().await.expect("a connection");
    for _ in 0..seconds / 5 {
        yard.watch_for(5).await;
        watches::look(&mut conn, "amqp:main", yard.clock.now()).await.expect("looked");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_over_is_forgotten_after_its_time(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.told("old", ExecutionState::Completed, "a").await;
    yard.clock.advance(TimeDelta::days(31));
    yard.told("new", ExecutionState::Completed, "a").await;
    yard.told("going", ExecutionState::Running, "a").await;
    let mut conn = pool.acquire().await.expect("a connection");
    let before = dlo_server::clock::Clock::now(&*yard.clock) - TimeDelta::days(30);
    let gone = dlo_server::store::executions::watch::forget(&mut conn, before, 10).await;
    assert_eq!(gone.expect("done"), 1);
    assert_eq!(yard.count("select count(*) from executions").await, 2);
}
