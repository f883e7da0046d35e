//! A server that stands still kills no worker and fails no execution: neither Postgres nor the broker, for
//! longer than it takes to be held for stale. 8 seconds at an interval of 1; in full 120 seconds at the
//! usual 10.

use std::sync::Arc;
use std::time::Duration;

use dlo_app::desk::ExecutionDesk as _;
use dlo_domain::execution::{ExecutionState, Report};
use dlo_server::broker::Brokers;
use dlo_server::clock::SystemClock;
use dlo_server::config::{ExecutionsConfig, ReplayConfig};
use dlo_server::executions;
use lapin::BasicProperties;
use lapin::options::BasicPublishOptions;
use sqlx::PgPool;
use tokio::time::{Instant, sleep, timeout};

use crate::harness::frozen::{own_broker, own_database};
use crate::harness::goal::GoalRow;
use crate::harness::sized;
use crate::support::background::Background;
use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::fleet::{
    Lookout, downtimes, heartbeat, known, own_brokers, say, until_listening,
};
use crate::support::until_within;

/// How long the server stands still, and how often the worker beats, in seconds.
fn measures() -> (u64, f64) {
    sized((8, 1.0), (120, 10.0))
}

/// Lets the worker `alive` beat as it does for so long. Whoever cannot publish is cut off.
async fn live_for(vhost: &Vhost, seconds: u64, interval: f64) {
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        let beat = heartbeat("alive", interval);
        let sent = vhost.channel.basic_publish(
            "dlo.fleet".into(),
            "heartbeat.alive".into(),
            BasicPublishOptions::default(),
            &beat,
            BasicProperties::default(),
        );
        // A broker that stands still does not answer; the heartbeat is lost, or comes late.
        let _ = timeout(Duration::from_secs(2), sent).await;
        sleep(Duration::from_secs_f64(interval)).await;
    }
}

async fn first_beats(pool: &PgPool, vhost: &Vhost, interval: f64) {
    until_listening(vhost, 1).await;
    say(vhost, "heartbeat.dead", &heartbeat("dead", 60.0)).await;
    live_for(vhost, 3, interval).await;
    assert_eq!(known(pool).await.len(), 2);
}

/// Nobody was held for dead but who is. Returns how many were while they lived.
async fn only_the_dead_are_found(pool: &PgPool, vhost: &Vhost, interval: f64) -> i64 {
    live_for(vhost, sized(6, 40), interval).await;
    // The one that is dead has three minutes.
    let falsely = downtimes(pool, "alive").await + downtimes(pool, "dead").await;
    until_within("it is found when it dies after all", Duration::from_mins(1), || async {
        known(pool).await.contains(&("alive".to_owned(), true))
    })
    .await;
    falsely
}

#[tokio::test]
async fn a_database_that_stands_still_kills_no_worker() {
    let (still, interval) = measures();
    let (sandbox, _, pool) = own_database(Duration::from_secs(5)).await;
    let server = sandbox.postgres().expect("a database");
    let vhost = Vhost::create().await;
    let lookout = Lookout::start(&pool, own_brokers(&vhost));
    first_beats(&pool, &vhost, interval).await;
    server.pause().await.expect("paused");
    live_for(&vhost, still, interval).await;
    server.resume().await.expect("resumed");
    let falsely = only_the_dead_are_found(&pool, &vhost, interval).await;
    assert_eq!(falsely, 0, "{:?}", known(&pool).await);
    lookout.stop().await;
    pool.close().await;
    vhost.delete().await;
    sandbox.stop().await.expect("stopped");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_that_stands_still_kills_no_worker(pool: PgPool) {
    let (still, interval) = measures();
    let (sandbox, mut vhost) = own_broker().await;
    let server = sandbox.rabbitmq().expect("a broker");
    let lookout = Lookout::start(&pool, own_brokers(&vhost));
    first_beats(&pool, &vhost, interval).await;
    server.pause().await.expect("paused");
    live_for(&vhost, still, interval).await;
    server.resume().await.expect("resumed");
    vhost.reconnect().await;
    let falsely = only_the_dead_are_found(&pool, &vhost, interval).await;
    GoalRow {
        goal: "R12",
        case: format!("a broker frozen for {still} s: no false death of a worker"),
        tried: "1 freeze".to_owned(),
        broker: vhost.version().await,
        lost: None,
        doubled: None,
        recovered: None,
        is_met: falsely == 0,
    }
    .report();
    assert_eq!(falsely, 0, "{:?}", known(&pool).await);
    lookout.stop().await;
    vhost.delete().await;
    sandbox.stop().await.expect("stopped");
}

/// How many executions stand where.
async fn standing(pool: &PgPool) -> [i64; 2] {
    let (running, failed) = sqlx::query_as(
        "select count(*) filter (where state = 'running'), count(*) filter (where state = 'failed')
         from executions",
    )
    .fetch_one(pool)
    .await
    .expect("counted");
    [running, failed]
}

async fn report(bench: &Bench, state: ExecutionState, ids: std::ops::Range<u32>) {
    let reports: Vec<Report> = ids.map(|id| Report::of(&id.to_string(), state)).collect();
    let told = bench.desk.report_executions(&reports).await.expect("told");
    assert!(told.iter().all(|one| one.refused.is_none()), "{told:?}");
}

/// Workers that could not say that they begin have their whole time again; who does not begin then is
/// late. Stuck is what waits for 12 seconds while the database stands still for 20; in full 60 and 120.
#[tokio::test]
async fn a_database_that_stands_still_fails_no_execution() {
    let (still, stuck_after, check_every) = sized((20, 12, 1), (120, 60, 10));
    let (sandbox, _, pool) = own_database(Duration::from_secs(5)).await;
    let server = sandbox.postgres().expect("a database");
    let bench = Bench::offline(&pool).await;
    let keeper = executions::Keeper {
        pool: pool.clone(),
        clock: Arc::new(SystemClock),
        brokers: Arc::new(Brokers::main("amqp://127.0.0.1:1/%2f", None)),
        config: ExecutionsConfig {
            stuck_after: Duration::from_secs(stuck_after),
            check_every: Duration::from_secs(check_every),
            ..ExecutionsConfig::default()
        },
        replay: ReplayConfig::default(),
    };
    let watching = Background::new();
    executions::begin(keeper, &watching.duties);
    sleep(Duration::from_secs(3)).await;
    report(&bench, ExecutionState::Scheduled, 0..50).await;
    server.pause().await.expect("paused");
    sleep(Duration::from_secs(still)).await;
    server.resume().await.expect("resumed");
    let back = Instant::now();
    sleep(Duration::from_secs(stuck_after / 2)).await;
    assert_eq!(standing(&pool).await, [0, 0], "late only by the clock");
    report(&bench, ExecutionState::Running, 0..45).await;
    until_within("what nobody begins is late after all", Duration::from_secs(90), || async {
        standing(&pool).await[1] > 0
    })
    .await;
    println!("the first failed {:?} after the database was back", back.elapsed());
    assert_eq!(standing(&pool).await, [45, 5]);
    assert!(back.elapsed() >= Duration::from_secs(stuck_after));
    watching.stop().await;
    pool.close().await;
    sandbox.stop().await.expect("stopped");
}
