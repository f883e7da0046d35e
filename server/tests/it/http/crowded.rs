//! Pages whose statements hang take nothing from what an office does by itself, and leave nothing behind.

use std::sync::Arc;
use std::time::Duration;

use dlo_domain::source::SourceMode;
use dlo_server::access::Role;
use dlo_server::clock::SystemClock;
use dlo_server::config::{DatabaseConfig, Patience, Secret};
use dlo_server::store::Pools;
use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::database::{count, database_url};
use crate::support::desk::{Bench, desk};
use crate::support::front::Counter;
use crate::support::office::{Office, letters, watch};
use crate::support::until;

/// What only pages and API read.
const LOCK: &str = "lock table views in access exclusive mode";
/// Statements that wait for the lock.
const HANGING: &str = "select count(*) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'";

fn pools(pool: &PgPool, patience: &Patience) -> (Pools, i64) {
    let config = DatabaseConfig { url: Secret::new(database_url(pool)), connections: 12 };
    let pools = Pools::open(&config, patience).expect("an address");
    (pools, i64::from(config.shares().pages))
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_office_takes_and_replays_letters_while_every_connection_of_its_pages_hangs(
    pool: PgPool,
) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    vhost.queue("orders.dead", &[]).await;
    let patience = Patience { page: Duration::from_secs(2), ..Patience::default() };
    let (pools, of_pages) = pools(&pool, &patience);
    let counter = {
        let desk = desk(&pools.pages, &vhost.brokers, Arc::new(SystemClock));
        Counter::open_before(&pools.pages, Arc::new(desk)).await
    };
    let mut lock = pool.begin().await.expect("begun");
    sqlx::query(LOCK).execute(&mut *lock).await.expect("locked");
    let asked = join_all((0..of_pages * 3).map(|_| counter.get("/api/v1/views")));
    let working = async {
        until("all of them hang", || async { count(&pool, HANGING).await == of_pages }).await;
        // One more has no connection to ask with, and says so.
        assert_eq!(counter.get("/api/v1/letters").await.status(), StatusCode::SERVICE_UNAVAILABLE);
        watch(&pools.intake, &vhost.name, "orders.dead", SourceMode::Take).await;
        let office = Office::start(&pools.intake, &vhost.brokers).await;
        vhost.publish_all("orders.dead", &["a".to_owned(), "b".to_owned()]).await;
        until("they are letters", || async { letters(&pool).await == 2 }).await;
        office.stop().await;
        let bench = Bench::new(&pools.replay, &vhost.brokers, &vhost.name).await;
        let engine = bench.engine().await;
        let id = bench.replay_home(&bench.letters(5).await).await;
        assert_eq!(bench.finished(id).await.outcomes.confirmed, 5);
        engine.stop().await;
        lock.rollback().await.expect("let go");
    };
    let (answers, ()) = tokio::join!(asked, working);
    let counted = |wanted| answers.iter().filter(|answer| answer.status() == wanted).count();
    let (told, refused) = (counted(StatusCode::OK), counted(StatusCode::SERVICE_UNAVAILABLE));
    assert_eq!((told + refused, told), (answers.len(), usize::try_from(of_pages).expect("few")));
    counter.close().await;
    pools.close().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_statement_for_a_page_ends_when_nobody_waits_for_it_any_more(pool: PgPool) {
    let patience = Patience { answer: Duration::from_millis(500), ..Patience::default() };
    let (pools, _) = pools(&pool, &patience);
    let counter = Counter::open(&pools.pages).await;
    let mut lock = pool.begin().await.expect("begun");
    sqlx::query(LOCK).execute(&mut *lock).await.expect("locked");
    let asked = counter.as_role(Role::Viewer, Method::GET, "/api/v1/views").send();
    let (answer, ()) =
        tokio::join!(asked, until("it hangs", || async { count(&pool, HANGING).await == 1 }));
    assert_eq!(answer.expect("an answer").status(), StatusCode::SERVICE_UNAVAILABLE);
    until("its statement is gone", || async { count(&pool, HANGING).await == 0 }).await;
    // What an office does by itself may wait for as long as it takes.
    let mut waits = pools.services.begin().await.expect("begun");
    let limit: String =
        sqlx::query_scalar("show statement_timeout").fetch_one(&mut *waits).await.expect("told");
    assert_eq!(limit, "0");
    drop(waits);
    lock.rollback().await.expect("let go");
    assert_eq!(counter.get("/api/v1/views").await.status(), StatusCode::OK);
    counter.close().await;
    pools.close().await;
}
