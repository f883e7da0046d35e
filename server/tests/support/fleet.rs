//! An office that hears heartbeats by message and looks after workers.

use std::sync::Arc;

use dlo_domain::worker::WorkerQueueNames;
use dlo_server::broker::Brokers;
use dlo_server::clock::{SharedClock, SystemClock};
use dlo_server::fleet::{self, Hearing, Monitor, Part};
use serde_json::{Value, json};
use sqlx::PgPool;

use super::background::Background;
use super::broker::Vhost;
use super::until;

/// The queue that offices share.
pub const QUEUE: &str = "dlo.fleet.heartbeats";

/// Waits until so many offices consume: then the queue is bound.
pub async fn until_listening(vhost: &Vhost, offices: u32) {
    until("the offices listen", || async {
        vhost.has_queue(QUEUE).await && vhost.consumers(QUEUE).await == offices
    })
    .await;
}

/// The same broker, whose address leads into the test's vhost.
pub fn own_brokers(vhost: &Vhost) -> Brokers {
    let known = vhost.brokers.get("main").expect("known");
    let (scheme, rest) = known.amqp.split_once("://").expect("an address");
    // An address may end without a vhost.
    let server = rest.split('/').next().unwrap_or(rest);
    let amqp = format!("{scheme}://{server}/{}", vhost.name);
    Brokers::main(&amqp, known.management.as_deref())
}

/// What looks after workers, under way.
pub struct Lookout(Background);

impl Lookout {
    /// Starts it.
    pub fn start(pool: &PgPool, brokers: Brokers) -> Self {
        let background = Background::new();
        let clock: SharedClock = Arc::new(SystemClock);
        let hearing = Hearing {
            pool: pool.clone(),
            clock: clock.clone(),
            brokers: Arc::new(brokers),
            queues: WorkerQueueNames::default(),
        };
        hearing.begin(&background.duties);
        let part = Part { hears_http: true, judges: true };
        let monitor = Monitor::new(pool.clone(), clock, part);
        background.duties.every("watching", fleet::LOOK_EVERY, monitor);
        Self(background)
    }

    /// Ends it in order.
    pub async fn stop(self) {
        self.0.stop().await;
    }
}

/// The names of workers that are known, and whether each is silent.
pub async fn known(pool: &PgPool) -> Vec<(String, bool)> {
    sqlx::query_as("select name, silent_since is not null from workers order by name")
        .fetch_all(pool)
        .await
        .unwrap_or_default()
}

/// How often workers were away.
pub async fn downtimes(pool: &PgPool, worker: &str) -> i64 {
    sqlx::query_scalar("select count(*) from worker_downtimes where worker = $1")
        .bind(worker)
        .fetch_one(pool)
        .await
        .expect("counted")
}

/// Publishes to the fleet's exchange.
pub async fn say(vhost: &Vhost, routing_key: &str, body: &[u8]) {
    let properties = lapin::BasicProperties::default();
    vhost.publish_to("dlo.fleet", routing_key, properties, body).await;
}

/// A heartbeat that says what it is.
pub fn heartbeat(worker: &str, interval_seconds: f64) -> Vec<u8> {
    let said: Value = json!({
        "worker": worker, "interval_seconds": interval_seconds, "queue": "worker.7.executions",
    });
    said.to_string().into_bytes()
}
