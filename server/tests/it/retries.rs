//! Retry policies against real servers: what they retry comes to its queue, and back, and is given
//! up on; offices that are killed lose no try and double none.

mod envelopes;
mod moving;
mod unreadable;

use std::time::Duration;

use dlo_app::desk::{DeskError, PolicyDesk as _, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, PolicyId};
use dlo_domain::policy::NewPolicy;
use dlo_domain::replay::Outcome;
use dlo_domain::state::LetterState;
use futures_util::StreamExt as _;
use lapin::BasicProperties;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicGetOptions};
use lapin::types::{AMQPValue, FieldArray, FieldTable};
use sqlx::PgPool;

use crate::replay::origins::x_death;
use crate::support::broker::Vhost;
use crate::support::database::count;
use crate::support::desk::{Bench, at_work};
use crate::support::office::{Office, believe};
use crate::support::retries::{add, policy, scheduler};
use crate::support::until;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_removed_policy_tells_what_it_was_and_who_removed_it(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let id = add(&bench, &policy(vec![7])).await;
    let there = bench.desk.policy(id).await.expect("a policy");
    assert_eq!(there.removed, None);
    let bert = Actor("bert".to_owned());
    let removed = bench.desk.remove_policy(&bert, id).await;
    removed.expect("removed");

    let gone = bench.desk.policy(id).await.expect("what it was");
    assert_eq!(gone.policy.policy, policy(vec![7]));
    let word = gone.removed.expect("a word");
    assert_eq!(word.by.as_deref(), Some("bert"));
    assert!(word.at >= there.policy.changed_at);
    // It is told, and nothing else can be done with it.
    let again = bench.desk.remove_policy(&bert, id).await;
    assert!(matches!(again, Err(DeskError::NotFound(_))), "{again:?}");
    let changed = bench.desk.change_policy(&bert, id, &policy(vec![8])).await;
    assert!(matches!(changed, Err(DeskError::NotFound(_))), "{changed:?}");
    let applied = bench.desk.apply_policy(&bert, id).await;
    assert!(matches!(applied, Err(DeskError::NotFound(_))), "{applied:?}");
    assert_eq!(bench.desk.policies().await.expect("a list"), []);
    let never = bench.desk.policy(PolicyId(uuid::Uuid::nil())).await;
    let Err(DeskError::NotFound(why)) = never else {
        panic!("{never:?}");
    };
    assert!(why.contains("there was none"), "{why}");
}

/// A death history that says that it died so often.
fn died_so_often(count: i64) -> AMQPValue {
    let long = |text: &str| AMQPValue::LongString(text.into());
    let mut death = FieldTable::default();
    death.insert("count".into(), AMQPValue::LongLongInt(count));
    death.insert("reason".into(), long("rejected"));
    death.insert("queue".into(), long("work"));
    death.insert("exchange".into(), long(""));
    let keys = FieldArray::from(vec![long("work")]);
    death.insert("routing-keys".into(), AMQPValue::FieldArray(keys));
    AMQPValue::FieldArray(FieldArray::from(vec![AMQPValue::FieldTable(death)]))
}

/// Plays a broker whose count of deaths goes its own way: what comes to `work` dies at once, with
/// `counts` in its history. Tells how often something came.
async fn die_with(vhost: &Vhost, counts: &[i64], gone: impl AsyncFn() -> bool) -> usize {
    let mut consumer = vhost
        .channel
        .basic_consume(
            "work".into(),
            "fails".into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        )
        .await
        .expect("consuming");
    let mut came = 0;
    while !gone().await {
        let next = tokio::time::timeout(Duration::from_millis(200), consumer.next()).await;
        let Ok(Some(delivery)) = next else { continue };
        let delivery = delivery.expect("a message");
        came += 1;
        let count = counts.get(came).or(counts.last()).copied().unwrap_or(1);
        let mut headers = delivery.properties.headers().clone().unwrap_or_default();
        headers.insert("x-death".into(), died_so_often(count));
        let properties = BasicProperties::default().with_headers(headers);
        vhost.publish("dead", properties, &delivery.data).await;
        let acked = delivery.ack(BasicAckOptions::default()).await;
        acked.expect("acked");
    }
    came
}

