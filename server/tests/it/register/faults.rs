//! What cannot be read is told, and holds nobody for silent.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::worker::Condition;
use sqlx::PgPool;

use crate::support::company::{Company, STAFF, WORKERS, fallen_silent};
use crate::support::desk::Bench;

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
    assert!(said.contains("1 of 3 rows of workers cannot be used"), "{said}");
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
        ("select 1 as id, 'asleep' as state", "1 of 1 rows of executions cannot be used"),
        ("select nonsense from nowhere", "nowhere"),
        (
            "select g as id, 'running' as state from generate_series(1, 20001) g",
            "more than 20000 rows",
        ),
        ("select 1 as id, 'running' as state from generate_series(1, 2)", "called `1`"),
    ] {
        for table in ["workers", "executions", "fleet_watches", "registers"] {
            let empty = sqlx::AssertSqlSafe(format!("delete from {table}"));
            sqlx::raw_sql(empty).execute(&pool).await.expect("empty");
        }
        sqlx::raw_sql("drop schema if exists company cascade").execute(&pool).await.expect("gone");
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
    assert_eq!(company.condition("a").await, Condition::Stale, "it hides nobody");
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
