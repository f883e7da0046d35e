//! Canaries that have to see a letter come back in time, and whose office is killed.

use std::time::Duration;

use dlo_domain::audit::Actor;
use dlo_domain::replay::{Control, ReplayState};
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use crate::support::consumer::Consumer;
use crate::support::desk::{at_a_loop, at_work, quick, settle_after};
use crate::support::office::Office;
use crate::support::until_within;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_canary_stops_by_itself_and_all_settle_once_the_bug_is_mended(pool: PgPool) {
    let (vhost, bench) = at_a_loop(&pool).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let engine = bench.engine_with(settle_after(Duration::from_secs(3))).await;
    let consumer = Consumer::start(&vhost, "work").await;
    let letters = bench.letters(40).await;
    let canary = quick(&[2, 10]);
    let id = bench.plan_with(&letters, |new| new.canary = Some(canary)).await;

    let stopped = bench.becomes(id, ReplayState::Paused).await;
    let why = stopped.stopped.expect("a reason");
    assert_eq!(why.by, Actor::office().0);
    let text = why.why.expect("a reason");
    assert!(text.contains("of 2 letters went wrong"), "{text}");
    assert_eq!(stopped.outcomes.pending, 38);
    assert_eq!(bench.state(letters[39]).await, LetterState::Claimed);
    until_within("both are back", Duration::from_secs(15), || async {
        bench.replay(id).await.outcomes.died_again == 2
    })
    .await;

    consumer.mend();
    let resumed = bench.tell(id, Control::Resume, true).await;
    assert_eq!(resumed.outcomes.pending, 40);
    assert_eq!(resumed.climb.expect("a ladder").wrong, 0);
    let done = bench.finished(id).await;
    until_within("all settle", Duration::from_secs(20), || async {
        bench.replay(id).await.outcomes.settled == 40
    })
    .await;
    assert_eq!((done.outcomes.died_again, consumer.processed()), (0, 40));
    for letter in letters {
        assert_eq!(bench.state(letter).await, LetterState::Resolved);
    }
    consumer.stop();
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_ladder_is_climbed_on_where_it_was_when_its_office_is_killed(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(9).await;
    let canary = quick(&[1, 4]);
    let id = bench.plan_with(&letters, |new| new.canary = Some(canary)).await;
    until_within("the second step is watched", Duration::from_secs(30), || async {
        let climb = bench.replay(id).await.climb.expect("a ladder");
        climb.step == 1 && climb.watched_since.is_some()
    })
    .await;
    engine.kill().await;
    assert_eq!(vhost.depth("work").await, 4);
    let other = bench.engine().await;
    let done = bench.finished(id).await;
    assert_eq!((done.outcomes.confirmed, vhost.depth("work").await), (9, 9));
    other.stop().await;
    vhost.delete().await;
}

/// The next one would overtake it.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_that_keep_their_order_stop_behind_one_that_died_again(pool: PgPool) {
    let (vhost, bench) = at_a_loop(&pool).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let engine = bench.engine().await;
    let consumer = Consumer::start(&vhost, "work").await;
    let letters = bench.letters(6).await;
    let id = bench
        .plan_with(&letters, |new| {
            new.in_order = true;
            new.rate_per_second = Some(1);
        })
        .await;
    let stopped = bench.becomes(id, ReplayState::Paused).await;
    let why = stopped.stopped.and_then(|told| told.why).expect("a reason");
    assert!(why.contains("died again"), "{why}");
    assert!(stopped.outcomes.pending >= 3, "{:?}", stopped.outcomes);
    // Whoever resumes has decided on it.
    consumer.mend();
    bench.tell(id, Control::Resume, true).await;
    let over = bench.finished(id).await;
    assert_eq!(over.outcomes.confirmed, 6, "{:?}", over.outcomes);
    consumer.stop();
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}
