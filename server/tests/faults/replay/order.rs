//! Replays that keep the order of their letters, at a missing exchange and after a crash.

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Control, ReplayState, Target};
use sqlx::PgPool;
use std::time::Duration;

use crate::harness::proxy::at_work_behind_proxy;
use crate::support::until_within;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_that_keep_their_order_stop_at_a_missing_exchange_and_after_a_crash(pool: PgPool) {
    let (vhost, proxy, bench) = at_work_behind_proxy(&pool).await;
    let letters = bench.letters(3).await;
    let target = Target::Exchange { exchange: "gone".into(), routing_key: "x".into() };
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
    until_within("one is on its way", Duration::from_secs(20), || async {
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
