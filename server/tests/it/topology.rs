//! Topology on a real broker: what is found in its queues, and what cannot be known.
//!
//! It holds for RabbitMQ 3 and 4: `DLO_TEST_BROKER` names another broker than the sandbox's.

mod dead_lettering;
mod degraded;
mod desk;
mod discovering;
mod figureless;
mod limits;
mod lints;
mod migrating;
mod operators;
mod opinions;
mod page;
mod retention;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use dlo_domain::topology::{FindingKind, FindingScope, KeptFinding};
use dlo_server::broker::Brokers;
use dlo_server::clock::ManualClock;
use dlo_server::config::TopologyConfig;
use dlo_server::store::topology::findings;
use dlo_server::topology::{Deps, look};
use lapin::types::AMQPValue;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::until;

/// A watcher over one vhost, with a user who sees no other.
pub struct Watcher {
    pub vhost: Vhost,
    user: String,
    clock: Arc<ManualClock>,
    deps: Deps,
    pool: PgPool,
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
        self.deps.config.every = Duration::from_mins(1);
        self
    }

    /// The same over a vhost that is there.
    async fn over(pool: &PgPool, vhost: Vhost, tag: &str) -> Self {
        let (user, management) = vhost.add_manager(tag).await;
        let amqp = vhost.brokers.get("main").expect("main").amqp.clone();
        let now = chrono::DateTime::from_timestamp(1_900_000_000, 0).expect("a time");
        let clock = Arc::new(ManualClock::at(now));
        let deps = Deps {
            pool: pool.clone(),
            brokers: Arc::new(Brokers::main(&amqp, Some(&management))),
            clock: clock.clone(),
            config: TopologyConfig {
                every: EVERY,
                ..TopologyConfig::default()
            },
        };
        Self {
            vhost,
            user,
            clock,
            deps,
            pool: pool.clone(),
        }
    }

    /// Lets the time of one read pass, and reads.
    pub async fn look(&self) {
        let every = self.deps.config.every;
        self.clock
            .advance(chrono::TimeDelta::from_std(every).expect("a pause"));
        assert!(
            look(&self.deps, "main").await.expect("looked"),
            "it was due"
        );
    }

    async fn kept(&self, scope: FindingScope) -> Vec<KeptFinding> {
        let mut conn = self.pool.acquire().await.expect("a connection");
        let now = dlo_server::clock::Clock::now(&*self.clock);
        let mut found = findings::list(&mut conn, scope, None, now)
            .await
            .expect("listed");
        // Every classic queue that dead-letters has it.
        found.retain(|one| {
            one.finding.kind != FindingKind::AtMostOnce || one.finding.subject.starts_with("amo")
        });
        found
    }

    /// What is open: kind and subject, in the order of their words.
    async fn open(&self) -> Vec<(&'static str, String)> {
        let found = self.kept(FindingScope::Open).await.into_iter();
        let mut found: Vec<_> = found
            .map(|one| (one.finding.kind.as_str(), one.finding.subject))
            .collect();
        found.sort();
        found
    }

    /// Reads until that is what is open: a broker's figures are some seconds old.
    pub async fn finds(&self, wanted: &[(&'static str, &str)]) {
        let wanted: Vec<_> = wanted.iter().map(|(k, s)| (*k, (*s).to_owned())).collect();
        until(&format!("{wanted:?}"), 30, || async {
            self.look().await;
            let open = self.open().await;
            if open != wanted {
                eprintln!("open: {open:?}");
            }
            open == wanted
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

fn quorum(more: Vec<(&str, AMQPValue)>) -> Vec<(&str, AMQPValue)> {
    let mut arguments = vec![("x-queue-type", text("quorum"))];
    arguments.extend(more);
    arguments
}
