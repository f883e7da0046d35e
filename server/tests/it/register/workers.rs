//! Silences of workers that are read.

use chrono::TimeDelta;
use dlo_domain::worker::Condition;
use dlo_server::clock::Clock as _;
use sqlx::PgPool;

use crate::support::company::{Company, WORKERS, noon};

const STAFF: &str = "insert into company.worker (name, last_heartbeat, meta)
    select name, told, '{\"queue\": \"q\"}' from company.time, unnest(array['a', 'b']) as name";

async fn at_work(pool: &PgPool) -> Company {
    let mut company = Company::open(pool, Some(WORKERS), None).await;
    company.run(STAFF).await;
    company.pass(20, &["a", "b"]).await;
    assert_eq!(company.trouble().await, "");
    assert_eq!(company.condition("a").await, Condition::Fresh);
    company
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_that_is_read_falls_silent_and_comes_back(pool: PgPool) {
    let mut company = at_work(&pool).await;
    company.pass(22, &["a"]).await;
    assert_eq!(company.condition("b").await, Condition::Fresh, "too early");
    company.pass(20, &["a"]).await;
    assert_eq!(company.condition("b").await, Condition::Stale);
    assert_eq!(company.condition("a").await, Condition::Fresh);
    company.pass(6, &["a", "b"]).await;
    assert_eq!(company.condition("b").await, Condition::Fresh);
    let away = "select count(*) from worker_downtimes where worker = 'b' and until is not null";
    assert_eq!(company.count(away).await, 1);
    let ours = "select count(*) from workers where last_heartbeat_at > $1";
    let ahead: i64 = sqlx::query_scalar(ours)
        .bind(noon() + TimeDelta::minutes(30))
        .fetch_one(&pool)
        .await
        .expect("counted");
    assert_eq!(ahead, 0, "times are told by our clock, not by theirs");
}

/// It was registered, and is not known before it beats.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_that_never_beat_is_no_fault_and_hides_nobody(pool: PgPool) {
    let mut company = at_work(&pool).await;
    company.run("insert into company.worker (name) values ('new')").await;
    company.pass(42, &["a"]).await;
    assert_eq!(company.trouble().await, "");
    assert_eq!(company.condition("b").await, Condition::Stale);
    let known = "select count(*) from workers where name = 'new'";
    assert_eq!(company.count(known).await, 0);
    company.pass(6, &["a", "new"]).await;
    assert_eq!(company.condition("new").await, Condition::Fresh);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_clock_that_is_set_over_there_makes_nobody_silent_and_hides_nobody(pool: PgPool) {
    for step in [
        "update company.time set told = told + interval '1 h'",
        "update company.time set told = told - interval '3 h'",
    ] {
        sqlx::raw_sql("drop schema if exists company cascade; truncate workers, registers cascade")
            .execute(&pool)
            .await
            .expect("begun anew");
        let mut company = at_work(&pool).await;
        company.run(step).await;
        company.pass(20, &["a"]).await;
        for name in ["a", "b"] {
            assert_eq!(company.condition(name).await, Condition::Fresh, "{step}");
        }
        company.pass(25, &["a"]).await;
        assert_eq!(company.condition("a").await, Condition::Fresh, "{step}");
        assert_eq!(company.condition("b").await, Condition::Stale, "{step}");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_the_register_says_of_a_worker_is_kept_and_stops_are_no_silences(pool: PgPool) {
    let mut company = at_work(&pool).await;
    company.run("update company.worker set status = 'inactive' where name = 'b'").await;
    company.pass(60, &["a"]).await;
    assert_eq!(company.condition("b").await, Condition::Stopped);
    assert_eq!(company.count("select count(*) from worker_downtimes").await, 0);
    let told = "select count(*) from workers where queue = 'q' and way = 'register'";
    assert_eq!(company.count(told).await, 2);
    company.run("update company.worker set status = 'busy' where name = 'b'").await;
    company.pass(10, &["a", "b"]).await;
    assert_eq!(company.condition("b").await, Condition::Fresh);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_whose_row_is_gone_is_silent_and_old_rows_are_not_taken_up(pool: PgPool) {
    let mut company = at_work(&pool).await;
    company
        .run(
            "delete from company.worker where name = 'b';
             insert into company.worker (name, last_heartbeat)
             select 'old', told - interval '30 d' from company.time
             union all select 'lately', told - interval '2 h' from company.time",
        )
        .await;
    company.pass(45, &["a"]).await;
    assert_eq!(company.condition("b").await, Condition::Stale);
    assert_eq!(company.condition("lately").await, Condition::Stale);
    assert_eq!(company.count("select count(*) from workers where name = 'old'").await, 0);
    let since = "select count(*) from worker_downtimes where worker = 'lately'
        and found_at - since > interval '2 h'";
    assert_eq!(company.count(since).await, 1, "it was away before we looked");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn who_was_silent_before_it_was_seen_is_stale_at_once(pool: PgPool) {
    let mut company = at_work(&pool).await;
    company
        .run(
            "insert into company.worker (name, last_heartbeat)
             select 'late', told - interval '40 s' from company.time
             union all select 'just', told - interval '20 s' from company.time",
        )
        .await;
    company.pass(6, &["a", "b"]).await;
    assert_eq!(company.condition("late").await, Condition::Stale);
    assert_eq!(company.condition("just").await, Condition::Fresh);
    company.pass(6, &["a", "b", "late", "just"]).await;
    for name in ["late", "just"] {
        assert_eq!(company.condition(name).await, Condition::Fresh);
    }
    let away = "select count(*) from worker_downtimes where worker = 'late' and until is not null";
    assert_eq!(company.count(away).await, 1);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn one_office_reads_at_a_time_and_ours_may_be_set_back(pool: PgPool) {
    let mut company = at_work(&pool).await;
    let mut other = company.other();
    company.clock.advance(TimeDelta::seconds(6));
    other.look().await.expect("looked");
    let read = company.standing().await.read_at;
    assert_eq!(read, Some(company.clock.now()));
    company.reader.look().await.expect("looked");
    company.clock.advance(TimeDelta::hours(-1));
    company.pass(20, &["a", "b"]).await;
    assert!(company.standing().await.read_at < read);
    for name in ["a", "b"] {
        assert_eq!(company.condition(name).await, Condition::Fresh);
    }
}
