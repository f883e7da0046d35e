//! What cannot be read is told, and holds nobody for silent.

use std::time::{Duration, Instant};

use dlo_app::desk::TriageDesk as _;
use dlo_domain::worker::Condition;
use sqlx::PgPool;

use super::company::{Company, WORKERS, address};
use crate::support::desk::Bench;
use crate::support::until;

const STAFF: &str = "insert into company.worker (name, last_heartbeat)
    select 'a', told from company.time";

/// One worker, which was heard and beats no more.
async fn fallen_silent(pool: &PgPool) -> Company {
    let mut company = Company::open(pool, Some(WORKERS), None).await;
    company.run(STAFF).await;
    company.pass(12, &["a"]).await;
    assert_eq!(company.trouble().await, "");
    company
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn sql_that_does_not_do_is_told_and_holds_nobody_for_silent(pool: PgPool) {
    let mut company = fallen_silent(&pool).await;
    company
        .run(
            "create function company.wipe() returns text language sql
             as 'delete from company.worker returning name'",
        )
        .await;
    for (sql, told) in [
        ("select nonsense from nowhere", "nowhere"),
        ("selekt", "syntax error"),
        ("select name from worker", "missing field `last_heartbeat`"),
        ("select last_heartbeat from worker", "missing field `name`"),
        (
            "select name, id as last_heartbeat from worker",
            "cannot be used",
        ),
        (
            "select name, last_heartbeat::timestamp from worker",
            "cannot be used",
        ),
        (
            "select name, 'infinity'::timestamptz as last_heartbeat from worker",
            "cannot be used",
        ),
        (
            "select name, last_heartbeat, status::text || '!' as state from worker",
            "active!",
        ),
        (
            "select name, last_heartbeat, repeat('x', 50000000) as version from worker",
            "16384 bytes",
        ),
        (
            "select name || chr(27) as name, last_heartbeat from worker",
            "a worker cannot be kept",
        ),
        (
            "delete from worker returning name, last_heartbeat",
            "syntax error",
        ),
        (
            "select wipe() as name, now() as last_heartbeat",
            "read-only transaction",
        ),
        (
            "select 1) as r; drop table worker; select (1",
            "multiple commands",
        ),
        (
            "select name, last_heartbeat, 1 / 0 as running from worker",
            "division by zero",
        ),
        (
            "select 'b' as name, clock_timestamp() as last_heartbeat, pg_sleep(4.5)",
            "statement timeout",
        ),
        (
            "select name, last_heartbeat from worker, generate_series(1, 50000)",
            "more than 20000 rows",
        ),
        (
            "select repeat('x', 16000) as name from generate_series(1, 15000)",
            "more than 32 MiB",
        ),
    ] {
        company.ask(&address(&pool), Some(sql));
        company.pass(6, &[]).await;
        let said = company.trouble().await;
        assert!(said.contains(told), "{sql}: {said}");
        assert!(said.len() < 1_000, "{sql}: bounded");
    }
    assert_eq!(
        company.condition("a").await,
        Condition::Fresh,
        "silent for 100 s"
    );
    assert_eq!(
        company.count("select count(*) from company.worker").await,
        1
    );
    assert_eq!(company.count("select count(*) from workers").await, 1);
    company.ask(&address(&pool), Some(WORKERS));
    company.pass(12, &[]).await;
    assert_eq!(company.trouble().await, "");
    assert_eq!(
        company.condition("a").await,
        Condition::Fresh,
        "it has its whole time again"
    );
    company.pass(35, &[]).await;
    assert_eq!(company.condition("a").await, Condition::Stale);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn rows_that_can_be_used_are_and_one_that_cannot_stops_the_watch(pool: PgPool) {
    let mut company = fallen_silent(&pool).await;
    company
        .run("insert into company.worker (name, last_heartbeat) values ('odd' || chr(27), now())")
        .await;
    company
        .run("insert into company.worker (name, last_heartbeat) select 'b', told from company.time")
        .await;
    company.pass(60, &["b"]).await;
    let said = company.trouble().await;
    assert!(
        said.contains("1 of 3 rows of workers cannot be used"),
        "{said}"
    );
    for name in ["a", "b"] {
        assert_eq!(company.condition(name).await, Condition::Fresh);
    }
    let banner = Bench::offline(&pool).await.desk.troubles().await;
    let told: Vec<&str> = banner.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(told.len(), 1, "once: {told:?}");
    assert!(told[0].contains("cannot be read to the end"), "{told:?}");
}

/// Whatever is wrong with executions says nothing of workers.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn executions_that_cannot_be_used_are_told_and_hide_no_silence(pool: PgPool) {
    for (sql, told) in [
        (
            "select 1 as id, 'asleep' as state",
            "1 of 1 rows of executions cannot be used",
        ),
        ("select nonsense from nowhere", "nowhere"),
        (
            "select g as id, 'running' as state from generate_series(1, 20001) g",
            "more than 20000 rows",
        ),
        (
            "select 1 as id, 'running' as state from generate_series(1, 2)",
            "called `1`",
        ),
    ] {
        for table in ["workers", "executions", "fleet_watches", "registers"] {
            let empty = sqlx::AssertSqlSafe(format!("delete from {table}"));
            sqlx::raw_sql(empty).execute(&pool).await.expect("empty");
        }
        sqlx::raw_sql("drop schema if exists company cascade")
            .execute(&pool)
            .await
            .expect("gone");
        let mut company = Company::open(&pool, Some(WORKERS), Some(sql)).await;
        company.run(STAFF).await;
        company.pass(12, &["a"]).await;
        let said = company.trouble().await;
        assert!(said.contains(told), "{sql}: {said}");
        assert_eq!(company.condition("a").await, Condition::Fresh);
        company.pass(45, &[]).await;
        assert!(company.trouble().await.contains(told), "it is told on");
        assert_eq!(company.condition("a").await, Condition::Stale, "{sql}");
    }
    let banner = Bench::offline(&pool).await.desk.troubles().await;
    let told: Vec<&str> = banner.iter().map(|one| one.what.as_str()).collect();
    assert!(told[0].contains("are found all the same"), "{told:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn two_rows_of_one_worker_are_told_and_the_later_counts(pool: PgPool) {
    let mut company = fallen_silent(&pool).await;
    company
        .run(
            "insert into company.worker (name, last_heartbeat)
             select 'a', told - interval '1 h' from company.time",
        )
        .await;
    company.pass(6, &[]).await;
    let said = company.trouble().await;
    assert!(said.contains("several rows are called `a`"), "{said}");
    assert_eq!(company.condition("a").await, Condition::Fresh);
    company.pass(40, &[]).await;
    assert_eq!(
        company.condition("a").await,
        Condition::Stale,
        "it hides nobody"
    );
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_database_that_is_gone_holds_nobody_for_silent_and_shows_no_password(pool: PgPool) {
    let mut company = fallen_silent(&pool).await;
    company.ask("postgres://reader:topsecret@127.0.0.1:1/app", Some(WORKERS));
    company.pass(60, &[]).await;
    let said = company.trouble().await;
    assert!(said.contains("cannot be reached"), "{said}");
    assert!(!said.contains("topsecret"), "{said}");
    assert!(!format!("{:?}", company.reader).contains("topsecret"));
    assert_eq!(company.condition("a").await, Condition::Fresh);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_connection_that_is_cut_in_the_middle_is_made_again(pool: PgPool) {
    let mut company = fallen_silent(&pool).await;
    let slow = "select name, last_heartbeat, pg_sleep(3)::text as note from worker";
    company.ask(&address(&pool), Some(slow));
    company.clock.advance(chrono::TimeDelta::seconds(6));
    let began = Instant::now();
    let cut = until("the statement is cut off", 10, || async {
        let cut: Vec<(bool,)> = sqlx::query_as(
            "select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and application_name like '%register'
                 and query like '%pg_sleep%' and pid <> pg_backend_pid()",
        )
        .fetch_all(&pool)
        .await
        .expect("asked");
        !cut.is_empty()
    });
    let (looked, ()) = tokio::join!(company.reader.look(), cut);
    looked.expect("our own database is well");
    assert!(began.elapsed() < Duration::from_secs(3));
    assert_ne!(company.trouble().await, "");
    company.ask(&address(&pool), Some(WORKERS));
    company.pass(6, &[]).await;
    assert_eq!(company.trouble().await, "");
}