/// The letter gets three tries, whatever the broker counts.
async fn gets_its_three_tries(pool: &PgPool, counts: &[i64]) {
    let (vhost, bench) = at_work(pool).await;
    vhost.queue("dead", &[]).await;
    let id = add(&bench, &policy(vec![1, 1, 2])).await;
    let intake = Office::start(pool, &vhost.brokers).await;
    let engine = bench.engine().await;
    let scheduler = scheduler(pool);
    let mut headers = FieldTable::default();
    headers.insert("x-death".into(), died_so_often(counts[0]));
    let properties = BasicProperties::default().with_headers(headers);
    vhost.publish("dead", properties, b"fails").await;
    let is_given_up = async || {
        count(pool, "select count(*) from letters where exhausted_at is not null").await == 1
    };
    let came =
        tokio::time::timeout(crate::support::patience(), die_with(&vhost, counts, is_given_up));
    assert_eq!(came.await.expect("in time"), 3);
    let letter: uuid::Uuid =
        sqlx::query_scalar("select id from letters").fetch_one(pool).await.expect("one letter");
    let letter = bench.desk.letter(LetterId(letter)).await.expect("a letter");
    assert_eq!(letter.summary.state, LetterState::Held);
    assert_eq!(letter.arrivals.len(), 4);
    let outcomes: Vec<Outcome> = letter.retries.tries.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::DiedAgain; 3]);
    let obituary = letter.retries.exhausted.expect("given up on");
    assert_eq!(obituary.policy_id, id);
    let by: Vec<&str> = letter
        .audit
        .iter()
        .filter(|line| line.action == "letter.replay")
        .map(|line| &*line.actor)
        .collect();
    assert_eq!(by, ["retry policy again"; 3]);
    scheduler.stop().await;
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_gets_its_tries_from_a_broker_that_counts_on(pool: PgPool) {
    gets_its_three_tries(&pool, &[4, 5, 6, 7]).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_gets_its_tries_from_a_broker_that_counts_from_one(pool: PgPool) {
    gets_its_three_tries(&pool, &[1, 1, 1, 1]).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_policy_sends_nothing_where_only_the_message_says_that_it_died(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    for queue in ["orders.work", "payments.execute"] {
        vhost.queue(queue, &[]).await;
    }
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    believe(&pool, bench.source, "orders.*").await;
    add(&bench, &policy(vec![1])).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let engine = bench.engine().await;
    let scheduler = scheduler(&pool);
    for queue in ["payments.execute", "orders.work"] {
        vhost.publish("dead", x_death(queue), b"{}").await;
    }
    until("the policy is done with both", || async {
        let given_up = "select count(*) from letters where exhausted_at is not null";
        vhost.depth("orders.work").await == 1 && count(&pool, given_up).await == 1
    })
    .await;
    assert_eq!(vhost.depth("payments.execute").await, 0);
    let (queue, state, why): (String, String, String) = sqlx::query_as(
        "select l.queue, l.state, a.detail from letters l
         join audit a on a.letter_id = l.id and a.action = 'letter.exhausted'",
    )
    .fetch_one(&pool)
    .await
    .expect("one letter");
    assert_eq!((&*queue, &*state), ("payments.execute", "held"));
    assert!(why.contains("only the message itself says where it died"), "{why}");
    scheduler.stop().await;
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_policy_leaves_headers_out_and_sets_others(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    vhost.queue("dead", &[]).await;
    let headers = "-x-delay, tenant=acme, /laravel/attempts=0".parse().expect("changes");
    add(&bench, &NewPolicy { headers, ..policy(vec![1]) }).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let engine = bench.engine().await;
    let scheduler = scheduler(&pool);
    let mut laravel = FieldTable::default();
    laravel.insert("attempts".into(), AMQPValue::LongInt(3));
    let mut headers = FieldTable::default();
    headers.insert("x-death".into(), died_so_often(1));
    headers.insert("x-delay".into(), AMQPValue::LongInt(5_000));
    headers.insert("laravel".into(), AMQPValue::FieldTable(laravel));
    vhost.publish("dead", BasicProperties::default().with_headers(headers), b"fails").await;
    until("it is tried", || async { vhost.depth("work").await == 1 }).await;
    let got = vhost.channel.basic_get("work".into(), BasicGetOptions { no_ack: true }).await;
    let came = got.expect("got").expect("a message").delivery.properties;
    let came = came.headers().clone().expect("headers");
    let came = came.inner();
    assert!(!came.contains_key("x-delay"), "{came:?}");
    assert_eq!(came.get("tenant"), Some(&AMQPValue::LongString("acme".into())));
    let mut laravel = FieldTable::default();
    laravel.insert("attempts".into(), AMQPValue::LongInt(0));
    assert_eq!(came.get("laravel"), Some(&AMQPValue::FieldTable(laravel)));
    scheduler.stop().await;
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}
