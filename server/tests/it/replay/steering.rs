//! Replays that are held back, put off, and do what they are told.

use chrono::TimeDelta;
use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::replay::{Control, Outcome, ReplayState};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use dlo_server::clock::{Clock as _, SystemClock};
use sqlx::PgPool;

use crate::support::desk::{Bench, at_work, some_are_out};
use crate::support::until;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_paused_replay_publishes_nothing_until_it_is_resumed(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(30).await;
    let id = bench.plan_with(&letters, |new| new.rate_per_second = Some(10)).await;
    some_are_out(&bench, id, 3).await;
    let pace = bench.replay(id).await.pace.expect("it goes");
    assert!(pace.per_second > 0.0 && pace.seconds_left > Some(0), "{pace:?}");
    let paused = bench.tell(id, Control::Pause, false).await;
    assert_eq!((paused.state, paused.pace), (ReplayState::Paused, None));
    assert_eq!(paused.stopped.expect("told").by, "tester");
    // What was on its way is still written down; then nothing moves, while the engine works for two seconds
    // on another replay of the same rate.
    until("all that is out is written down", || async {
        bench.replay(id).await.outcomes.confirmed == i64::from(vhost.depth("work").await)
    })
    .await;
    let out = bench.replay(id).await.outcomes.confirmed;
    let others = bench.letters(20).await;
    let other = bench.plan_with(&others, |new| new.rate_per_second = Some(10)).await;
    assert_eq!(bench.finished(other).await.outcomes.confirmed, 20);
    assert_eq!(bench.replay(id).await.outcomes.confirmed, out);
    assert_eq!(i64::from(vhost.depth("work").await), out + 20);

    let again = bench.desk.control_replay(&Actor("x".into()), id, Control::Pause, false).await;
    assert!(matches!(again, Err(DeskError::Conflict(_))), "{again:?}");
    bench.tell(id, Control::Resume, false).await;
    assert_eq!(bench.finished(id).await.outcomes.confirmed, 30);
    assert_eq!(vhost.depth("work").await, 50);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_cancelled_replay_gives_back_what_was_not_published(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(30).await;
    let id = bench.plan_with(&letters, |new| new.rate_per_second = Some(10)).await;
    some_are_out(&bench, id, 3).await;
    bench.tell(id, Control::Cancel, false).await;
    bench.given_back(id).await;
    let over = bench.replay(id).await;
    assert_eq!(over.state, ReplayState::Cancelled);
    let outcomes = over.outcomes;
    assert_eq!((outcomes.pending, outcomes.confirmed + outcomes.refused), (0, 30));
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

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_replay_that_is_put_off_begins_when_it_is_due_or_told_to(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(3).await;
    let put_off = async |letter, by: TimeDelta| {
        let start = SystemClock.now() + by;
        bench.plan_with(&[letter], |new| new.start_at = Some(start)).await
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
    until("it is given back", || async { bench.state(letters[2]).await == LetterState::Held })
        .await;
    assert_eq!(vhost.depth("work").await, 2);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_was_replayed_too_often_is_left_out_unless_that_is_meant(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letter = bench.letter("work", b"{}").await;
    sqlx::query("update letters set replays = 20").execute(&pool).await.expect("set");
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
    assert_eq!((all_the_same.total, all_the_same.replayed_before), (1, Some(1)));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_replay_whose_broker_is_away_can_be_cancelled(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let engine = bench.engine().await;
    let letters = bench.letters(3).await;
    let id = bench.plan_with(&letters, |_| {}).await;
    until("it waits for the broker", || async { !bench.waits.troubles().is_empty() }).await;
    bench.tell(id, Control::Cancel, false).await;
    bench.given_back(id).await;
    assert_eq!(bench.replay(id).await.outcomes.refused, 3);
    for letter in letters {
        assert_eq!(bench.state(letter).await, LetterState::Held);
    }
    assert!(bench.waits.troubles().is_empty());
    engine.stop().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_whose_window_is_still_written_down_is_not_taken_up_again(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letters = bench.letters(2).await;
    let id = bench.plan_with(&letters, |_| {}).await;
    // Both died again before their confirms were written down; the first window is still open.
    sqlx::raw_sql(
        "update replay_items set outcome = 'died_again';
         update letters set state = 'held';
         update replays set state = 'paused', pending = 0, died_again = 2;
         insert into replay_marks (replay_id, broker, vhost, first_position, last_position)
         select replay_id, broker, vhost, 0, 0 from replay_items where position = 0",
    )
    .execute(&pool)
    .await
    .expect("set");
    let resumed = bench.tell(id, Control::Resume, true).await.outcomes;
    assert_eq!((resumed.died_again, resumed.pending), (1, 1));
    let outcomes: Vec<_> = bench.items(id).await.iter().map(|item| item.outcome).collect();
    assert_eq!(outcomes, [Outcome::DiedAgain, Outcome::Pending]);
    assert_eq!(bench.state(letters[0]).await, LetterState::Held);
}
