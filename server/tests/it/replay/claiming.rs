//! Large plans, whose letters are claimed while the first of them are sent.

use std::collections::BTreeMap;

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{Control, Replay, ReplayState};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use sqlx::PgPool;

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

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_large_plan_takes_what_is_still_as_it_was_shown_and_tells_of_the_rest(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(MANY).await;
    let id = bench.replay_all_home().await;
    let planned = bench.replay(id).await;
    assert_eq!((planned.total, planned.outcomes.pending), (5_600, 5_600));
    assert_eq!((planned.state, reasons(&planned)), (ReplayState::Running, BTreeMap::new()));
    let late = bench.letters(1).await;
    let discarded = Selection::of_ids([&letters[..2], &letters[5_000..5_001]].concat());
    let done = bench.desk.discard(&Actor("ann".into()), &discarded, "test data").await;
    assert_eq!(done.expect("discarded").changed, 3);
    came_back(&bench, letters[5_599]).await;
    let second = bench.plan_with(&letters[10..12], |_| ()).await;

    let engine = bench.engine().await;
    let over = bench.finished(id).await;
    let mut left_out = reasons(&over);
    assert_eq!(left_out.remove("is discarded"), Some(3));
    assert_eq!(left_out.remove("it came back before the replay claimed it: plan it anew"), Some(1));
    // The second replay has them, or is through with them.
    assert_eq!(left_out.into_values().sum::<i64>(), 2);
    assert_eq!((over.total, over.outcomes.confirmed, over.outcomes.pending), (5_594, 5_594, 0));
    assert_eq!(bench.finished(second).await.outcomes.confirmed, 2);
    assert_eq!(vhost.depth("work").await, 5_596);
    assert_eq!(in_state(&bench, LetterState::Replayed).await, 5_596);
    for letter in [late[0], letters[5_599]] {
        assert_eq!(bench.state(letter).await, LetterState::Held);
    }
    engine.stop().await;
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
    assert_eq!(reasons(&over), BTreeMap::from([(cancelled, 5_600)]));
    assert_eq!((over.total, over.outcomes.pending), (0, 0));
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
