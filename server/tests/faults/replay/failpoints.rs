//! A replay is killed at every stage of its life: it goes on by itself, on the letters that it had
//! when it was planned, and every letter on its way is accounted for.

use std::time::{Duration, Instant};

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Control, Outcome, ReplayState};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use dlo_server::failpoint::{
    ANSWERED, CLAIMED, FINISHING, FOUND, GIVEN_UP, GIVING_BACK, HANDED_OVER, MARKED, PLANNED,
    Place, TAKEN, VARIABLE, WRITTEN,
};
use serde_json::json;
use sqlx::PgPool;

use crate::harness::branch::Branch;
use crate::harness::goal::GoalRow;
use crate::harness::process::Premises;
use crate::harness::reckoning::{Reckoning, in_flight, progress};
use crate::harness::sized;
use crate::support::database::database_url;
use crate::support::desk::{Bench, at_work};
use crate::support::reckoning::delivered;
use crate::support::until_within;

/// Letters on their way at once: few, or as many as ship.
fn window() -> i64 {
    sized(8, 50)
}

/// How soon a killed replay must be at work again. The goal is 10 s for an office of its own machine.
const GOES_ON_WITHIN: Duration = Duration::from_secs(15);

/// All letters that wait at this moment, and no others.
fn by_filter() -> Selection {
    Selection { filter: Some("queue:work state:held".into()), ..Selection::default() }
}

/// Starts an office that kills itself at a place, and waits for that. Tells how long it took.
async fn killed_at(premises: &Premises, place: Place, nth: u32) -> Duration {
    let (failpoint, window) = (place.at(nth), window().to_string());
    let variables =
        [(VARIABLE, &*failpoint), ("DLO_REPLAY_WINDOW", &*window), ("DLO_INTAKE", "off")];
    let began = Instant::now();
    premises.open_with(&variables).killed_itself().await;
    began.elapsed()
}

async fn unknown(pool: &PgPool, replay: ReplayId) -> i64 {
    sqlx::query_scalar("select unknown from replays where id = $1")
        .bind(replay.0)
        .fetch_one(pool)
        .await
        .expect("a replay")
}

