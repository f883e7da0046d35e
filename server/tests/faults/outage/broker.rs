//! kill -9 of the broker.

use std::time::Duration;

use dlo_domain::ids::SourceId;
use dlo_domain::source::{SourceCondition, SourceMode};
use dlo_sandbox::{Sandbox, SandboxOptions};
use lapin::types::AMQPValue;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sqlx::PgPool;

use super::RESUMES_WITHIN;
use crate::harness::goal::GoalRow;
use crate::harness::ledger::{Ledger, mixed_bodies};
use crate::harness::process::Premises;
use crate::harness::{setting, sized};
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::office::{condition, watch};

pub(super) async fn own_broker() -> Sandbox {
    let options = SandboxOptions { postgres: false, ..SandboxOptions::default() };
    Sandbox::start_own(options).await.expect("a broker")
}

/// What a queue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Classic,
    /// Letters may come back to it as often as they like.
    Quorum,
}

/// A vhost with a queue that survives a kill: Mnesia keeps a new one in memory for a while, and an
/// orderly stop writes it down.
pub(super) async fn lasting_queue(sandbox: &Sandbox, queue: &str, kind: Kind) -> Vhost {
    let endpoints = sandbox.endpoints();
    let mut vhost = Vhost::create_at(&endpoints.amqp, &endpoints.management).await;
    match kind {
        Kind::Classic => {
            let classic = AMQPValue::LongString("classic".into());
            vhost.queue(queue, &[("x-queue-type", classic)]).await;
        }
        Kind::Quorum => vhost.quorum_queue(queue).await,
    }
    let server = sandbox.rabbitmq().expect("a broker");
    server.stop_immediately().await.expect("stopped");
    server.start_again().await.expect("started");
    vhost.reconnect().await;
    vhost
}

/// How soon intake must be at work again, in seconds: the goal where the machine does nothing else.
fn resumes_within() -> u64 {
    sized(RESUMES_WITHIN, 5)
}

/// What is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Messages {
    /// Each has an id of its own, so that it is known again whatever the broker forgot.
    WithIds,
    /// None has: what the broker forgot that it was told is stored twice, and says so.
    WithoutIds,
}

/// Kills of a test.
fn kills() -> usize {
    setting("DLO_BROKER_KILLS", 3)
}

/// A killed broker forgets acknowledgements that it took and had not yet written down, and marks.
/// Nothing may be lost by that, and each letter that is doubled says that it may be.
async fn kill_the_broker(pool: &PgPool, kind: Kind, bodies: &[String], messages: Messages) {
    let mut random = StdRng::seed_from_u64(17);
    let sandbox = own_broker().await;
    let server = sandbox.rabbitmq().expect("a broker");
    let mut vhost = lasting_queue(&sandbox, "dead", kind).await;
    let source = watch(pool, &vhost.name, "dead", SourceMode::Take).await;
    let premises = Premises::new(database_url(pool), &vhost.brokers);
    let office = premises.open();
    let parts = bodies.chunks(bodies.len().div_ceil(kills()));
    for part in parts {
        let ledger = Ledger { pool, vhost: &vhost, queue: "dead", premises: &premises, bodies };
        let before = ledger.letters().await;
        match messages {
            Messages::WithIds => vhost.publish_all_with_ids("dead", part).await,
            Messages::WithoutIds => vhost.publish_all("dead", part).await,
        }
        ledger.until("intake is at work", 30, || async { ledger.letters().await > before }).await;
        tokio::time::sleep(Duration::from_millis(random.random_range(0..80))).await;
        server.kill().await.expect("killed");
        ledger.until("the source says that the broker is away", 15, || is_away(pool, source)).await;
        server.start_again().await.expect("started");
        ledger
            .until("intake resumes", resumes_within(), || async {
                condition(pool, source).await.0.is_well()
            })
            .await;
        vhost.reconnect().await;
    }
    let ledger = Ledger { pool, vhost: &vhost, queue: "dead", premises: &premises, bodies };
    ledger.until_settled(60).await;
    office.stop().await;
    let audit = ledger.audit().await;
    let noted = match messages {
        Messages::WithIds => 0,
        Messages::WithoutIds => ledger.noted_as_doubtful().await,
    };
    GoalRow {
        goal: "R3",
        case: format!("kill -9 of the broker in intake of a {kind:?} queue").to_lowercase(),
        tried: format!("{} messages, {} kills, {messages:?}", bodies.len(), kills()),
        broker: vhost.version().await,
        lost: Some(audit.lost),
        doubled: Some(audit.doubled),
        recovered: None,
        is_met: audit.lost == 0 && audit.doubled <= noted,
    }
    .report();
    ledger.assert_nothing_lost().await;
    ledger.assert_doubled_at_most(noted).await;
    ledger.assert_counted().await;
    drop(vhost);
    sandbox.stop().await.expect("stopped");
}

async fn is_away(pool: &PgPool, source: SourceId) -> bool {
    let (condition, detail) = condition(pool, source).await;
    condition == SourceCondition::BrokerAway && detail.is_some_and(|detail| !detail.is_empty())
}

fn bodies() -> Vec<String> {
    let mut random = StdRng::seed_from_u64(19);
    mixed_bodies(setting("DLO_CRASH_MESSAGES", 6_000), &mut random)
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_killed_in_intake_loses_nothing(pool: PgPool) {
    kill_the_broker(&pool, Kind::Classic, &bodies(), Messages::WithIds).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_killed_in_intake_of_messages_without_ids_loses_none(pool: PgPool) {
    kill_the_broker(&pool, Kind::Classic, &bodies(), Messages::WithoutIds).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_killed_in_intake_of_a_quorum_queue_loses_nothing(pool: PgPool) {
    kill_the_broker(&pool, Kind::Quorum, &bodies(), Messages::WithIds).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_killed_in_intake_of_copies_loses_none(pool: PgPool) {
    let bodies = vec!["the same".to_owned(); setting("DLO_CRASH_MESSAGES", 3_000)];
    kill_the_broker(&pool, Kind::Classic, &bodies, Messages::WithoutIds).await;
}
