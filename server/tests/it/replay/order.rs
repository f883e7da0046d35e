//! Replays that keep the order of their letters, and stop where it would break.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::replay::{Control, Outcome, ReplayState};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use crate::support::desk::{Bench, at_work};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
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
    assert!(stopped.stopped.expect("told").why.expect("a reason").contains("order"));
    let outcomes: Vec<_> = bench.items(id).await.iter().map(|item| item.outcome).collect();
    assert_eq!(outcomes, [Outcome::Confirmed, Outcome::Unroutable, Outcome::Pending]);
    // Nobody decided on it, and it still has no queue: nothing overtakes it.
    bench.tell(id, Control::Resume, false).await;
    let still = bench.becomes(id, ReplayState::Paused).await.outcomes;
    assert_eq!((still.confirmed, still.unroutable, still.pending), (1, 1, 1));
    let discarded = bench
        .desk
        .discard(
            &Actor("tester".into()),
            &Selection::of_ids(vec![letters[1]]),
            "no such queue any more",
        )
        .await;
    assert_eq!(discarded.expect("discarded").changed, 1);
    bench.tell(id, Control::Resume, false).await;
    assert_eq!(bench.finished(id).await.outcomes.confirmed, 2);
    assert_eq!(bench.state(letters[1]).await, LetterState::Discarded);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_resumed_replay_begins_with_the_letter_that_stopped_it(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let bodies: Vec<Vec<u8>> = (0..12).map(|n: u32| n.to_string().into_bytes()).collect();
    let mut letters = Vec::new();
    for body in &bodies {
        letters.push(bench.letter("late", body).await);
    }
    let id = bench.plan_with(&letters, |new| new.in_order = true).await;
    let stopped = bench.becomes(id, ReplayState::Paused).await.outcomes;
    assert_eq!((stopped.unroutable, stopped.pending), (1, 11));
    vhost.queue("late", &[]).await;
    let resumed = bench.tell(id, Control::Resume, false).await.outcomes;
    assert_eq!((resumed.unroutable, resumed.pending), (0, 12));
    assert_eq!(bench.finished(id).await.outcomes.confirmed, 12);
    assert_eq!(vhost.take_bodies("late").await, bodies);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_another_replay_took_since_is_not_taken_up_for_its_order(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letters = bench.letters(2).await;
    let id = bench.plan_with(&letters, |new| new.in_order = true).await;
    sqlx::raw_sql(
        "update letters set state = 'held' where id in
             (select letter_id from replay_items where position = 0);
         update replay_items set outcome = 'refused' where position = 0;
         update replays set state = 'paused', pending = 1, refused = 1",
    )
    .execute(&pool)
    .await
    .expect("set");
    let other = bench.plan_with(&letters[..1], |_| {}).await;
    sqlx::raw_sql("update letters set state = 'held'").execute(&pool).await.expect("back again");
    let resumed = bench.tell(id, Control::Resume, false).await.outcomes;
    assert_eq!((resumed.refused, resumed.pending), (1, 1));
    assert_eq!(bench.replay(other).await.outcomes.pending, 1);
}
