//! What the product was asked for: workers that go away, as it was written down as test scenarios, and
//! the causes of trouble with dead letters, each of which somebody must be able to read off. Real Postgres
//! and RabbitMQ; minutes are those of a clock that the test moves.

mod availability;
mod troubleshooting;

use chrono::TimeDelta;
use dlo_app::desk::FleetDesk as _;
use dlo_domain::death::Reason;
use dlo_domain::execution::{ExecutionNaming, ExecutionState, Report};
use dlo_domain::source::SourceMode;
use dlo_domain::worker::{Condition, Heartbeat, WorkerReport};
use dlo_server::executions;
use dlo_server::fleet::{Monitor, Part};
use lapin::BasicProperties;
use lapin::types::AMQPValue;
use serde_json::json;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::office::{Office, name_executions, watch};
use crate::support::until;
use crate::support::yard::Yard;

/// How often workers say that they live, in seconds.
const BEAT: usize = 10;

/// A company with workers, queues whose messages die, and an office that looks after them.
struct Company {
    yard: Yard,
    vhost: Vhost,
    intake: Office,
    monitor: Monitor,
}

impl Company {
    async fn open(pool: &PgPool, reschedule_on: Vec<Reason>) -> Self {
        let vhost = Vhost::create().await;
        vhost.dead_letter_pair("attune.dlx", "attune.dlx.queue").await;
        watch(pool, &vhost.name, "attune.dlx.queue", SourceMode::Take).await;
        let naming = ExecutionNaming {
            path: Some("/payload/execution_id".to_owned()),
            reschedule_on,
            ..ExecutionNaming::default()
        };
        name_executions(pool, naming).await;
        let yard = Yard::at(pool, &vhost.brokers, &vhost.name);
        let monitor =
            Monitor::new(pool.clone(), yard.clock.clone(), Part { hears_http: true, judges: true });
        let mut company =
            Self { intake: Office::start(pool, &vhost.brokers).await, yard, vhost, monitor };
        company.pass(1, &[]).await;
        company
    }

    /// A queue for a worker, as its system declares it: what is not taken in time dies.
    async fn worker_queue(&self, worker: &str, ttl_ms: Option<i32>) {
        let exchange = AMQPValue::LongString("attune.dlx".into());
        let mut arguments = vec![("x-dead-letter-exchange", exchange)];
        arguments.extend(ttl_ms.map(|ttl| ("x-message-ttl", AMQPValue::LongInt(ttl))));
        self.vhost.queue(&queue_of(worker), &arguments).await;
    }

    async fn beat(&self, worker: &str) {
        self.say(worker, Heartbeat::default()).await;
    }

    async fn say(&self, worker: &str, heartbeat: Heartbeat) {
        let heartbeat = Heartbeat { queue: Some(queue_of(worker)), ..heartbeat };
        let told = self.yard.desk.heartbeat(worker, heartbeat).await;
        told.expect("taken");
    }

    /// Time goes by, in which these workers live.
    async fn pass(&mut self, seconds: usize, alive: &[&str]) {
        for second in 1..=seconds {
            self.yard.clock.advance(TimeDelta::seconds(1));
            if second % BEAT == 0 {
                for worker in alive {
                    self.beat(worker).await;
                }
            }
            self.monitor.look().await.expect("looked");
            if second % 5 == 0 || second == seconds {
                executions::look(&self.yard.keeper).await.expect("looked");
            }
        }
    }

    async fn worker(&self, name: &str) -> WorkerReport {
        self.yard.desk.worker(name).await.expect("known")
    }

    async fn condition(&self, worker: &str) -> Condition {
        self.worker(worker).await.worker.condition
    }

    /// An execution is handed to a worker: it is reported, and then its message sent.
    async fn hand_out(&self, id: i64, worker: &str, max_attempts: i32) {
        let report = Report {
            worker: Some(worker.to_owned()),
            max_attempts: Some(max_attempts),
            ..Report::of(&id.to_string(), ExecutionState::Scheduled)
        };
        self.yard.report(report).await.expect("taken");
        let body = json!({
            "message_type": "ExecutionRequested",
            "payload": {"execution_id": id},
        });
        self.vhost
            .publish(&queue_of(worker), BasicProperties::default(), body.to_string().as_bytes())
            .await;
    }

    /// Waits for so many dead letters that name executions, without handling them.
    async fn named(&self, letters: i64) {
        until("the letters name their executions", || async {
            self.yard.count("select count(*) from letter_executions").await == letters
        })
        .await;
    }

    /// Waits for so many, and does what they ask for.
    async fn handled(&self, letters: i64) {
        self.named(letters).await;
        while executions::handle_next(&self.yard.keeper).await.expect("handled") {}
    }

    async fn close(self) {
        self.intake.stop().await;
        self.vhost.delete().await;
    }
}

fn queue_of(worker: &str) -> String {
    format!("worker.{worker}.executions")
}
