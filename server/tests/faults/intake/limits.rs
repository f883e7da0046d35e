//! Queues that drop a letter which comes back too often. The broker decides by its version: 3.10 takes no -1 from
//! a policy; 4.3 has a limit everywhere, and keeps the count with which a letter died, so that the first return is
//! one too many.

use dlo_app::desk::{DeskError, QueueName, TopologyDesk as _, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::delivery_limit::NewAcceptedLoss;
use dlo_domain::ids::SourceId;
use dlo_domain::source::SourceCondition;
use dlo_server::broker::Brokers;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable};
use serde_json::json;
use sqlx::PgPool;
use std::time::Duration;

use crate::harness::ledger::Ledger;
use crate::harness::process::Premises;
use crate::harness::proxy::Proxy;
use crate::harness::sized;
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::desk::Bench;
use crate::support::office::{Office, condition, letters};
use crate::support::until_within;

const POLICY: &str = "count";

fn ada() -> Actor {
    Actor("ada".to_owned())
}

/// `work` gives a message up after `limit` failures, into `dead`, which has the same limit by a policy.
async fn limited_pair(vhost: &Vhost, limit: i32) {
    let text = |text: &str| AMQPValue::LongString(text.into());
    let quorum = ("x-queue-type", text("quorum"));
    vhost.queue("dead", std::slice::from_ref(&quorum)).await;
    vhost.policy(POLICY, "^dead$", 1, json!({"delivery-limit": limit})).await;
    let arguments = [
        quorum,
        ("x-delivery-limit", AMQPValue::LongInt(limit)),
        ("x-dead-letter-exchange", text("")),
        ("x-dead-letter-routing-key", text("dead")),
    ];
    vhost.queue("work", &arguments).await;
}

/// Publishes to `work`, where all of it fails until it is dead.
async fn die(vhost: &Vhost, bodies: &[String]) {
    vhost.publish_all("work", bodies).await;
    vhost.fail_all("work").await;
}

fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("letter {number}")).collect()
}

async fn becomes(pool: &PgPool, source: SourceId, wanted: SourceCondition) {
    until_within(&format!("the source is {wanted:?}"), Duration::from_secs(30), || async {
        condition(pool, source).await.0 == wanted
    })
    .await;
}

/// Lifts the limit of `dead` as the version lets it be lifted.
async fn lift(vhost: &Vhost, bench: &Bench) {
    let queue =
        QueueName { broker: "main".to_owned(), vhost: vhost.name.clone(), name: "dead".to_owned() };
    let looked = bench.desk.lift_delivery_limit(&ada(), &queue, None, true).await;
    let looked = looked.expect("planned");
    if vhost.release().await < (4, 3) {
        assert!(!looked.refusals.is_empty(), "{looked:?}");
        let done = bench.desk.lift_delivery_limit(&ada(), &queue, None, false).await;
        assert!(matches!(done, Err(DeskError::Unfit { .. })), "{done:?}");
        vhost.delete_policy(POLICY).await;
        return;
    }
    assert_eq!(looked.refusals, [""; 0]);
    let plan = Some(&*looked.plan);
    let done = bench.desk.lift_delivery_limit(&ada(), &queue, plan, false).await;
    assert!(done.expect("set").applied);
}

/// The office holds off, however it ends.
async fn holds_off(bench: &Bench, premises: &Premises, vhost: &Vhost, waiting: u32) {
    for is_killed in [true, false] {
        let office = premises.open();
        becomes(&bench.pool, bench.source, SourceCondition::DeliveryLimit).await;
        if is_killed {
            office.kill().await;
        } else {
            office.stop().await;
        }
        sqlx::query("update sources set condition = 'starting'")
            .execute(&bench.pool)
            .await
            .expect("set");
    }
    assert_eq!(vhost.depth("dead").await, waiting, "nothing was taken");
    assert_eq!(letters(&bench.pool).await, 0);
}

