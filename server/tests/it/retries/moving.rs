//! A move from one broker to another between the tries of a letter: the tries go on where they were,
//! since nobody asks the brokers, which count deaths each in its own way.
//!
//! `DLO_TEST_OTHER_AMQP_URL` and `DLO_TEST_OTHER_MANAGEMENT_URL` name the broker that is moved to, such as
//! a RabbitMQ 4; without them it is another vhost of the same one.

use lapin::options::BasicGetOptions;

use super::*;
use crate::support::consumer::Consumer;
use crate::support::variable;

/// A vhost where what is rejected in `work` comes to `dead`.
async fn prepared(vhost: &Vhost) {
    vhost.dead_letter_pair("dlx", "dead").await;
    let dead = AMQPValue::LongString("dlx".into());
    vhost.queue("work", &[("x-dead-letter-exchange", dead)]).await;
}

async fn other_vhost() -> Vhost {
    let named = variable("DLO_TEST_OTHER_AMQP_URL").zip(variable("DLO_TEST_OTHER_MANAGEMENT_URL"));
    match named {
        Some((amqp, management)) => Vhost::create_at(&amqp, &management).await,
        None => Vhost::create().await,
    }
}

/// Moves what is in a queue as a shovel does: with all that it carries.
async fn shovel(from: &Vhost, to: &Vhost, queue: &str) -> usize {
    let mut moved = 0;
    let options = BasicGetOptions { no_ack: true };
    loop {
        let got = from.channel.basic_get(queue.into(), options).await;
        let Some(message) = got.expect("got") else {
            return moved;
        };
        let delivery = message.delivery;
        to.publish(queue, delivery.properties, &delivery.data).await;
        moved += 1;
    }
}

const ARRIVED: &str = "select count(*) from arrivals";
const GIVEN_UP: &str = "select count(*) from letters where exhausted_at is not null";

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn tries_go_on_after_a_move_to_another_broker(pool: PgPool) {
    let (before, after) = (Vhost::create().await, other_vhost().await);
    prepared(&before).await;
    prepared(&after).await;
    println!("from {} to {}", before.version().await, after.version().await);
    let mut bench = Bench::new(&pool, &before.brokers, &before.name).await;
    let id = add(&bench, &policy(vec![1, 4, 1])).await;

    // The message dies, and dies again after its first try. Its second one ends in the dead-letter
    // queue, where nobody takes it any more.
    let consumer = Consumer::start(&before, "work").await;
    let intake = Office::start(&pool, &before.brokers).await;
    let engine = bench.engine().await;
    let retrying = scheduler(&pool);
    let (usual, body) = (BasicProperties::default(), b"fails");
    before.publish("work", usual, body).await;
    until("it is back once", || async { count(&pool, ARRIVED).await == 2 }).await;
    intake.stop().await;
    until("it waits to be moved", || async { before.depth("dead").await == 1 }).await;
    retrying.stop().await;
    engine.stop().await;
    consumer.stop();

    assert_eq!(shovel(&before, &after, "dead").await, 1);
    bench.moves_to(&after).await;
    let consumer = Consumer::start(&after, "work").await;
    let intake = Office::start(&pool, &after.brokers).await;
    let engine = bench.engine().await;
    let retrying = scheduler(&pool);
    until("it is given up on", || async { count(&pool, GIVEN_UP).await == 1 }).await;

    let letter: uuid::Uuid =
        sqlx::query_scalar("select id from letters").fetch_one(&pool).await.expect("one letter");
    let letter = bench.desk.letter(LetterId(letter)).await.expect("a letter");
    let tries = letter.retries.tries.iter();
    let tries: Vec<_> = tries.map(|one| (one.number, one.outcome)).collect();
    let died = [1, 2, 3].map(|number| (number, Outcome::DiedAgain));
    let mut sorted = tries.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, died, "{tries:?}");
    let obituary = letter.retries.exhausted.expect("given up on");
    assert_eq!((obituary.policy_id, letter.arrivals.len()), (id, 4));
    assert_eq!(letter.summary.state, LetterState::Held);
    // Nothing more is planned, nor under way.
    let more = "select (select count(*) from retries where state = 'waiting')
        + (select count(*) from replays where state <> 'finished')";
    assert_eq!(count(&pool, more).await, 0);
    assert_eq!(count(&pool, ARRIVED).await, 4);
    retrying.stop().await;
    engine.stop().await;
    intake.stop().await;
    consumer.stop();
    before.delete().await;
    after.delete().await;
}
