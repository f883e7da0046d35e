//! Large plans, whose letters are claimed while the first of them are sent.

use std::collections::BTreeMap;

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{Control, NewReplay, Replay, ReplayState};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work};
use crate::support::until;

/// More than one transaction claims.
const MANY: usize = 5_600;

async fn in_state(bench: &Bench, state: LetterState) -> i64 {
    sqlx::query_scalar("select count(*) from letters where state = $1")
        .bind(state.as_str())
        .fetch_one(&bench.pool)
        .await
        .expect("counted")
}

fn reasons(replay: &Replay) -> BTreeMap<&str, i64> {
    replay.left_out.iter().map(|one| (&*one.reason, one.letters)).collect()
}

async fn came_back(bench: &Bench, letter: LetterId) {
    sqlx::query("update letters set arrivals = arrivals + 1 where id = $1")
        .bind(letter.0)
        .execute(&bench.pool)
        .await
        .expect("counted");
}

fn all() -> NewReplay {
    let selection = Selection { filter: Some("queue:work".into()), ..Selection::default() };
    NewReplay { selection, ..NewReplay::default() }
}

async fn plan(bench: &Bench, new: &NewReplay) -> Replay {
    bench.desk.plan_replay(&Actor("ann".into()), new).await.expect("planned")
}

async fn discard(bench: &Bench, letters: &[LetterId]) {
    let selection = Selection::of_ids(letters.to_vec());
    let done = bench.desk.discard(&Actor("ann".into()), &selection, "test data").await;
    assert_eq!(usize::try_from(done.expect("discarded").changed), Ok(letters.len()));
}

/// What is told of a plan of all letters, of which the last is discarded.
fn assert_told(planned: &Replay) {
    assert_eq!(planned.state, ReplayState::Running);
    assert_eq!((planned.total, planned.outcomes.pending), (5_599, 5_599));
    assert_eq!(reasons(planned), BTreeMap::from([("is discarded", 1)]));
    let places: Vec<_> = planned.destinations.iter().map(|one| one.letters).collect();
    assert_eq!((places, planned.replayed_before), (vec![5_599], Some(0)));
}

/// Changes letters of a plan that are not claimed yet, and sees that the others are replayed.
async fn replays_what_is_still_as_it_was(
    bench: &Bench,
    vhost: &Vhost,
    planned: Replay,
    letters: &[LetterId],
) {
    assert_told(&planned);
    let id = planned.id.expect("an id");
    let late = bench.letters(1).await;
    discard(bench, &[letters[600], letters[601], letters[5_550]]).await;
    came_back(bench, letters[5_560]).await;
    let second = bench.plan_with(&letters[700..702], |_| ()).await;

    let engine = bench.engine().await;
    let over = bench.finished(id).await;
    let mut left_out = reasons(&over);
    assert_eq!(left_out.remove("is discarded"), Some(4));
    assert_eq!(left_out.remove("it came back before the replay claimed it: plan it anew"), Some(1));
    // The second replay has them, or is through with them.
    assert_eq!(left_out.into_values().sum::<i64>(), 2);
    assert_eq!((over.total, over.outcomes.confirmed, over.outcomes.pending), (5_593, 5_593, 0));
    assert_eq!(bench.finished(second).await.outcomes.confirmed, 2);
    assert_eq!(vhost.depth("work").await, 5_595);
    assert_eq!(in_state(bench, LetterState::Replayed).await, 5_595);
    for letter in [late[0], letters[5_560]] {
        assert_eq!(bench.state(letter).await, LetterState::Held);
    }
    engine.stop().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_large_plan_takes_what_is_still_as_it_was_and_tells_of_the_rest(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(MANY).await;
    discard(&bench, &letters[5_599..]).await;
    let planned = plan(&bench, &all()).await;
    assert_eq!(in_state(&bench, LetterState::Claimed).await, 500);
    replays_what_is_still_as_it_was(&bench, &vhost, planned, &letters).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_large_plan_that_was_shown_takes_what_is_still_as_it_was(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(MANY).await;
    discard(&bench, &letters[5_599..]).await;
    let shown = plan(&bench, &NewReplay { dry_run: true, ..all() }).await;
    let planned = plan(&bench, &NewReplay { plan: shown.plan, ..all() }).await;
    replays_what_is_still_as_it_was(&bench, &vhost, planned, &letters).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_large_plan_that_is_cancelled_claims_nothing_more(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    bench.letters(MANY).await;
    let id = bench.replay_all_home().await;
    bench.tell(id, Control::Cancel, false).await;
    let engine = bench.engine().await;
    bench.given_back(id).await;
    let over = bench.replay(id).await;
    assert_eq!(over.state, ReplayState::Cancelled);
    let cancelled = "the replay was cancelled before it claimed this letter";
    assert_eq!(reasons(&over), BTreeMap::from([(cancelled, 5_100)]));
    assert_eq!((over.total, over.outcomes.pending, over.outcomes.refused), (500, 0, 500));
    assert_eq!(in_state(&bench, LetterState::Held).await, 5_600);
    assert_eq!(vhost.depth("work").await, 0);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_large_plan_that_is_paused_claims_its_letters_and_waits(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    bench.letters(MANY).await;
    let id = bench.replay_all_home().await;
    bench.tell(id, Control::Pause, false).await;
    let engine = bench.engine().await;
    until("all are claimed", || async { in_state(&bench, LetterState::Claimed).await == 5_600 })
        .await;
    assert_eq!(vhost.depth("work").await, 0);
    bench.tell(id, Control::Resume, false).await;
    let over = bench.finished(id).await;
    assert_eq!((over.outcomes.confirmed, over.left_out.len()), (5_600, 0));
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_keeps_an_order_is_claimed_before_the_answer(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    bench.letters(MANY).await;
    let all = Selection { filter: Some("state:held".into()), ..Selection::default() };
    let id = bench.plan_with(&[], |new| {
        new.selection = all;
        new.in_order = true;
    });
    let id = id.await;
    assert_eq!(in_state(&bench, LetterState::Claimed).await, 5_600);
    assert_eq!(bench.replay(id).await.total, 5_600);
}
