//! A watcher over one vhost of the broker, and what its queues are declared with.

use std::sync::Arc;
use std::time::Duration;

use dlo_app::desk::{FleetDesk as _, QueueName, TopologyDesk as _};
use dlo_domain::topology::{FindingKind, FindingScope, KeptFinding};
use dlo_domain::worker::{WorkerReport, kind_of};
use dlo_server::broker::Brokers;
use dlo_server::clock::{Clock as _, ManualClock};
use dlo_server::config::TopologyConfig;
use dlo_server::desk::PgDesk;
use dlo_server::store::topology::findings;
use dlo_server::topology::{Surveyor, look};
use lapin::types::AMQPValue;
use sqlx::PgPool;

use super::broker::Vhost;
use super::desk::desk;
use super::{patience, until};

/// A watcher over one vhost, with a user who sees no other.
pub struct Watcher {
    pub vhost: Vhost,
    pub user: String,
    pub clock: Arc<ManualClock>,
    pub surveyor: Surveyor,
    pub pool: PgPool,
}

/// How often a broker is read here, by a clock that the test sets. So short that however often a test has to
/// ask a broker whose figures are late, the time that its clock counts makes no queue idle.
const EVERY: Duration = Duration::from_secs(1);

impl Watcher {
    pub async fn start(pool: &PgPool, tag: &str) -> Self {
        Self::over(pool, Vhost::create().await, tag).await
    }

    /// The same, which reads once a minute: for what is told by minutes.
    pub fn by_the_minute(mut self) -> Self {
        self.surveyor.config.every = Duration::from_mins(1);
        self
    }

    /// The same over a vhost that is there.
    pub async fn over(pool: &PgPool, vhost: Vhost, tag: &str) -> Self {
        let (user, management) = vhost.add_manager(tag).await;
        let amqp = vhost.brokers.get("main").expect("main").amqp.clone();
        let now = chrono::DateTime::from_timestamp(1_900_000_000, 0).expect("a time");
        let clock = Arc::new(ManualClock::at(now));
        let mut brokers = Brokers::main(&amqp, Some(&management));
        for broker in brokers.0.values_mut() {
            broker.patience = patience();
        }
        let surveyor = Surveyor {
            pool: pool.clone(),
            brokers: Arc::new(brokers),
            clock: clock.clone(),
            config: TopologyConfig { every: EVERY, ..TopologyConfig::default() },
        };
        Self { vhost, user, clock, surveyor, pool: pool.clone() }
    }

    /// Lets the time of one read pass, and reads.
    pub async fn look(&self) {
        let every = self.surveyor.config.every;
        self.clock.advance(chrono::TimeDelta::from_std(every).expect("a pause"));
        assert!(look(&self.surveyor, "main").await.expect("looked"), "it was due");
    }

    pub async fn kept(&self, scope: FindingScope) -> Vec<KeptFinding> {
        let mut conn = self.pool.acquire().await.expect("a connection");
        let now = dlo_server::clock::Clock::now(&*self.clock);
        let mut found = findings::list(&mut conn, scope, None, now).await.expect("listed");
        // Every classic queue that dead-letters has it.
        found.retain(|one| {
            one.finding.kind != FindingKind::AtMostOnce || one.finding.subject.starts_with("amo")
        });
        found
    }

    /// What is open: kind and subject, in the order of their words.
    pub async fn open(&self) -> Vec<(&'static str, String)> {
        let found = self.kept(FindingScope::Open).await.into_iter();
        let mut found: Vec<_> =
            found.map(|one| (one.finding.kind.as_str(), one.finding.subject)).collect();
        found.sort();
        found
    }

    /// Reads until that is what is open: a broker's figures are some seconds old.
    pub async fn finds(&self, wanted: &[(&'static str, &str)]) {
        let wanted: Vec<_> = wanted.iter().map(|(k, s)| (*k, (*s).to_owned())).collect();
        until(&format!("{wanted:?}"), || async {
            self.look().await;
            let open = self.open().await;
            if open != wanted {
                eprintln!("open: {open:?}");
            }
            open == wanted
        })
        .await;
    }

    pub fn desk(&self) -> PgDesk {
        desk(&self.pool, &self.surveyor.brokers, self.clock.clone())
    }

    pub fn queue(&self, name: &str) -> QueueName {
        QueueName {
            broker: "main".to_owned(),
            vhost: self.vhost.name.clone(),
            name: name.to_owned(),
        }
    }

    /// What is told of a worker, by the clock of the watcher.
    pub async fn of(&self, name: &str) -> WorkerReport {
        self.desk().worker(name).await.expect("known")
    }

    /// Reads until a queue's dead letters are known to go to another.
    pub async fn finds_dead_letter_queue(&self, queue: &str, target: &str) {
        until("the route is known", || async {
            self.look().await;
            let found = self.desk().queue("main", &self.vhost.name, queue).await;
            let route = found.expect("there").dead_letters;
            route.is_some_and(|route| route.to.contains(target))
        })
        .await;
    }

    pub async fn end(self) {
        self.vhost.remove_user(&self.user).await;
        self.vhost.delete().await;
    }
}

pub fn text(value: &str) -> AMQPValue {
    AMQPValue::LongString(value.into())
}

pub fn dying<'a>(exchange: &str) -> Vec<(&'a str, AMQPValue)> {
    vec![("x-dead-letter-exchange", text(exchange))]
}

pub fn quorum(more: Vec<(&str, AMQPValue)>) -> Vec<(&str, AMQPValue)> {
    let mut arguments = vec![("x-queue-type", text("quorum"))];
    arguments.extend(more);
    arguments
}

/// A worker of a queue, silent or not.
pub async fn worker(watcher: &Watcher, name: &str, queue: &str, is_silent: bool) {
    sqlx::query(
        "insert into workers (name, kind, is_autoscaled, state, state_since, first_seen_at,
             last_heartbeat_at, way, heard_ms, interval_ms, queue, silent_since)
         values ($1, $5, false, 'active', $3, $3, $3, 'http', 0, 10000, $2,
             case when $4 then $3 end)",
    )
    .bind(name)
    .bind(queue)
    .bind(watcher.clock.now())
    .bind(is_silent)
    .bind(kind_of(name).name)
    .execute(&watcher.pool)
    .await
    .expect("a worker");
}
