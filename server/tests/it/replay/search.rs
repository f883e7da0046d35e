//! Unknown letters are looked for in the queue that they were sent to, and nothing of it is lost or moved.

use std::sync::Arc;

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{LetterSearch, Outcome};
use dlo_domain::state::LetterState;
use dlo_server::broker::Brokers;
use dlo_server::clock::SystemClock;
use dlo_server::desk::PgDesk;
use lapin::BasicProperties;
use lapin::options::BasicGetOptions;
use serde_json::json;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::{Bench, desk};

fn desk_of(pool: &PgPool, brokers: &Brokers) -> PgDesk {
    desk(pool, brokers, Arc::new(SystemClock))
}

/// A replay whose letters are in `work`, and of which nobody knows it: no management API told the office whether
/// that queue keeps what it confirms.
async fn unknown(pool: &PgPool, vhost: &Vhost, letters: usize) -> (Bench, ReplayId, Vec<LetterId>) {
    let amqp = &vhost.brokers.get("main").expect("a broker").amqp;
    let bench = Bench::new(pool, &Brokers::main(amqp, None), &vhost.name).await;
    let letters = bench.letters(letters).await;
    let engine = bench.engine().await;
    let id = bench.replay_home(&letters).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!(done.unknown, i64::try_from(letters.len()).expect("few"));
    engine.stop().await;
    (bench, id, letters)
}

async fn search(desk: &PgDesk, id: ReplayId, dry_run: bool) -> LetterSearch {
    let found = desk.search_unknown(&Actor("ada".into()), id, dry_run).await;
    found.expect("searched")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_in_its_queue_is_confirmed_and_what_is_not_stays_unknown(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let (bench, id, letters) = unknown(&pool, &vhost, 10).await;
    let desk = desk_of(&pool, &vhost.brokers);
    // Somebody took the first, and somebody who may write to the queue says that it is there.
    let got = vhost.channel.basic_get("work".into(), BasicGetOptions { no_ack: true }).await;
    let first = got.expect("got").expect("a message").delivery;
    vhost.publish("work", first.properties, b"another body").await;
    vhost.publish("work", BasicProperties::default(), b"of somebody else").await;

    let looked = search(&desk, id, true).await;
    assert_eq!((looked.unknown, looked.elsewhere, looked.found), (10, 0, 0));
    let queue = &looked.queues[0];
    assert_eq!((&*queue.queue, queue.unknown, queue.messages), ("work", 10, Some(11)));
    assert_eq!((queue.looked_at, &queue.refused), (0, &None));
    assert_eq!(bench.replay(id).await.outcomes.unknown, 10, "a dry run changes nothing");

    let searched = search(&desk, id, false).await;
    assert_eq!((searched.found, searched.queues[0].looked_at), (9, 11));
    let now = bench.replay(id).await.outcomes;
    assert_eq!((now.confirmed, now.unknown), (9, 1));
    assert_eq!(bench.state(letters[0]).await, LetterState::Unknown);
    for letter in &letters[1..] {
        assert_eq!(bench.state(*letter).await, LetterState::Replayed);
    }
    let item = bench.items(id).await.remove(1);
    assert_eq!(item.outcome, Outcome::Confirmed);
    assert!(item.detail.is_some_and(|detail| detail.contains("ada had it looked for")));
    let trail = bench.audit(letters[1]).await;
    assert_eq!(trail[0], ("letter.found".to_owned(), "ada".to_owned()));
    assert_eq!(search(&desk, id, false).await.found, 0, "the rest is not there");

    let bodies = vhost.take_bodies("work").await;
    assert_eq!(bodies.len(), 11, "all are there still");
    assert_eq!(bodies[9..], [&b"another body"[..], b"of somebody else"], "in their order");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_queue_that_could_lose_something_is_not_touched(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let (_, id, _) = unknown(&pool, &vhost, 3).await;
    let desk = desk_of(&pool, &vhost.brokers);
    let refused = async |why: &str| {
        let searched = search(&desk, id, false).await;
        assert_eq!((searched.found, searched.queues[0].looked_at), (0, 0));
        let told = searched.queues[0].refused.clone().expect(why);
        assert!(told.contains(why), "{told}");
    };
    vhost.policy("short", "^work$", 1, json!({"max-length": 100})).await;
    refused("maximum length").await;
    vhost.delete_policy("short").await;
    assert_eq!(search(&desk, id, true).await.queues[0].refused, None);
    let amqp = &vhost.brokers.get("main").expect("a broker").amqp;
    let blind = desk_of(&pool, &Brokers::main(amqp, None));
    let told = search(&blind, id, false).await.queues.remove(0).refused;
    assert!(told.is_some_and(|why| why.contains("DLO_MANAGEMENT_URL")));
    assert_eq!(vhost.depth("work").await, 3);
    let consumer = vhost.consume("work", "somebody").await;
    refused("consumers").await;
    drop(consumer);
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_quorum_queue_without_a_limit_has_all_of_it_back(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.quorum_queue("work").await;
    let (bench, id, _) = unknown(&pool, &vhost, 20).await;
    let desk = desk_of(&pool, &vhost.brokers);
    for found in [20, 0] {
        assert_eq!(search(&desk, id, false).await.found, found);
    }
    assert_eq!(bench.replay(id).await.outcomes.confirmed, 20);
    let bodies = vhost.take_bodies("work").await;
    assert_eq!(bodies.len(), 20, "all are there still");
    vhost.delete().await;
}
