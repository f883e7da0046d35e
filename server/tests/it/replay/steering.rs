//! Replays that are held back, stop by themselves, and do what they are told.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::replay::{Canary, Control, Outcome, ReplayState};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use dlo_server::clock::{Clock as _, SystemClock};
use lapin::types::AMQPValue;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::consumer::Consumer;
use crate::support::desk::{Bench, at_work, settle_after};
use crate::support::office::Office;
use crate::support::until;

/// A vhost where what is rejected in `work` comes back through `dead`.
async fn at_a_loop(pool: &PgPool) -> (Vhost, Bench) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    let dead = AMQPValue::LongString("dlx".into());
    vhost
        .queue("work", &[("x-dead-letter-exchange", dead)])
        .await;
    let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
    (vhost, bench)
}

fn quick(steps: &[u32]) -> Canary {
    Canary {
        steps: steps.to_vec(),
        stop_above: 0.05,
        watch_seconds: 2,
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn a_canary_stops_by_itself_and_all_settle_once_the_bug_is_mended(pool: PgPool) {
    let (vhost, bench) = at_a_loop(&pool).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let engine = bench
        .engine_with(settle_after(Duration::from_secs(3)))
        .await;
    let consumer = Consumer::start(&vhost, "work").await;
    let letters = bench.letters(40).await;
    let canary = quick(&[2, 10]);
    let id = bench
        .plan_with(&letters, |new| new.canary = Some(canary))
        .await;

    let stopped = bench.becomes(id, ReplayState::Paused).await;
    let why = stopped.stopped.expect("a reason");
    assert_eq!(why.by, Actor::office().0);
    let text = why.why.expect("a reason");
    assert!(text.contains("of 2 letters went wrong"), "{text}");
    assert_eq!(stopped.outcomes.pending, 38);
    assert_eq!(bench.state(letters[39]).await, LetterState::Claimed);
    until("both are back", 15, || async {
        bench.replay(id).await.outcomes.died_again == 2
    })
    .await;

    consumer.mend();
    let resumed = bench.tell(id, Control::Resume, true).await;
    assert_eq!(resumed.outcomes.pending, 40);
    assert_eq!(resumed.climb.expect("a ladder").wrong, 0);
    let done = bench.finished(id).await;
    until("all settle", 20, || async {
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

#[sqlx::test(migrations = "../migrations")]
async fn a_ladder_is_climbed_on_where_it_was_when_its_office_is_killed(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(9).await;
    let canary = quick(&[1, 4]);
    let id = bench
        .plan_with(&letters, |new| new.canary = Some(canary))
        .await;
    until("the second step is watched", 30, || async {
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

#[sqlx::test(migrations = "../migrations")]
async fn a_paused_replay_publishes_nothing_until_it_is_resumed(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(30).await;
    let id = bench
        .plan_with(&letters, |new| new.rate_per_second = Some(10))
        .await;
    until("some are out", 20, || async {
        bench.replay(id).await.outcomes.confirmed >= 3
    })
    .await;
    let paused = bench.tell(id, Control::Pause, false).await;
    assert_eq!(paused.state, ReplayState::Paused);
    assert_eq!(paused.stopped.expect("told").by, "tester");
    // What was on its way is still written down; then nothing moves.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let out = bench.replay(id).await.outcomes.confirmed;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(bench.replay(id).await.outcomes.confirmed, out);
    assert_eq!(i64::from(vhost.depth("work").await), out);

    let again = bench
        .desk
        .control_replay(&Actor("x".into()), id, Control::Pause, false)
        .await;
    assert!(matches!(again, Err(DeskError::Conflict(_))), "{again:?}");
    bench.tell(id, Control::Resume, false).await;
    assert_eq!(bench.finished(id).await.outcomes.confirmed, 30);
    assert_eq!(vhost.depth("work").await, 30);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_cancelled_replay_gives_back_what_was_not_published(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(30).await;
    let id = bench
        .plan_with(&letters, |new| new.rate_per_second = Some(10))
        .await;
    until("some are out", 20, || async {
        bench.replay(id).await.outcomes.confirmed >= 3
    })
    .await;
    bench.tell(id, Control::Cancel, false).await;
    until("all are given back", 20, || async {
        bench.replay(id).await.finished_at.is_some()
    })
    .await;
    let over = bench.replay(id).await;
    assert_eq!(over.state, ReplayState::Cancelled);
    let outcomes = over.outcomes;
    assert_eq!(
        (outcomes.pending, outcomes.confirmed + outcomes.refused),
        (0, 30)
    );
    assert_eq!(i64::from(vhost.depth("work").await), outcomes.confirmed);
    for item in bench.items(id).await {
        let (state, why) = (bench.state(item.letter_id).await, item.detail);
        if item.outcome == Outcome::Confirmed {
            assert_eq!(state, LetterState::Replayed);
        } else {
            assert_eq!(state, LetterState::Held);
            assert!(why.expect("a reason").contains("cancelled"));
        }
    }
    // They are free for another one.
    let next = bench.replay_home(&[letters[29]]).await;
    assert_eq!(bench.finished(next).await.outcomes.confirmed, 1);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_cancelled_replay_ends_after_its_office_was_killed(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(20).await;
    let id = bench
        .plan_with(&letters, |new| new.rate_per_second = Some(5))
        .await;
    until("some are out", 20, || async {
        bench.replay(id).await.outcomes.confirmed >= 2
    })
    .await;
    engine.kill().await;
    bench.tell(id, Control::Cancel, false).await;
    let other = bench.engine().await;
    until("all are given back", 20, || async {
        bench.replay(id).await.finished_at.is_some()
    })
    .await;
    let outcomes = bench.replay(id).await.outcomes;
    assert_eq!(outcomes.pending, 0);
    let out = outcomes.confirmed + outcomes.unknown;
    assert_eq!(
        (out + outcomes.refused, i64::from(vhost.depth("work").await)),
        (20, out)
    );
    other.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_rate_is_kept(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(60).await;
    let began = Instant::now();
    let id = bench
        .plan_with(&letters, |new| new.rate_per_second = Some(20))
        .await;
    let done = bench.finished(id).await;
    assert_eq!(done.outcomes.confirmed, 60);
    // 60 letters at 20 a second, less the first ones, which need not wait.
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(2_700), "{took:?}");
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_replay_that_is_put_off_begins_when_it_is_due_or_told_to(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(3).await;
    let put_off = async |letter, by: TimeDelta| {
        let start = SystemClock.now() + by;
        bench
            .plan_with(&[letter], |new| new.start_at = Some(start))
            .await
    };
    let soon = put_off(letters[0], TimeDelta::seconds(2)).await;
    let told = put_off(letters[1], TimeDelta::days(3)).await;
    let never = put_off(letters[2], TimeDelta::days(3)).await;
    assert_eq!(bench.replay(soon).await.state, ReplayState::Scheduled);
    assert_eq!(bench.state(letters[0]).await, LetterState::Claimed);
    assert_eq!(vhost.depth("work").await, 0);
    bench.tell(told, Control::Resume, false).await;
    bench.finished(told).await;
    let done = bench.finished(soon).await;
    assert!(done.finished_at >= done.start_at, "{done:?}");
    bench.tell(never, Control::Cancel, false).await;
    until("it is given back", 15, || async {
        bench.state(letters[2]).await == LetterState::Held
    })
    .await;
    assert_eq!(vhost.depth("work").await, 2);
    engine.stop().await;
    vhost.delete().await;
}

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
async fn a_letter_that_was_replayed_too_often_is_left_out_unless_that_is_meant(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letter = bench.letter("work", b"{}").await;
    sqlx::query("update letters set replays = 20")
        .execute(&pool)
        .await
        .expect("set");
    let mut new = dlo_domain::replay::NewReplay {
        selection: Selection::of_ids(vec![letter]),
        dry_run: true,
        ..Default::default()
    };
    let actor = Actor("jonas".into());
    let capped = bench.desk.plan_replay(&actor, &new).await.expect("tried");
    assert_eq!(capped.total, 0);
    assert!(capped.left_out[0].reason.contains("loop cap"));
    new.ignore_loop_cap = true;
    let all_the_same = bench.desk.plan_replay(&actor, &new).await.expect("tried");
    assert_eq!(
        (all_the_same.total, all_the_same.replayed_before),
        (1, Some(1))
    );
}
