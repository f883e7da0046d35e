//! What comes back with the marks of a replay: the message that was sent, copies of it, and messages that
//! were made from it. None takes the place of another.

use std::collections::BTreeMap;

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::LetterId;
use dlo_domain::letter::Letter;
use dlo_domain::replay::Outcome;
use dlo_domain::state::{Change, LetterState};
use futures_util::StreamExt as _;
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicRejectOptions};
use lapin::types::AMQPValue;
use lapin::{BasicProperties, Consumer};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::broker::Vhost;
use crate::support::desk::{Bench, Engine};
use crate::support::office::{Office, letters};
use crate::support::until;

/// A queue whose letters are taken, behind a topic exchange, and who works on it.
struct Yard {
    pool: PgPool,
    vhost: Vhost,
    bench: Bench,
    intake: Office,
    engine: Engine,
    worker: Consumer,
}

impl Yard {
    async fn open(pool: &PgPool) -> Self {
        let vhost = Vhost::create().await;
        vhost.dead_letter_pair("dlx", "dead").await;
        let dlx = AMQPValue::LongString("dlx".into());
        vhost.queue("work", &[("x-dead-letter-exchange", dlx)]).await;
        vhost.topic("orders", &[("work", "order.#")]).await;
        let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
        Self {
            pool: pool.clone(),
            intake: Office::start(pool, &vhost.brokers).await,
            engine: bench.engine().await,
            worker: vhost.consume("work", "worker").await,
            vhost,
            bench,
        }
    }

    async fn next(&mut self) -> Delivery {
        let next = self.worker.next().await;
        next.expect("open").expect("a message")
    }

    /// The next message dies; tells what it was.
    async fn reject(&mut self) -> Delivery {
        let delivery = self.next().await;
        let rejected = delivery.reject(BasicRejectOptions { requeue: false }).await;
        rejected.expect("rejected");
        delivery
    }

    async fn publish(&self, properties: BasicProperties, body: &[u8]) {
        self.vhost.publish_to("orders", "order.new", properties, body).await;
    }

    /// Has a message die, and tells its letter.
    async fn first(&mut self, properties: BasicProperties) -> LetterId {
        self.publish(properties, b"one").await;
        self.reject().await;
        self.until_letters(1).await;
        let id: Uuid =
            sqlx::query_scalar("select id from letters").fetch_one(&self.pool).await.expect("one");
        LetterId(id)
    }

    async fn until_letters(&self, count: i64) {
        until("all letters are there", || async { letters(&self.pool).await == count }).await;
    }

    async fn letter(&self, id: LetterId) -> Letter {
        self.bench.desk.letter(id).await.expect("a letter")
    }

    /// The last body of each letter, with the notes of its last arrival.
    async fn kept(&self) -> BTreeMap<Vec<u8>, Vec<String>> {
        let rows: Vec<(Vec<u8>, Vec<String>)> = sqlx::query_as(
            "select a.body, a.notes from letters l
             join arrivals a on a.letter_id = l.id and a.ordinal = l.arrivals",
        )
        .fetch_all(&self.pool)
        .await
        .expect("read");
        rows.into_iter().collect()
    }