/// What is known of letters on their way, before and after an office that is killed at a place.
async fn assert_accounted_for(
    pool: &PgPool,
    replay: ReplayId,
    (place, nth): (Place, u32),
    before: (i64, i64),
) -> (i64, i64) {
    let now = (unknown(pool, replay).await, in_flight(pool).await);
    println!("  {}: {} unknown, {} in flight", place.at(nth), now.0, now.1);
    if place == FOUND || place == TAKEN {
        assert_eq!(now, before, "nothing was done yet");
        return now;
    }
    assert_eq!(now.0, before.0 + before.1, "what was in flight is unknown");
    let expected = match place {
        GIVEN_UP | FINISHING => 0..=0,
        _ if nth == 1 => 1..=1,
        _ => 1..=window(),
    };
    assert!(expected.contains(&now.1), "{}: {now:?}", place.at(nth));
    now
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_replay_killed_at_any_stage_goes_on_by_itself_with_the_letters_it_had(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let asked = bench.letters(sized(200, 80_000)).await;
    let new = bench.plan_with(&[], |new| new.selection = by_filter());
    let replay = new.await;
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let mut late = Vec::new();
    let mut longest = Duration::ZERO;
    let mut known = (0, 0);
    let mut stages = vec![(FOUND, 1), (TAKEN, 1)];
    for place in [MARKED, HANDED_OVER, ANSWERED, WRITTEN] {
        for nth in sized(vec![4], vec![1, 2, 5]) {
            stages.push((place, nth));
        }
        stages.push((GIVEN_UP, 1));
    }
    stages.push((FINISHING, 1));
    for (place, nth) in &stages {
        late.extend(bench.letters(2).await);
        let took = killed_at(&premises, *place, *nth).await;
        longest = longest.max(took);
        known = assert_accounted_for(&pool, replay, (*place, *nth), known).await;
    }
    let (_, pending) = progress(&pool, replay).await;
    let began = Instant::now();
    let last = premises.open_with(&[("DLO_INTAKE", "off")]);
    until_within("the replay goes on", Duration::from_secs(30), || async {
        let (_, left) = progress(&pool, replay).await;
        left < pending || left == 0
    })
    .await;
    longest = longest.max(began.elapsed());
    bench.becomes(replay, ReplayState::Finished).await;
    println!(
        "R7: killed at {} stages; from an office's start to its own end, or until the replay went on: at \
         most {longest:?}",
        stages.len()
    );
    assert!(longest < GOES_ON_WITHIN, "{longest:?}");
    last.stop().await;
    let reckoning = Reckoning::of(&pool, replay, &vhost, "work").await;
    GoalRow {
        goal: "R7",
        case: "a replay killed at any stage".to_owned(),
        tried: format!("{} letters, {} stages", asked.len(), stages.len()),
        broker: vhost.version().await,
        lost: Some(reckoning.lost()),
        doubled: Some(reckoning.duplicates()),
        recovered: Some(longest),
        is_met: reckoning.duplicates() == 0 && longest <= Duration::from_secs(10),
    }
    .report();
    reckoning.assert_true();
    assert_eq!(reckoning.duplicates(), 0, "published twice");
    let confirmed = reckoning.letters(Outcome::Confirmed).len();
    let unknown = reckoning.letters(Outcome::Unknown).len();
    assert_eq!(confirmed + unknown, asked.len());
    for letter in late {
        assert_eq!(bench.state(letter).await, LetterState::Held, "it joined");
    }
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_replay_whose_office_is_killed_while_it_is_planned_never_was(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(sized(50, 5_000)).await;
    let failpoint = PLANNED.at(1);
    let fatal = [(VARIABLE, &*failpoint)];
    let first = Branch::open(&pool, &vhost.brokers, "first", &fatal).await;
    let wanted = json!({"selection": {"filter": "queue:work"}});
    let said = first.post("/api/v1/replays", &wanted).await;
    assert!(said.is_err(), "it was killed: {said:?}");
    assert!(!first.running.ended(30).await, "it was killed");
    let claimed = "select count(*) from letters where state <> 'held'";
    let claimed: i64 = sqlx::query_scalar(claimed).fetch_one(&pool).await.expect("counted");
    assert_eq!(claimed, 0);

    let second = Branch::open(&pool, &vhost.brokers, "second", &[]).await;
    let planned = second.post("/api/v1/replays", &wanted).await;
    let planned = planned.expect("planned");
    assert_eq!(planned["total"], letters.len());
    let id = planned["id"].as_str().expect("an id").parse();
    let id: ReplayId = id.expect("an id");
    bench.finished(id).await;
    second.close().await;
    let delivered = delivered(&vhost, "work").await;
    assert_eq!(delivered.len(), letters.len());
    assert!(delivered.values().all(|replays| *replays == [id]));
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_large_plan_goes_on_to_be_claimed_after_kills_each_letter_once(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(sized(5_700, 80_000)).await;
    let replay = bench.replay_all_home().await;
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    for nth in [1, 2, 1] {
        killed_at(&premises, CLAIMED, nth).await;
    }
    let last = premises.open_with(&[("DLO_INTAKE", "off")]);
    bench.becomes(replay, ReplayState::Finished).await;
    last.stop().await;
    let over = bench.replay(replay).await;
    assert_eq!((usize::try_from(over.total), over.left_out.len()), (Ok(letters.len()), 0));
    let reckoning = Reckoning::of(&pool, replay, &vhost, "work").await;
    reckoning.assert_true();
    assert_eq!(reckoning.duplicates(), 0, "published twice");
    let confirmed = reckoning.letters(Outcome::Confirmed).len();
    let unknown = reckoning.letters(Outcome::Unknown).len();
    assert_eq!(confirmed + unknown, letters.len());
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_cancelled_replay_gives_back_the_rest_after_a_kill_in_the_middle(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(2_500).await;
    let replay = bench.replay_home(&letters).await;
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    // Some are published, some are on their way, and the others never leave.
    killed_at(&premises, HANDED_OVER, 4).await;
    bench.tell(replay, Control::Cancel, false).await;
    killed_at(&premises, GIVING_BACK, 1).await;
    let (confirmed, left) = progress(&pool, replay).await;
    assert!(confirmed > 0 && left > 0, "in the middle");
    let began = Instant::now();
    let last = premises.open();
    bench.given_back(replay).await;
    println!("  a cancelled replay went on within {:?}", began.elapsed());
    last.stop().await;
    all_decided(&bench, replay, letters.len()).await;
    let there = delivered(&vhost, "work").await.len();
    let outcomes = bench.replay(replay).await.outcomes;
    let there = i64::try_from(there).expect("few");
    assert!((outcomes.confirmed..=outcomes.confirmed + outcomes.unknown).contains(&there));
    vhost.delete().await;
}

async fn all_decided(bench: &Bench, replay: ReplayId, letters: usize) {
    let over = bench.replay(replay).await;
    assert_eq!(over.state, ReplayState::Cancelled);
    let sum = over.outcomes.confirmed + over.outcomes.unknown + over.outcomes.refused;
    assert_eq!((over.outcomes.pending, usize::try_from(sum)), (0, Ok(letters)));
    let held: i64 = sqlx::query_scalar("select count(*) from letters where state = 'held'")
        .fetch_one(&bench.pool)
        .await
        .expect("counted");
    assert_eq!(held, over.outcomes.refused);
}
