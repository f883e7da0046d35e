//! Registers that stop in the middle of an answer.

use std::time::{Duration, Instant};

use dlo_domain::worker::Condition;
use sqlx::PgPool;

use crate::support::company::{WORKERS, address, fallen_silent};
use crate::support::{patience, until_within};

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
        ("select name, id as last_heartbeat from worker", "cannot be used"),
        ("select name, last_heartbeat::timestamp from worker", "cannot be used"),
        ("select name, 'infinity'::timestamptz as last_heartbeat from worker", "cannot be used"),
        ("select name, last_heartbeat, status::text || '!' as state from worker", "active!"),
        (
            "select name, last_heartbeat, repeat('x', 50000000) as version from worker",
            "16384 bytes",
        ),
        ("select name || chr(27) as name, last_heartbeat from worker", "a worker cannot be kept"),
        ("delete from worker returning name, last_heartbeat", "syntax error"),
        ("select wipe() as name, now() as last_heartbeat", "read-only transaction"),
        ("select 1) as r; drop table worker; select (1", "multiple commands"),
        ("select name, last_heartbeat, 1 / 0 as running from worker", "division by zero"),
        (
            "select 'b' as name, clock_timestamp() as last_heartbeat, pg_sleep(4.5)",
            "statement timeout",
        ),
        (
            "select name, last_heartbeat from worker, generate_series(1, 50000)",
            "more than 20000 rows",
        ),
        ("select repeat('x', 16000) as name from generate_series(1, 15000)", "more than 32 MiB"),
    ] {
        // Only what is to take too long has little time.
        company.patience =
            if told == "statement timeout" { Duration::from_secs(5) } else { patience() };
        company.ask(&address(&pool), Some(sql));
        company.pass(6, &[]).await;
        let said = company.trouble().await;
        assert!(said.contains(told), "{sql}: {said}");
        assert!(said.len() < 1_000, "{sql}: bounded");
    }
    assert_eq!(company.condition("a").await, Condition::Fresh, "silent for 100 s");
    assert_eq!(company.count("select count(*) from company.worker").await, 1);
    assert_eq!(company.count("select count(*) from workers").await, 1);
    company.ask(&address(&pool), Some(WORKERS));
    company.pass(12, &[]).await;
    assert_eq!(company.trouble().await, "");
    assert_eq!(company.condition("a").await, Condition::Fresh, "it has its whole time again");
    company.pass(35, &[]).await;
    assert_eq!(company.condition("a").await, Condition::Stale);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_connection_that_is_cut_in_the_middle_is_made_again(pool: PgPool) {
    let mut company = fallen_silent(&pool).await;
    let slow = "select name, last_heartbeat, pg_sleep(3)::text as note from worker";
    company.ask(&address(&pool), Some(slow));
    company.clock.advance(chrono::TimeDelta::seconds(6));
    let began = Instant::now();
    let cut = until_within("the statement is cut off", Duration::from_secs(10), || async {
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