    async fn close(self) {
        self.engine.stop().await;
        self.intake.stop().await;
        self.vhost.delete().await;
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn messages_that_were_made_from_a_replayed_one_are_letters_of_their_own(pool: PgPool) {
    let mut yard = Yard::open(&pool).await;
    let properties = BasicProperties::default().with_message_id("m-1".into());
    let letter = yard.first(properties).await;
    let id = yard.bench.replay_home(&[letter]).await;
    let sent = yard.next().await;
    sent.ack(BasicAckOptions::default()).await.expect("done");
    let marks = sent.properties.headers().clone().expect("headers");
    for body in [&b"derived 0"[..], b"derived 1", b"derived 2"] {
        let copied = BasicProperties::default().with_headers(marks.clone());
        yard.publish(copied, body).await;
        yard.reject().await;
    }
    yard.until_letters(4).await;
    assert_eq!(yard.bench.items(id).await[0].outcome, Outcome::Confirmed);
    assert_eq!(yard.bench.state(letter).await, LetterState::Replayed);
    let kept = yard.kept().await;
    assert_eq!(kept.len(), 4, "{kept:?}");
    let named = format!("letter {letter} and replay {id}; its body and its message id are not");
    for (body, notes) in &kept {
        let told = notes.iter().any(|note| note.contains(&named));
        assert_eq!(told, body != b"one", "{notes:?}");
    }
    yard.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn of_two_copies_of_a_replayed_message_both_are_kept(pool: PgPool) {
    let mut yard = Yard::open(&pool).await;
    let letter = yard.first(BasicProperties::default()).await;
    let id = yard.bench.replay_home(&[letter]).await;
    let sent = yard.reject().await;
    // The worker had put a copy of it on the way, as an exchange with two queues does.
    yard.publish(sent.properties.clone(), &sent.data).await;
    yard.reject().await;
    yard.until_letters(2).await;
    until("it is back", || async { yard.bench.items(id).await[0].outcome == Outcome::DiedAgain })
        .await;
    assert_eq!(yard.letter(letter).await.arrivals.len(), 2);
    let copies: Vec<Uuid> = sqlx::query_scalar("select id from letters where state = 'held'")
        .fetch_all(&pool)
        .await
        .expect("read");
    assert_eq!(copies.len(), 2);
    // Each is replayed by itself, and comes back by itself.
    let copies: Vec<LetterId> = copies.into_iter().map(LetterId).collect();
    let id = yard.bench.replay_home(&copies).await;
    yard.reject().await;
    yard.reject().await;
    until("both are back", || async { yard.bench.replay(id).await.outcomes.died_again == 2 }).await;
    assert_eq!(letters(&pool).await, 2);
    yard.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_was_put_away_is_not_woken_by_another_message(pool: PgPool) {
    let mut yard = Yard::open(&pool).await;
    let letter = yard.first(BasicProperties::default()).await;
    let id = yard.bench.replay_home(&[letter]).await;
    let sent = yard.next().await;
    sent.ack(BasicAckOptions::default()).await.expect("done");
    yard.bench.finished(id).await;
    let worker = Actor("worker".into());
    let processed = yard.bench.desk.processed(&worker, letter).await;
    processed.expect("told");
    yard.publish(sent.properties.clone(), b"another").await;
    yard.reject().await;
    yard.until_letters(2).await;
    assert_eq!(yard.bench.items(id).await[0].outcome, Outcome::Processed);
    assert_eq!(yard.bench.state(letter).await, LetterState::Resolved);
    assert!(LetterState::Resolved.after(Change::DieAgain).is_ok());
    // The message itself does wake it: whoever reported success was wrong.
    yard.publish(sent.properties.clone(), &sent.data).await;
    yard.reject().await;
    until("it is held again", || async { yard.bench.state(letter).await == LetterState::Held })
        .await;
    assert_eq!(letters(&pool).await, 2);
    yard.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_keeps_where_it_was_published_first(pool: PgPool) {
    let mut yard = Yard::open(&pool).await;
    let letter = yard.first(BasicProperties::default()).await;
    for round in 1..=2 {
        let id = yard.bench.replay_home(&[letter]).await;
        yard.reject().await;
        until("it is back", || async {
            yard.bench.items(id).await[0].outcome == Outcome::DiedAgain
        })
        .await;
        let told = yard.letter(letter).await.summary;
        assert_eq!(told.exchange.as_deref(), Some("orders"), "{round}");
        assert_eq!(told.routing_key.as_deref(), Some("order.new"), "{round}");
        assert_eq!(told.queue.as_deref(), Some("work"), "{round}");
    }
    yard.close().await;
}
