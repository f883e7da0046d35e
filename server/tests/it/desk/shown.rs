//! The token of a dry run: a replay that is made with it is made of the plan that was shown, or not at all.

use chrono::TimeDelta;
use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::changing::{Edit, Transform};
use dlo_domain::replay::{Canary, Makers, NOT_AS_SHOWN, NewReplay, Replay, Target};
use dlo_domain::selection::Selection;
use dlo_server::clock::{Clock as _, SystemClock};
use sqlx::PgPool;

use crate::support::desk::Bench;

async fn asked(bench: &Bench, new: &NewReplay) -> Result<Replay, DeskError> {
    bench.desk.plan_replay(&Actor("jonas".into()), new).await
}

async fn made(bench: &Bench) -> Vec<Replay> {
    let made = bench.desk.replays(Makers::All, None, 10).await;
    made.expect("a page").items
}

/// A dry run of a replay, and the replay with the token of its plan.
async fn shown(bench: &Bench, new: NewReplay) -> (Replay, NewReplay) {
    let dry = NewReplay { dry_run: true, ..new.clone() };
    let dry = asked(bench, &dry).await.expect("tried");
    let plan = dry.plan.clone();
    assert!(plan.is_some());
    (dry, NewReplay { plan, ..new })
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_plan_is_made_as_it_was_shown(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letters = bench.letters(3).await;
    let new = NewReplay {
        selection: Selection::of_ids(letters),
        canary: Some(Canary::default()),
        rate_per_second: Some(5),
        transform: Some(Transform { jq: ". + {a: 1}".into() }),
        in_order: true,
        ..NewReplay::default()
    };
    let (dry, new) = shown(&bench, new).await;
    let real = asked(&bench, &new).await.expect("planned");
    assert_eq!((real.total, real.plan), (dry.total, None));
    assert_eq!(real.left_out, dry.left_out);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_plan_of_which_any_member_differs_is_refused_and_leaves_nothing_behind(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letters = bench.letters(1).await;
    let (_, usual) = shown(
        &bench,
        NewReplay { selection: Selection::of_ids(letters.clone()), ..NewReplay::default() },
    )
    .await;
    let usual = || usual.clone();
    let everything = Selection { all: true, ..Selection::default() };
    let target = Target::Queue { queue: "other".into() };
    let transform = Transform { jq: ".".into() };
    let edit = Edit { body: "MQ==".into(), content_type: None };
    let start_at = Some(SystemClock.now() + TimeDelta::hours(1));
    for new in [
        NewReplay { selection: everything, ..usual() },
        NewReplay { target, ..usual() },
        NewReplay { canary: Some(Canary::default()), ..usual() },
        NewReplay { rate_per_second: Some(1), ..usual() },
        NewReplay { in_order: true, ..usual() },
        NewReplay { keep_expiration: true, ..usual() },
        NewReplay { ignore_loop_cap: true, ..usual() },
        NewReplay { needs_approval: true, ..usual() },
        NewReplay { transform: Some(transform), ..usual() },
        NewReplay { edit: Some(edit), ..usual() },
        NewReplay { start_at, ..usual() },
    ] {
        let refused = asked(&bench, &new).await;
        let Err(DeskError::Conflict(why)) = refused else {
            panic!("{new:?}: {refused:?}");
        };
        assert!(why.contains("Nothing was published"), "{why}");
        assert_eq!(made(&bench).await, []);
    }
    assert!(bench.audit(letters[0]).await.is_empty());
    asked(&bench, &usual()).await.expect("as it was shown");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_worker_that_moved_to_another_queue_is_another_plan(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letters = bench.letters(1).await;
    let target = Target::Worker { worker: "7".into() };
    let new = NewReplay { selection: Selection::of_ids(letters), target, ..NewReplay::default() };
    let (_, new) = shown(&bench, new).await;
    sqlx::query(
        "insert into workers (name, kind, is_autoscaled, state, state_since, first_seen_at,
             last_heartbeat_at, way, heard_ms, interval_ms, queue)
         values ('7', '7', false, 'active', now(), now(), now(), 'http', 0, 1000, 'worker.elsewhere.executions')",
    )
    .execute(&pool)
    .await
    .expect("a worker");
    let Err(DeskError::Conflict(why)) = asked(&bench, &new).await else {
        panic!("another queue was not shown");
    };
    assert_eq!(why, NOT_AS_SHOWN);
}
