//! A server that stands still kills no worker: neither Postgres nor the broker, for longer than it takes
//! to be held for stale. 8 seconds at an interval of 1; in full 120 seconds at the usual 10.

use std::time::Duration;

use dlo_sandbox::{Sandbox, SandboxOptions};
use dlo_server::store;
use lapin::BasicProperties;
use lapin::options::BasicPublishOptions;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::time::{Instant, sleep, timeout};

use crate::support::broker::Vhost;
use crate::support::fleet::{
    Lookout, downtimes, heartbeat, known, own_brokers, say, until_listening,
};
use crate::support::{sized, until};

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

/// Nobody was held for dead but who is.
async fn only_the_dead_are_found(pool: &PgPool, vhost: &Vhost, interval: f64) {
    live_for(vhost, sized(6, 40), interval).await;
    assert_eq!(downtimes(pool, "alive").await, 0, "{:?}", known(pool).await);
    assert_eq!(downtimes(pool, "dead").await, 0, "it has three minutes");
    until("it is found when it dies after all", 60, || async {
        known(pool).await.contains(&("alive".to_owned(), true))
    })
    .await;
}

#[tokio::test]
async fn a_database_that_stands_still_kills_no_worker() {
    let (still, interval) = measures();
    let options = SandboxOptions {
        rabbitmq: false,
        ..SandboxOptions::default()
    };
    let sandbox = Sandbox::start_own(options).await.expect("a database");
    let server = sandbox.postgres().expect("a database");
    let url = server.create_database("fleet").await.expect("created");
    let pool = PgPoolOptions::new()
        .max_connections(6)
        .acquire_timeout(Duration::from_secs(5))
        .connect_lazy(&url)
        .expect("an address");
    store::migrate(&pool).await.expect("migrated");
    let vhost = Vhost::create().await;
    let lookout = Lookout::start(&pool, own_brokers(&vhost));
    first_beats(&pool, &vhost, interval).await;
    server.pause().await.expect("paused");
    live_for(&vhost, still, interval).await;
    server.resume().await.expect("resumed");
    only_the_dead_are_found(&pool, &vhost, interval).await;
    lookout.stop().await;
    pool.close().await;
    vhost.delete().await;
    sandbox.stop().await.expect("stopped");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_broker_that_stands_still_kills_no_worker(pool: PgPool) {
    let (still, interval) = measures();
    let options = SandboxOptions {
        postgres: false,
        ..SandboxOptions::default()
    };
    let sandbox = Sandbox::start_own(options).await.expect("a broker");
    let server = sandbox.rabbitmq().expect("a broker");
    let endpoints = sandbox.endpoints();
    let mut vhost = Vhost::create_at(&endpoints.amqp, &endpoints.management).await;
    let lookout = Lookout::start(&pool, own_brokers(&vhost));
    first_beats(&pool, &vhost, interval).await;
    server.pause().await.expect("paused");
    live_for(&vhost, still, interval).await;
    server.resume().await.expect("resumed");
    vhost.reconnect().await;
    only_the_dead_are_found(&pool, &vhost, interval).await;
    lookout.stop().await;
    vhost.delete().await;
    sandbox.stop().await.expect("stopped");
}
