//! What the broker says of acknowledgements after the end of a session.

use std::time::Duration;

use dlo_domain::delivery_limit::Evidence;
use dlo_domain::source::{SourceCondition, SourceMode};
use dlo_domain::topology::QueueKind;
use dlo_server::broker::{
    Inlet, Link, RECEIPTS, Receipt, connect, delete_receipt, make_receipt, read_receipt,
};
use dlo_server::clock::{SystemClock, new_id};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::broker::Vhost;
use crate::support::office::{Office, condition, letters, watch};
use crate::support::until;

async fn link(vhost: &Vhost) -> Link {
    connect(&vhost.brokers, "main", &vhost.name, "test").await.expect("connected")
}

/// A session that consumes, with one message in flight at a time; and its connection.
async fn session(vhost: &Vhost, queue: &str, id: Uuid) -> (Link, Inlet) {
    let own = link(vhost).await;
    let mut inlet = Inlet::open(&own, queue, Evidence::default()).await.expect("opened");
    make_receipt(&vhost.brokers, "main", &vhost.name, id).await.expect("made");
    inlet.keep_receipt(id).await.expect("in hand");
    inlet.consume(1, QueueKind::Other).await.expect("consumed");
    (own, inlet)
}

async fn next(inlet: &mut Inlet) -> u64 {
    inlet.next().await.expect("the broker answers").expect("a message").tag
}

/// What the broker says once the session's channel is gone.
async fn told(vhost: &Vhost, id: Uuid) -> Receipt {
    let other = link(vhost).await;
    until("the channel is gone", || async {
        read_receipt(&other, id).await.expect("answered") != Receipt::Held
    })
    .await;
    let receipt = read_receipt(&other, id).await.expect("answered");
    other.close().await;
    receipt
}

#[tokio::test]
async fn a_receipt_counts_what_was_acknowledged_and_nothing_else() {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    vhost.quorum_queue("quorum").await;
    let three = ["a", "b", "c"].map(str::to_owned);
    for queue in ["dead", "quorum"] {
        vhost.publish_all(queue, &three).await;
        let id = new_id(&SystemClock);
        let (own, mut inlet) = session(&vhost, queue, id).await;
        for count in 1..=2 {
            let tag = next(&mut inlet).await;
            assert_eq!(inlet.next_receipt().await.expect("in hand"), Some(count));
            inlet.acknowledge(tag, 1).await.expect("acknowledged");
        }
        next(&mut inlet).await;
        let other = link(&vhost).await;
        assert_eq!(read_receipt(&other, id).await.expect("answered"), Receipt::Held);
        own.close().await;
        assert_eq!(told(&vhost, id).await, Receipt::CarriedOut(2));
        for _ in 0..20 {
            let again = read_receipt(&other, id).await.expect("answered");
            assert_eq!(again, Receipt::CarriedOut(2), "it may be asked again at once");
        }
        until("one came back", || async { vhost.depth(queue).await == 1 }).await;
        delete_receipt(&other, id).await.expect("deleted");
        assert_eq!(told(&vhost, id).await, Receipt::Missing);
    }
    vhost.delete().await;
}

/// A broker closes the channel of whoever has a message in hand for too long.
#[tokio::test]
async fn a_receipt_is_renewed_while_nothing_comes() {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let id = new_id(&SystemClock);
    let (own, mut inlet) = session(&vhost, "dead", id).await;
    inlet.renew_receipt(Duration::from_hours(1)).await.expect("it is new");
    assert_eq!(inlet.next_receipt().await.expect("in hand"), Some(1));
    inlet.renew_receipt(Duration::ZERO).await.expect("renewed");
    assert_eq!(inlet.next_receipt().await.expect("in hand again"), Some(2));
    vhost.publish_all("dead", &["a".to_owned()]).await;
    let tag = next(&mut inlet).await;
    inlet.acknowledge(tag, 1).await.expect("acknowledged");
    own.close().await;
    assert_eq!(told(&vhost, id).await, Receipt::CarriedOut(2));
    vhost.delete().await;
}

/// Anybody who may write to the queue can put a message there that looks like a receipt.
#[tokio::test]
async fn a_receipt_that_somebody_else_wrote_is_not_believed() {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    vhost.publish_all("dead", &["a".to_owned()]).await;
    let id = new_id(&SystemClock);
    let (own, mut inlet) = session(&vhost, "dead", id).await;
    let tag = next(&mut inlet).await;
    vhost.publish_all(&format!("{RECEIPTS}{id}"), &["forged".to_owned()]).await;
    inlet.acknowledge(tag, 1).await.expect("acknowledged");
    assert!(inlet.next_receipt().await.is_err(), "the next one is not ours");
    own.close().await;
    assert_eq!(told(&vhost, id).await, Receipt::Missing);
    vhost.delete().await;
}

/// What is given back in order is not acknowledged, and its receipt says so.
#[tokio::test]
async fn what_is_given_back_is_not_counted() {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    vhost.publish_all("dead", &["a".to_owned()]).await;
    let id = new_id(&SystemClock);
    let (own, mut inlet) = session(&vhost, "dead", id).await;
    next(&mut inlet).await;
    inlet.give_back().await;
    own.close().await;
    assert_eq!(told(&vhost, id).await, Receipt::CarriedOut(0));
    until("it came back", || async { vhost.depth("dead").await == 1 }).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_receipt_goes_with_its_session(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    vhost.publish_all("dead", &["a".to_owned()]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("it is stored and acknowledged", || async {
        letters(&pool).await == 1 && vhost.depth("dead").await == 0
    })
    .await;
    let session: Uuid = sqlx::query_scalar("select session_id from intake_sessions")
        .fetch_one(&pool)
        .await
        .expect("one session");
    let queue = format!("{RECEIPTS}{session}");
    until("it is there", || vhost.has_queue(&queue)).await;
    office.stop().await;
    assert!(!vhost.has_queue(&queue).await);
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn without_the_right_to_a_receipt_letters_are_taken_and_the_source_says_so(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let limited = format!("limited-{}", vhost.name);
    vhost.add_user(&limited, "known", ".*").await;
    let mut brokers = vhost.brokers.clone();
    for broker in brokers.0.values_mut() {
        let mut amqp: reqwest::Url = broker.amqp.parse().expect("an address");
        amqp.set_username(&limited).expect("a host");
        amqp.set_password(Some("known")).expect("a host");
        broker.amqp = amqp.to_string();
    }
    let source = watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &brokers).await;
    vhost.publish_all("dead", &["a", "b", "c"].map(str::to_owned)).await;
    until("the letters", || async { letters(&pool).await == 3 }).await;
    until("the source says so", || async {
        let (condition, detail) = condition(&pool, source).await;
        let says = detail.is_some_and(|detail| detail.contains("stored twice"));
        condition == SourceCondition::Running && says
    })
    .await;
    office.stop().await;
    assert_eq!(vhost.depth("dead").await, 0);
    vhost.remove_user(&limited).await;
    vhost.delete().await;
}
