//! Reports, lists, and what people end.

use std::sync::Arc;

use dlo_app::desk::{DeskError, ExecutionDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::execution::{ExecutionQuery, ExecutionState, Report};
use dlo_domain::globs::Globs;
use dlo_server::clock::Clock as _;
use dlo_server::store::executions::figures::{self, Tally};
use serde_json::json;
use sqlx::PgPool;

use crate::support::front::Counter;
use crate::support::yard::Yard;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_life_is_written_down_and_what_is_out_of_turn_refused(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.told("7", ExecutionState::Requested, "").await;
    yard.clock.advance(chrono::TimeDelta::seconds(2));
    yard.told("7", ExecutionState::Scheduled, "a").await;
    let wrong = yard.try_told("7", ExecutionState::Running, "b").await;
    assert!(wrong.expect_err("refused").contains("on worker `a`"));
    yard.told("7", ExecutionState::Running, "a").await;
    let back = yard.try_told("7", ExecutionState::Scheduled, "a").await;
    assert!(back.expect_err("refused").contains("is running since"));
    let done =
        Report { result: Some(json!({"rows": 7})), ..Report::of("7", ExecutionState::Completed) };
    yard.report(done.clone()).await.expect("taken");
    yard.report(done).await.expect("said again");
    let over = yard.try_told("7", ExecutionState::Failed, "a").await;
    assert!(over.expect_err("refused").contains("it is over"));
    let detail = yard.of("7").await;
    assert_eq!(detail.result, Some(json!({"rows": 7})));
    assert_eq!(detail.execution.worker.as_deref(), Some("a"));
    let figures = yard.desk.execution_figures().await.expect("figures");
    assert_eq!(figures.scheduling_latency_ms, Some(2_000));
    assert_eq!((figures.ended, figures.timeouts), (1, 0));
}

/// From requested to running in 1, 2 and 6 seconds; of four that are over two took too long.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn how_long_they_wait_and_how_many_take_too_long_is_told_as_it_was(pool: PgPool) {
    let mut yard = Yard::open(&pool);
    yard.watch_for(5).await;
    for id in ["1", "2", "3", "4"] {
        yard.told(id, ExecutionState::Requested, "").await;
    }
    for (seconds, id) in [(1, "1"), (1, "2"), (4, "3")] {
        yard.told(id, ExecutionState::Scheduled, "a").await;
        yard.clock.advance(chrono::TimeDelta::seconds(seconds));
        yard.told(id, ExecutionState::Running, "a").await;
    }
    // A later attempt says nothing of how long it takes.
    let again = Report { attempt: Some(2), ..Report::of("2", ExecutionState::Running) };
    yard.clock.advance(chrono::TimeDelta::seconds(9));
    yard.report(again).await.expect("taken");
    yard.told("4", ExecutionState::Scheduled, "a").await;
    let figures = yard.desk.execution_figures().await.expect("figures");
    assert_eq!(figures.scheduling_latency_ms, Some(3_000));
    assert_eq!((figures.timeouts, figures.ended), (0, 0));
    yard.told("1", ExecutionState::Completed, "a").await;
    yard.told("2", ExecutionState::Failed, "a").await;
    yard.told("3", ExecutionState::TimedOut, "a").await;
    yard.watch_for(305).await;
    assert_eq!(yard.check().await, 1);
    let figures = yard.desk.execution_figures().await.expect("figures");
    assert_eq!(figures.scheduling_latency_ms, Some(3_000));
    assert_eq!((figures.timeouts, figures.ended), (2, 4));
    let desk = std::mem::replace(&mut yard.desk, Yard::open(&pool).desk);
    let counter = Counter::open_before(&pool, Arc::new(desk)).await;
    let page = counter.get("/executions").await.text().await;
    let page = page.expect("a page");
    for said in [
        "from requested to running in 3,000 ms on average, last hour",
        "2 timed out or failed by the monitor in the last hour, 50 % of what ended",
        "timed out 1<",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    counter.close().await;
    yard.watch_for(3_600).await;
    let mut conn = pool.acquire().await.expect("a connection");
    let now = yard.clock.now();
    let told = figures::of_last_hour(&mut conn, now).await;
    assert_eq!(told.expect("counted"), Tally::default(), "an hour later");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn reports_of_one_execution_in_one_request_follow_each_other(pool: PgPool) {
    let yard = Yard::open(&pool);
    let states = [
        ExecutionState::Scheduled,
        ExecutionState::Running,
        ExecutionState::Scheduled,
        ExecutionState::Completed,
    ];
    let reports = states.map(|state| Report::of("7", state));
    let told = yard.desk.report_executions(&reports).await.expect("told");
    let refused: Vec<bool> = told.iter().map(|one| one.refused.is_some()).collect();
    assert_eq!(refused, [false, false, true, false]);
    assert_eq!(yard.of("7").await.execution.state, ExecutionState::Completed);
    let bad = [Report::of("8", ExecutionState::Running), Report::of("", ExecutionState::Running)];
    let all = yard.desk.report_executions(&bad).await;
    assert!(matches!(all, Err(DeskError::Invalid(why)) if why.starts_with("report 2: ")));
    let none = yard.desk.execution("8").await;
    assert!(matches!(none, Err(DeskError::NotFound(_))), "none of them was taken");
}

/// What was failed because its message died is done after a replay.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_later_attempt_begins_what_was_failed_and_leaves_nothing_of_its_end(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.told("7", ExecutionState::Requested, "").await;
    yard.told("7", ExecutionState::Scheduled, "a").await;
    let person = Actor("ann".to_owned());
    let failed =
        yard.desk.end_execution(&person, "7", ExecutionState::Failed, "nobody took it").await;
    assert!(failed.expect("failed").state.is_terminal());
    let late = yard.try_told("7", ExecutionState::Running, "a").await;
    assert!(late.expect_err("refused").contains("it is over"));
    yard.clock.advance(chrono::TimeDelta::hours(9));
    let again =
        |state| Report { worker: Some("a".to_owned()), attempt: Some(2), ..Report::of("7", state) };
    let running = yard.report(again(ExecutionState::Running)).await;
    assert_eq!(running.expect("taken").ended_at, None);
    let detail = yard.of("7").await;
    assert_eq!((detail.result, detail.execution.error), (None, None));
    yard.report(again(ExecutionState::Completed)).await.expect("taken");
    let third = Report { attempt: Some(3), ..again(ExecutionState::Running) };
    let over = yard.report(third).await.expect_err("it is done");
    assert!(over.contains("is completed since"), "{over}");
    let figures = yard.desk.execution_figures().await.expect("figures");
    assert_eq!(
        (figures.ended, figures.scheduling_latency_ms),
        (1, None),
        "the first attempt never ran, and ended hours ago"
    );
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn many_that_report_the_same_at_once_agree(pool: PgPool) {
    let yard = Yard::open(&pool);
    let one = |worker: &'static str| yard.try_told("7", ExecutionState::Running, worker);
    let (a, b, c) = tokio::join!(one("a"), one("b"), one("c"));
    let taken = [a, b, c].iter().filter(|told| told.is_ok()).count();
    assert_eq!(taken, 1, "one worker has it");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn lists_are_paged_by_state_and_worker(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.scheduled(12, "a").await;
    yard.told("other", ExecutionState::Running, "b").await;
    yard.told("e-0003", ExecutionState::Running, "a").await;
    let query = ExecutionQuery {
        state: Some(ExecutionState::Scheduled),
        worker: Some("a".to_owned()),
        stuck: false,
    };
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = yard.desk.executions(&query, after, 5).await.expect("a page");
        assert_eq!(page.estimated_total, 11);
        seen.extend(page.items.into_iter().map(|one| one.id));
        after = page.next_cursor;
        if after.is_none() {
            break;
        }
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 11);
    assert!(!seen.contains(&"e-0003".to_owned()) && !seen.contains(&"other".to_owned()));
    let all = yard.desk.executions(&ExecutionQuery::default(), None, 50).await;
    assert_eq!(all.expect("a page").items.len(), 13);
    let figures = yard.desk.execution_figures().await.expect("figures");
    let of = |state| figures.states.iter().find(|one| one.state == state).expect("a count").count;
    assert_eq!(of(ExecutionState::Scheduled), 11);
    assert_eq!(of(ExecutionState::Running), 2);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_person_fails_and_cancels_once_and_is_named(pool: PgPool) {
    let yard = Yard::open(&pool);
    let anna = Actor("anna".to_owned());
    for (id, state) in [("1", ExecutionState::Failed), ("2", ExecutionState::Cancelled)] {
        yard.told(id, ExecutionState::Scheduled, "a").await;
        let ended = yard.desk.end_execution(&anna, id, state, " wrong order ").await;
        let ended = ended.expect("ended");
        assert_eq!((ended.state, ended.failed_by.as_deref()), (state, Some("anna")));
        let again = yard.desk.end_execution(&anna, id, state, "x").await;
        assert!(matches!(again, Err(DeskError::Conflict(why)) if why.contains("it is over")));
        let late = yard.try_told(id, ExecutionState::Running, "a").await;
        assert!(late.is_err(), "its worker is told");
        let result = json!({"error": "wrong order", "failed_by": "anna"});
        assert_eq!(yard.of(id).await.result, Some(result));
    }
    let outbox = yard.count("select count(*) from execution_outbox").await;
    assert_eq!(outbox, 2);
    let audit = "select count(*) from audit where actor = 'anna' and action like 'execution.%'";
    assert_eq!(yard.count(audit).await, 2);
    let nothing = yard.desk.end_execution(&anna, "9", ExecutionState::Failed, "x").await;
    assert!(matches!(nothing, Err(DeskError::NotFound(_))));
    let silent = yard.desk.end_execution(&anna, "1", ExecutionState::Failed, " ").await;
    assert!(matches!(silent, Err(DeskError::Invalid(_))));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn whoever_speaks_for_some_workers_changes_no_execution_of_another(pool: PgPool) {
    let yard = Yard::open(&pool);
    let on = |id: &str, worker: Option<&str>| Report {
        worker: worker.map(str::to_owned),
        ..Report::of(id, ExecutionState::Running)
    };
    yard.report(on("1", Some("payments-1"))).await.expect("taken");
    yard.report(on("2", Some("crew-1"))).await.expect("taken");
    let crew: Globs = "crew-*".parse().expect("patterns");
    let done = |id: &str| Report::of(id, ExecutionState::Completed);
    let reports = [done("1"), done("2"), on("3", Some("crew-2"))];
    let told = yard.desk.report_executions_of(&reports, &crew).await;
    let told = told.expect("judged");
    let refused = told[0].refused.as_deref().expect("refused");
    assert!(refused.contains("on worker `payments-1`"), "{refused}");
    assert_eq!(told[0].execution.state, ExecutionState::Running);
    assert_eq!(told[1].execution.state, ExecutionState::Completed);
    assert_eq!(told[2].refused, None);
}
