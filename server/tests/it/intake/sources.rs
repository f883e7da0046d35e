//! Sources that come, go, are missing, and several at once.

use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::delivery_limit::Evidence;
use dlo_domain::source::{SourceCondition, SourceMode};
use dlo_domain::topology::QueueKind;
use dlo_server::broker::{Inlet, Link, connect};
use dlo_server::store;
use futures_util::future::join_all;
use lapin::BasicProperties;
use lapin::options::{BasicQosOptions, QueueDeleteOptions};
use lapin::types::AMQPValue;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::office::{Office, condition, letters, sessions, watch};
use crate::support::until;

/// How often a queue is made again under a consumer that is begun, and under one that consumes.
const ROUNDS: usize = 20;

/// How many questions keep a channel busy until its queue is made again: it hears of the old one's end after that.
const QUESTIONS: usize = 3000;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_queue_that_is_missing_is_told_and_found_when_it_comes(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("there", &[]).await;
    let missing = watch(&pool, &vhost.name, "later", SourceMode::Take).await;
    let there = watch(&pool, &vhost.name, "there", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("the missing queue is told", || async {
        condition(&pool, missing).await.0 == SourceCondition::QueueMissing
    })
    .await;
    vhost.publish("there", BasicProperties::default(), b"1").await;
    until("the other source goes on", || async { letters(&pool).await == 1 }).await;
    assert_eq!(condition(&pool, there).await.0, SourceCondition::Running);
    // It is looked for several times meanwhile: alerts tell what lasts.
    let since = async || -> DateTime<Utc> {
        let since = sqlx::query_scalar("select condition_since from sources where id = $1");
        since.bind(missing.0).fetch_one(&pool).await.expect("a source")
    };
    let first = since().await;
    for _ in 0..60 {
        tokio::time::sleep(Duration::from_millis(25)).await;
        assert_eq!(since().await, first, "it was missing all the time");
    }
    until("no attempt left a trace", || async { sessions(&pool, missing).await == 0 }).await;
    vhost.queue("later", &[]).await;
    vhost.publish("later", BasicProperties::default(), b"2").await;
    until("the queue is found", || async { letters(&pool).await == 2 }).await;
    office.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_queue_that_is_deleted_and_made_again_is_consumed_again(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    vhost.publish("dead", BasicProperties::default(), b"1").await;
    until("the first letter", || async { letters(&pool).await == 1 }).await;
    let options = lapin::options::QueueDeleteOptions::default();
    vhost.channel.queue_delete("dead".into(), options).await.expect("deleted");
    vhost.queue("dead", &[]).await;
    vhost.publish("dead", BasicProperties::default(), b"2").await;
    until("the second letter", || async { letters(&pool).await == 2 }).await;
    office.stop().await;
    vhost.delete().await;
}

/// About every other time RabbitMQ before 4.0 gives the message to the consumer of the old queue, which never gets it.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_quorum_queue_that_is_deleted_and_made_again_at_once_is_consumed_again(pool: PgPool) {
    let vhost = Vhost::create().await;
    let quorum = vhost.of_quorum_queue().await;
    vhost.queue("dead", &quorum).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    vhost.publish("dead", BasicProperties::default(), b"1").await;
    until("the first letter", || async { letters(&pool).await == 1 }).await;
    for letter in 2..=4 {
        make_again(&vhost, &quorum).await;
        until("the letter of the new queue", || async { letters(&pool).await == letter }).await;
    }
    office.stop().await;
    vhost.delete().await;
}

/// RabbitMQ forgets a consumer that is begun while its classic queue is made again on a channel that consumed from the
/// queue before, and says nothing of it: its messages would be in the hand of a consumer that they never reach. Before
/// 4.0 it forgets one that consumes, too, if its channel hears of the old queue's end once the new one is there.
#[tokio::test]
async fn a_consumer_whose_queue_is_made_again_is_given_its_messages_or_ended() {
    let vhost = Vhost::create().await;
    for round in 0..ROUNDS {
        let link = connect(&vhost.brokers, "main", &vhost.name, "test").await.expect("open");
        let mut inlet = inlet_with_a_past(&vhost, &link).await;
        let (begun, ()) =
            tokio::join!(inlet.consume(8, QueueKind::Classic), make_again(&vhost, &[]));
        if begun.is_ok() {
            must_come_or_end(&vhost, &mut inlet, &format!("as it was begun, round {round}")).await;
        }
        link.close().await;

        let link = connect(&vhost.brokers, "main", &vhost.name, "test").await.expect("open");
        let mut inlet = inlet_with_a_past(&vhost, &link).await;
        inlet.consume(8, QueueKind::Classic).await.expect("consumed");
        let same = BasicQosOptions { global: false };
        let busy = join_all((0..QUESTIONS).map(|_| inlet.channel().basic_qos(8, same)));
        let (_, ()) = tokio::join!(busy, make_again(&vhost, &[]));
        must_come_or_end(&vhost, &mut inlet, &format!("as it consumed, round {round}")).await;
        link.close().await;
    }
    vhost.delete().await;
}

/// A channel that consumed from a new, empty queue, and does so no more.
async fn inlet_with_a_past(vhost: &Vhost, link: &Link) -> Inlet {
    vhost.channel.queue_delete("dead".into(), QueueDeleteOptions::default()).await.expect("gone");
    vhost.queue("dead", &[]).await;
    let mut inlet = Inlet::open(link, "dead", Evidence::default()).await.expect("opened");
    inlet.consume(8, QueueKind::Classic).await.expect("consumed");
    inlet.cancel().await.expect("ended");
    inlet
}

/// Deletes the queue and makes it again as fast as a client can, with a message.
async fn make_again(vhost: &Vhost, arguments: &[(&str, AMQPValue)]) {
    let deleted = vhost.channel.queue_delete("dead".into(), QueueDeleteOptions::default());
    let (deleted, ()) = tokio::join!(deleted, vhost.queue("dead", arguments));
    deleted.expect("deleted");
    vhost.publish("dead", BasicProperties::default(), b"1").await;
}

async fn must_come_or_end(vhost: &Vhost, inlet: &mut Inlet, way: &str) {
    let next = tokio::time::timeout(Duration::from_secs(30), inlet.next()).await;
    let census = vhost.census("dead").await;
    assert!(next.is_ok(), "nothing came to a consumer whose queue was made again {way}: {census}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn sources_in_two_vhosts_are_taken_at_once_and_can_be_added_and_removed(pool: PgPool) {
    let (one, two) = (Vhost::create().await, Vhost::create().await);
    one.queue("dead", &[]).await;
    two.queue("dead", &[]).await;
    let first = watch(&pool, &one.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &one.brokers).await;
    watch(&pool, &two.name, "dead", SourceMode::Take).await;
    one.publish("dead", BasicProperties::default(), b"1").await;
    two.publish("dead", BasicProperties::default(), b"2").await;
    until("both letters", || async { letters(&pool).await == 2 }).await;

    let mut conn = pool.acquire().await.expect("a connection");
    let now = dlo_server::clock::Clock::now(&dlo_server::clock::SystemClock);
    assert!(store::sources::remove(&mut conn, first, now).await.expect("removed"));
    // A consumer that is gone says nothing: there is none between two stints either.
    until("its session is over", || async { sessions(&pool, first).await == 0 }).await;
    one.publish("dead", BasicProperties::default(), b"3").await;
    assert_eq!(one.depth("dead").await, 1, "what is not watched is not taken");
    office.stop().await;
    one.delete().await;
    two.delete().await;
}
