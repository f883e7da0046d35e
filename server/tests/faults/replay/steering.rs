//! Replays that are held back, whose office is killed, and how fast they go.

use std::time::{Duration, Instant};

use dlo_domain::replay::Control;
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use crate::support::desk::{at_work, some_are_out};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_cancelled_replay_ends_after_its_office_was_killed(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(20).await;
    let id = bench.plan_with(&letters, |new| new.rate_per_second = Some(5)).await;
    some_are_out(&bench, id, 2).await;
    engine.kill().await;
    bench.tell(id, Control::Cancel, false).await;
    let other = bench.engine().await;
    bench.given_back(id).await;
    let outcomes = bench.replay(id).await.outcomes;
    assert_eq!(outcomes.pending, 0);
    let out = outcomes.confirmed + outcomes.unknown;
    assert_eq!((out + outcomes.refused, i64::from(vhost.depth("work").await)), (20, out));
    other.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_rate_is_kept(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(60).await;
    let began = Instant::now();
    let id = bench.plan_with(&letters, |new| new.rate_per_second = Some(20)).await;
    let done = bench.finished(id).await;
    assert_eq!(done.outcomes.confirmed, 60);
    // 60 letters at 20 a second, less the first ones, which need not wait.
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(2_700), "{took:?}");
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_that_arrive_meanwhile_never_join(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(30).await;
    let id = bench
        .plan_with(&[], |new| {
            new.selection =
                Selection { filter: Some("queue:work state:held".into()), ..Selection::default() };
            new.rate_per_second = Some(10);
        })
        .await;
    let engine = bench.engine().await;
    some_are_out(&bench, id, 3).await;
    let late = bench.letters(5).await;
    engine.kill().await;
    bench.letters(5).await;
    let other = bench.engine().await;
    let done = bench.finished(id).await;
    assert_eq!((done.total, done.outcomes.total()), (30, 30));
    let replayed: Vec<_> = bench.items(id).await.iter().map(|item| item.letter_id).collect();
    assert_eq!(replayed, letters);
    assert_eq!(bench.state(late[0]).await, LetterState::Held);
    other.stop().await;
    vhost.delete().await;
}
