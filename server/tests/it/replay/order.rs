//! Replays that keep the order of their letters, and stop where it would break.

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Control, Outcome, ReplayState, Target};
use sqlx::PgPool;

use crate::support::desk::{at_work, at_work_behind_proxy};
use crate::support::until;

#[sqlx::test(migrations = "../migrations")]
async fn letters_that_keep_their_order_stop_behind_one_that_does_not_get_through(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = [
        bench.letter("work", b"1").await,
        bench.letter("gone", b"2").await,
        bench.letter("work", b"3").await,
    ];
    let backwards: Vec<_> = letters.iter().rev().copied().collect();
    let id = bench.plan_with(&backwards, |new| new.in_order = true).await;
    let stopped = bench.becomes(id, ReplayState::Paused).await;
    assert!(
        stopped
            .stopped
            .expect("told")
            .why
            .expect("a reason")
            .contains("order")
    );
    let outcomes: Vec<_> = bench
        .items(id)
        .await
        .iter()
        .map(|item| item.outcome)
        .collect();
    assert_eq!(
        outcomes,
        [Outcome::Confirmed, Outcome::Unroutable, Outcome::Pending]
    );
    bench.tell(id, Control::Resume, false).await;
    assert_eq!(bench.finished(id).await.outcomes.confirmed, 2);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn letters_that_keep_their_order_stop_at_a_missing_exchange_and_after_a_crash(pool: PgPool) {
    let (vhost, proxy, bench) = at_work_behind_proxy(&pool).await;
    let letters = bench.letters(3).await;
    let target = Target::Exchange {
        exchange: "gone".into(),
        routing_key: "x".into(),
    };
    let engine = bench.engine().await;
    let id = bench
        .plan_with(&letters, |new| {
            new.in_order = true;
            new.target = target;
        })
        .await;
    let stopped = bench.becomes(id, ReplayState::Paused).await.outcomes;
    assert_eq!((stopped.unroutable, stopped.pending), (1, 2));
    bench.tell(id, Control::Cancel, false).await;
    bench.given_back(id).await;

    // One is on its way when the office is killed: nothing goes after it.
    proxy.hold(true);
    let id = bench.plan_with(&letters, |new| new.in_order = true).await;
    until("one is on its way", 20, || async {
        marks(&pool, id).await == 1 && vhost.depth("work").await == 1
    })
    .await;
    engine.kill().await;
    proxy.hold(false);
    let other = bench.engine().await;
    let stopped = bench.becomes(id, ReplayState::Paused).await.outcomes;
    assert_eq!((stopped.unknown, stopped.pending), (1, 2));
    assert_eq!(vhost.depth("work").await, 1);
    other.stop().await;
    vhost.delete().await;
}

async fn marks(pool: &PgPool, id: ReplayId) -> i64 {
    sqlx::query_scalar("select count(*) from replay_marks where replay_id = $1")
        .bind(id.0)
        .fetch_one(pool)
        .await
        .expect("counted")
}