/// Ends the office in each way, again and again: nothing is lost before the limit is lifted, and nothing after.
async fn ends_in_every_way(pool: &PgPool, limit: i32) {
    let vhost = Vhost::create().await;
    limited_pair(&vhost, limit).await;
    let ways = sized(3, 9);
    let bodies = numbers(sized(240, 5_000));
    let mut parts = bodies.chunks(bodies.len().div_ceil(ways + 1));
    let first = parts.next().expect("a part");
    die(&vhost, first).await;
    let waiting = u32::try_from(first.len()).expect("few");
    until_within("all are dead", Duration::from_secs(20), || async {
        vhost.depth("dead").await == waiting
    })
    .await;
    let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
    let premises = Premises::new(database_url(pool), &vhost.brokers);
    holds_off(&bench, &premises, &vhost, waiting).await;
    lift(&vhost, &bench).await;
    let ledger =
        Ledger { pool, vhost: &vhost, queue: "dead", premises: &premises, bodies: &bodies };
    let proxy = Proxy::start(&vhost.brokers).await;
    let behind = Premises::new(database_url(pool), &proxy.brokers(&vhost.brokers));
    for (way, part) in parts.enumerate() {
        die(&vhost, part).await;
        let before = letters(pool).await;
        let office = if way % 3 == 2 { behind.open() } else { premises.open() };
        until_within("letters are taken", Duration::from_mins(1), || async {
            letters(pool).await > before
        })
        .await;
        match way % 3 {
            0 => office.kill().await,
            1 => office.stop().await,
            _ => {
                proxy.cut_now();
                office.kill().await;
            }
        }
    }
    let office = premises.open();
    ledger.until_settled(sized(60, 400)).await;
    office.stop().await;
    ledger.assert_exact().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_that_died_of_a_limit_of_20_survive_every_end_of_an_office(pool: PgPool) {
    ends_in_every_way(&pool, 20).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_that_died_of_a_limit_of_2_survive_every_end_of_an_office(pool: PgPool) {
    ends_in_every_way(&pool, 2).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_limit_that_appears_while_letters_are_taken_stops_that(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.quorum_queue("dead").await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    vhost.publish_all("dead", &numbers(3)).await;
    until_within("letters are taken", Duration::from_secs(20), || async {
        letters(&pool).await == 3
    })
    .await;
    assert_eq!(condition(&pool, bench.source).await, (SourceCondition::Running, None));
    vhost.policy(POLICY, "^dead$", 1, json!({"delivery-limit": 7})).await;
    becomes(&pool, bench.source, SourceCondition::DeliveryLimit).await;
    vhost.publish_all("dead", &numbers(2)).await;
    assert_eq!(vhost.consumers("dead").await, 0);
    let source = bench.desk.sources().await.expect("read").remove(0);
    assert_eq!(source.delivery_limit, Some(7));
    let detail = source.condition_detail.expect("in words");
    assert!(detail.contains("after 7 failed deliveries"), "{detail}");
    vhost.delete_policy(POLICY).await;
    until_within("letters are taken again", Duration::from_secs(20), || async {
        letters(&pool).await == 5
    })
    .await;
    office.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_loss_that_is_accepted_is_all_that_can_be_lost(pool: PgPool) {
    const MOST: u16 = 3;
    let vhost = Vhost::create().await;
    limited_pair(&vhost, 20).await;
    let kills = sized(3, 10);
    let bodies = numbers(sized(200, 1_000));
    let mut parts = bodies.chunks(bodies.len().div_ceil(kills));
    die(&vhost, parts.next().expect("a part")).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let office = premises.open();
    becomes(&pool, bench.source, SourceCondition::DeliveryLimit).await;
    let loss = |limit| NewAcceptedLoss { letters: MOST, delivery_limit: limit };
    let other = bench.desk.accept_loss(&ada(), bench.source, &loss(Some(19))).await;
    assert!(matches!(other, Err(DeskError::Conflict(_))), "it was not on the screen: {other:?}");
    let accepted = bench.desk.accept_loss(&ada(), bench.source, &loss(Some(20))).await;
    let accepted = accepted.expect("accepted").accepted_loss.expect("it is told");
    assert_eq!((accepted.letters, accepted.by.as_str()), (MOST, "ada"));
    until_within("letters are taken", Duration::from_secs(30), || async {
        letters(&pool).await > 0
    })
    .await;
    office.kill().await;
    for part in parts {
        die(&vhost, part).await;
        let before = letters(&pool).await;
        let office = premises.open();
        until_within("letters are taken", Duration::from_secs(30), || async {
            letters(&pool).await > before
        })
        .await;
        office.kill().await;
    }
    let office = premises.open();
    until_within("the queue is empty", Duration::from_mins(1), || async {
        vhost.depth("dead").await == 0
    })
    .await;
    office.stop().await;
    assert_eq!(vhost.depth("dead").await, 0, "nothing was given back");
    let stored: i64 = sqlx::query_scalar("select count(distinct body) from arrivals")
        .fetch_one(&pool)
        .await
        .expect("counted");
    let lost = i64::try_from(bodies.len()).expect("few") - stored;
    let accepted = i64::from(MOST) * i64::try_from(kills).expect("few");
    assert!((0..=accepted).contains(&lost), "{lost} lost, {accepted} accepted");
    let actions: Vec<String> = sqlx::query_scalar("select action from audit order by id")
        .fetch_all(&pool)
        .await
        .expect("read");
    assert_eq!(actions, ["source.accept_loss"]);
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_loss_that_is_accepted_holds_for_every_limit_until_it_is_withdrawn(pool: PgPool) {
    let vhost = Vhost::create().await;
    limited_pair(&vhost, 20).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    becomes(&pool, bench.source, SourceCondition::DeliveryLimit).await;
    let loss = NewAcceptedLoss { letters: 2, delivery_limit: Some(20) };
    let accepted = bench.desk.accept_loss(&ada(), bench.source, &loss).await;
    accepted.expect("accepted");
    becomes(&pool, bench.source, SourceCondition::Running).await;
    let (_, remark) = condition(&pool, bench.source).await;
    assert!(remark.is_some_and(|remark| remark.contains("ada accepted")));
    vhost.policy(POLICY, "^dead$", 1, json!({"delivery-limit": 4})).await;
    until_within("the new limit is told", Duration::from_secs(30), || async {
        bench.desk.sources().await.expect("read").remove(0).delivery_limit == Some(4)
    })
    .await;
    becomes(&pool, bench.source, SourceCondition::Running).await;
    vhost.publish_all("dead", &numbers(5)).await;
    until_within("letters are taken", Duration::from_secs(20), || async {
        letters(&pool).await == 5
    })
    .await;
    let withdrawn = bench.desk.withdraw_loss(&ada(), bench.source).await;
    assert_eq!(withdrawn.expect("withdrawn").accepted_loss, None);
    becomes(&pool, bench.source, SourceCondition::DeliveryLimit).await;
    office.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn without_a_management_api_letters_are_taken_until_one_tells_that_it_came_back(
    pool: PgPool,
) {
    let vhost = Vhost::create().await;
    vhost.quorum_queue("dead").await;
    let amqp = &vhost.brokers.get("main").expect("a broker").amqp;
    let blind = Brokers::main(amqp, None);
    let bench = Bench::new(&pool, &blind, &vhost.name).await;
    let office = Office::start(&pool, &blind).await;
    vhost.publish_all("dead", &numbers(5)).await;
    until_within("letters are taken", Duration::from_secs(20), || async {
        letters(&pool).await == 5
    })
    .await;
    let (_, remark) = condition(&pool, bench.source).await;
    assert!(remark.is_some_and(|remark| remark.contains("one by one")));
    office.stop().await;
    vhost.publish_all("dead", &numbers(5)).await;
    vhost.give_back_all("dead", 5).await;
    let office = Office::start(&pool, &blind).await;
    becomes(&pool, bench.source, SourceCondition::DeliveryLimit).await;
    assert_eq!(letters(&pool).await, 6, "the first of them told, and was kept");
    assert_eq!(vhost.depth("dead").await, 4);
    office.stop().await;
    // Another process knows what it told.
    sqlx::query("update sources set condition = 'starting'").execute(&pool).await.expect("set");
    let office = Office::start(&pool, &blind).await;
    becomes(&pool, bench.source, SourceCondition::DeliveryLimit).await;
    assert_eq!((letters(&pool).await, vhost.depth("dead").await), (6, 4), "no other was taken");
    let loss = NewAcceptedLoss { letters: 2, delivery_limit: None };
    let accepted = bench.desk.accept_loss(&ada(), bench.source, &loss).await;
    accepted.expect("accepted");
    until_within("the rest is taken", Duration::from_secs(20), || async {
        letters(&pool).await == 10
    })
    .await;
    let withdrawn = bench.desk.withdraw_loss(&ada(), bench.source).await;
    assert_eq!(withdrawn.expect("withdrawn").accepted_loss, None);
    office.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_count_that_a_publisher_wrote_stops_nothing(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let blind = Brokers::main(&vhost.brokers.get("main").expect("a broker").amqp, None);
    let bench = Bench::new(&pool, &blind, &vhost.name).await;
    let mut headers = FieldTable::default();
    headers.insert("x-delivery-count".into(), AMQPValue::LongLongInt(3));
    let counted = BasicProperties::default().with_delivery_mode(2).with_headers(headers);
    for _ in 0..5 {
        vhost.publish("dead", counted.clone(), b"with a count of its publisher's").await;
    }
    let office = Office::start(&pool, &blind).await;
    until_within("all are taken", Duration::from_secs(20), || async { letters(&pool).await == 5 })
        .await;
    office.stop().await;
    vhost.publish("dead", counted, b"and one that comes again").await;
    vhost.give_back_all("dead", 1).await;
    let office = Office::start(&pool, &blind).await;
    until_within("it is taken", Duration::from_secs(20), || async { letters(&pool).await == 6 })
        .await;
    assert_eq!(condition(&pool, bench.source).await.0, SourceCondition::Running);
    office.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_classic_queue_is_not_asked_for_a_limit(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[("x-queue-type", AMQPValue::LongString("classic".into()))]).await;
    vhost.publish_all("dead", &numbers(20)).await;
    vhost.give_back_all("dead", 20).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until_within("letters are taken", Duration::from_secs(20), || async {
        letters(&pool).await == 20
    })
    .await;
    assert_eq!(condition(&pool, bench.source).await, (SourceCondition::Running, None));
    let loss = NewAcceptedLoss { letters: 1, delivery_limit: None };
    let refused = bench.desk.accept_loss(&ada(), bench.source, &loss).await;
    assert!(matches!(refused, Err(DeskError::Conflict(_))), "{refused:?}");
    office.stop().await;
    vhost.delete().await;
}
