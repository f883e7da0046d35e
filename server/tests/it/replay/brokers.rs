//! Letters of several brokers in one replay: one that cannot be reached keeps the others' from nothing.

use dlo_domain::ids::LetterId;
use dlo_domain::replay::{Canary, ReplayState};
use dlo_domain::state::LetterState;
use dlo_server::broker::BrokerAddress;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::{patience, until};

/// An office that knows a broker which is away, before the others in every list.
async fn with_one_away(pool: &PgPool) -> (Vhost, Bench) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let mut brokers = vhost.brokers.clone();
    let away = BrokerAddress {
        amqp: "amqp://127.0.0.1:1/%2f".to_owned(),
        management: None,
        patience: patience(),
    };
    brokers.0.insert("away".to_owned(), away);
    let bench = Bench::new(pool, &brokers, &vhost.name).await;
    (vhost, bench)
}

/// These letters died at another broker.
async fn died_at(pool: &PgPool, broker: &str, letters: &[LetterId]) {
    let letters: Vec<_> = letters.iter().map(|letter| letter.0).collect();
    sqlx::query(
        "with other as (
             insert into sources (id, broker, vhost, queue, name, mode, configured,
                 condition_since, created_at, origins)
             values (gen_random_uuid(), $1, '/', 'dead', $1, 'take', false, now(), now(), '[\"*\"]')
             returning id)
         update letters set source_id = other.id from other where letters.id = any($2)",
    )
    .bind(broker)
    .bind(&letters)
    .execute(pool)
    .await
    .expect("another source");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_that_is_away_holds_up_no_ladder(pool: PgPool) {
    let (vhost, bench) = with_one_away(&pool).await;
    let letters = bench.letters(12).await;
    died_at(&pool, "away", &letters[..2]).await;
    let canary = Canary { steps: vec![1, 4], stop_above: 0.5, watch_seconds: 1 };
    let id = bench.plan_with(&letters, |new| new.canary = Some(canary)).await;
    let engine = bench.engine().await;
    until("all that can go have gone", || async {
        bench.replay(id).await.outcomes.confirmed == 10
    })
    .await;
    let waits = bench.replay(id).await;
    assert_eq!(waits.outcomes.pending, 2);
    assert_eq!(waits.state, ReplayState::Running, "they wait");
    assert_eq!(bench.state(letters[0]).await, LetterState::Claimed);
    assert_eq!(vhost.take_bodies("work").await.len(), 10, "each once");
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_of_a_broker_that_nobody_names_any_more_are_refused_and_held(pool: PgPool) {
    let (vhost, bench) = with_one_away(&pool).await;
    let letters = bench.letters(3).await;
    died_at(&pool, "renamed", &letters[..1]).await;
    let id = bench.replay_home(&letters).await;
    let engine = bench.engine().await;
    let over = tokio::time::timeout(crate::support::patience(), bench.finished(id)).await;
    let over = over.expect("it does not wait for ever");
    assert_eq!((over.outcomes.confirmed, over.outcomes.refused), (2, 1));
    assert_eq!(bench.state(letters[0]).await, LetterState::Held);
    let items = bench.items(id).await;
    let refused = items.iter().find(|one| one.letter_id == letters[0]);
    let why = refused.and_then(|one| one.detail.as_deref()).unwrap_or("");
    assert!(why.contains("no broker named `renamed`"), "{why}");
    engine.stop().await;
    vhost.delete().await;
}
