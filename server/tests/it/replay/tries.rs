//! How often a letter was tried: what may have been published counts, and nothing else.

use chrono::TimeDelta;
use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{Control, NewReplay, Outcome, ReplayState, Target};
use dlo_domain::selection::Selection;
use dlo_server::clock::{Clock as _, SystemClock};
use lapin::options::BasicGetOptions;
use sqlx::PgPool;

use crate::support::desk::{Bench, at_work};

async fn replays(pool: &PgPool, letter: LetterId) -> i32 {
    sqlx::query_scalar("select replays from letters where id = $1")
        .bind(letter.0)
        .fetch_one(pool)
        .await
        .expect("a letter")
}

async fn attempts(bench: &Bench, letter: LetterId) -> Vec<(Outcome, i32)> {
    let found = bench.desk.letter(letter).await.expect("a letter");
    let told = found.replays.into_iter();
    told.map(|one| (one.outcome, one.attempt)).collect()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_plan_that_publishes_nothing_is_no_try(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let letter = bench.letter("work", b"{}").await;
    let later = SystemClock.now() + TimeDelta::days(3);
    for _ in 0..3 {
        let id = bench.plan_with(&[letter], |new| new.start_at = Some(later)).await;
        assert_eq!(replays(&pool, letter).await, 1);
        bench.tell(id, Control::Cancel, false).await;
        bench.given_back(id).await;
        assert_eq!(replays(&pool, letter).await, 0);
    }
    let nowhere = bench
        .plan_with(&[letter], |new| {
            new.target = Target::Queue { queue: "nowhere".into() };
        })
        .await;
    assert_eq!(bench.finished(nowhere).await.outcomes.unroutable, 1);
    assert_eq!(replays(&pool, letter).await, 0);

    let dry = NewReplay {
        selection: Selection::of_ids(vec![letter]),
        dry_run: true,
        ..NewReplay::default()
    };
    let actor = Actor("tester".into());
    let tried = bench.desk.plan_replay(&actor, &dry).await.expect("tried");
    assert_eq!((tried.total, tried.replayed_before), (1, Some(0)));

    let out = bench.replay_home(&[letter]).await;
    assert_eq!(bench.finished(out).await.outcomes.confirmed, 1);
    assert_eq!(replays(&pool, letter).await, 1);
    let sent = vhost
        .channel
        .basic_get("work".into(), BasicGetOptions { no_ack: true })
        .await
        .expect("asked")
        .expect("a message");
    let headers = sent.properties.headers().as_ref().expect("headers");
    let attempt = headers.inner().get("x-dlo-attempt").expect("a mark");
    assert_eq!(attempt, &lapin::types::AMQPValue::LongInt(1));
    let told = attempts(&bench, letter).await;
    assert_eq!(told[0], (Outcome::Confirmed, 1));
    assert_eq!(told[1], (Outcome::Unroutable, 0));
    assert_eq!(told[2..], [(Outcome::Refused, 0); 3]);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_publish_that_a_person_says_did_not_happen_is_no_try(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letter = bench.letter("work", b"{}").await;
    let id = bench.replay_home(&[letter]).await;
    sqlx::raw_sql(
        "update letters set state = 'unknown';
         update replay_items set outcome = 'unknown';
         update replays set pending = 0, unknown = 1",
    )
    .execute(&pool)
    .await
    .expect("set");
    assert_eq!(replays(&pool, letter).await, 1);
    let actor = Actor("tester".into());
    bench.desk.decide_unknown(&actor, letter, false).await.expect("decided");
    assert_eq!(replays(&pool, letter).await, 0);
    assert_eq!(bench.replay(id).await.outcomes.refused, 1);
    assert_eq!(attempts(&bench, letter).await, [(Outcome::Refused, 0)]);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_at_the_loop_cap_are_not_taken_up_again(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letters = bench.letters(3).await;
    let id = bench.plan_with(&letters, |_| {}).await;
    // The first two died again, one of them for the 20th time; the third was never published.
    sqlx::raw_sql(
        "update letters set state = 'held';
         update replay_items set outcome = 'died_again' where position < 2;
         update replay_items set outcome = 'refused', attempt = 0 where position = 2;
         update letters set replays = 20 where id in
             (select letter_id from replay_items where position in (0, 2));
         update replays set state = 'paused', pending = 0, died_again = 2, refused = 1",
    )
    .execute(&pool)
    .await
    .expect("set");
    let resumed = bench.tell(id, Control::Resume, true).await;
    assert_eq!(resumed.state, ReplayState::Running);
    let outcomes = resumed.outcomes;
    assert_eq!((outcomes.pending, outcomes.died_again, outcomes.refused), (2, 1, 0));
    let items = bench.items(id).await;
    assert_eq!(items[0].outcome, Outcome::DiedAgain);
    let why = items[0].detail.as_deref().expect("a reason");
    assert!(why.contains("loop cap"), "{why}");
    let details: Vec<Option<String>> = sqlx::query_scalar(
        "select detail from audit where replay_id = $1 and action = 'replay.resume'
             and letter_id is null",
    )
    .bind(id.0)
    .fetch_all(&pool)
    .await
    .expect("read");
    let said = details[0].as_deref().expect("told");
    assert!(said.contains("with 2") && said.contains("without 1"), "{said}");
    assert_eq!(replays(&pool, letters[1]).await, 2);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_replay_that_was_not_put_off_does_not_say_so_when_it_is_resumed(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letters = bench.letters(1).await;
    let id = bench.plan_with(&letters, |_| {}).await;
    bench.tell(id, Control::Pause, false).await;
    let resumed = bench.tell(id, Control::Resume, false).await;
    assert_eq!(resumed.start_at, None);
    let later = SystemClock.now() + TimeDelta::days(3);
    let other = bench.letters(1).await;
    let id = bench.plan_with(&other, |new| new.start_at = Some(later)).await;
    bench.tell(id, Control::Pause, false).await;
    let resumed = bench.tell(id, Control::Resume, false).await;
    assert_eq!(resumed.state, ReplayState::Scheduled, "it waits again");
    assert_eq!(resumed.start_at.map(|at| at.timestamp()), Some(later.timestamp()));
    let resumed = bench.tell(id, Control::Resume, false).await;
    assert_eq!(resumed.state, ReplayState::Running);
    assert!(resumed.start_at.expect("now") < later);
}
