//! What goes wrong while windows overlap: several on their way, some being written down, one loaded.

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Outcome, ReplayState, Target};
use dlo_server::config::ReplayConfig;
use sqlx::PgPool;
use std::time::Duration;

use super::interruptions::copies;
use crate::harness::process::Premises;
use crate::harness::proxy::at_work_behind_proxy;
use crate::harness::reckoning::{Reckoning, in_flight, progress};
use crate::harness::sized;
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::desk::{Bench, at_work};
use crate::support::until_within;

const WINDOW: i64 = 8;

/// Small windows, so that a lane is at full speed soon.
fn small_windows() -> ReplayConfig {
    ReplayConfig { window: 8, ..ReplayConfig::default() }
}

/// Every outcome is true: what is confirmed is there, nothing is there twice, and what is neither
/// confirmed nor unknown never left.
async fn all_true(bench: &Bench, vhost: &Vhost, replay: ReplayId) {
    let copies = copies(vhost, "work").await;
    assert!(copies.values().all(|count| *count == 1), "published twice");
    for item in bench.items(replay).await {
        let is_there = copies.contains_key(&item.letter_id.to_string());
        match item.outcome {
            Outcome::Confirmed => assert!(is_there, "a false success"),
            Outcome::Unknown => {}
            other => panic!("{other:?}"),
        }
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_office_that_is_killed_at_full_speed_leaves_at_most_its_window_unknown(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(450).await;
    let id = bench.plan_with(&letters, |_| {}).await;
    let mut kills = 0;
    for so_many in [40, 120, 220, 300] {
        let engine = bench.engine_with(small_windows()).await;
        until_within("some are out", Duration::from_secs(30), || async {
            let replay = bench.replay(id).await;
            replay.state == ReplayState::Finished || replay.outcomes.confirmed >= so_many
        })
        .await;
        engine.kill().await;
        kills += 1;
    }
    let last = bench.engine_with(small_windows()).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.pending, done.confirmed + done.unknown), (0, 450), "{done:?}");
    assert!(done.unknown <= kills * WINDOW, "{done:?}");
    all_true(&bench, &vhost, id).await;
    last.stop().await;
    vhost.delete().await;
}

/// As configured where nothing is, in the process as it ships: letters that are unknown after a kill.
const MOST_UNKNOWN: i64 = 50;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn each_kill_at_full_speed_leaves_fifty_letters_unknown_at_most(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters: i64 = sized(4_000, 20_000);
    bench.letters(usize::try_from(letters).expect("fits")).await;
    let replay = bench.replay_all_home().await;
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let kills = 5;
    for kill in 1..=kills {
        let office = premises.open_with(&[("DLO_INTAKE", "off")]);
        // It has long gone through its first careful windows then.
        let enough = kill * letters / (kills + 1);
        until_within("many are out", Duration::from_mins(1), || async {
            letters - progress(&pool, replay).await.1 >= enough
        })
        .await;
        office.kill().await;
        let unknown = in_flight(&pool).await;
        println!("  killed after {enough} letters: {unknown} are unknown");
        assert!(unknown <= MOST_UNKNOWN, "{unknown}");
    }
    let last = premises.open_with(&[("DLO_INTAKE", "off")]);
    let done = bench.finished(replay).await.outcomes;
    last.stop().await;
    assert_eq!((done.pending, done.confirmed + done.unknown), (0, letters), "{done:?}");
    assert!(done.unknown <= kills * MOST_UNKNOWN, "{done:?}");
    let reckoning = Reckoning::of(&pool, replay, &vhost, "work").await;
    reckoning.assert_true();
    assert_eq!(reckoning.duplicates(), 0, "published twice");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_was_noted_is_not_believed_after_a_crash_of_postgres(pool: PgPool) {
    let (vhost, proxy, bench) = at_work_behind_proxy(&pool).await;
    let letters = bench.letters(200).await;
    proxy.hold_after(12);
    let engine = bench.engine_with(small_windows()).await;
    let id = bench.plan_with(&letters, |_| {}).await;
    until_within("confirms are held back", Duration::from_secs(30), || async {
        proxy.is_holding()
    })
    .await;
    engine.kill().await;
    let pending = bench.replay(id).await.outcomes.pending;
    assert!(in_flight(&pool).await <= WINDOW);
    // What a crash does to an unlogged table.
    sqlx::query("truncate replay_progress").execute(&pool).await.expect("emptied");
    let marked = in_flight(&pool).await;
    assert!(WINDOW < marked && marked <= pending, "{marked} of {pending}");
    proxy.hold(false);
    let last = bench.engine_with(small_windows()).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.unknown, done.confirmed), (marked, 200 - marked), "{done:?}");
    all_true(&bench, &vhost, id).await;
    last.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_connection_that_breaks_at_full_speed_leaves_one_window_unknown(pool: PgPool) {
    let (vhost, proxy, bench) = at_work_behind_proxy(&pool).await;
    let letters = bench.letters(300).await;
    proxy.cut_after(12);
    let engine = bench.engine_with(small_windows()).await;
    let id = bench.plan_with(&letters, |_| {}).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!(done.confirmed + done.unknown, 300, "{done:?}");
    assert!((1..=WINDOW).contains(&done.unknown), "{done:?}");
    all_true(&bench, &vhost, id).await;
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn one_letter_that_nobody_takes_stops_no_other_at_full_speed(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let mut letters = bench.letters(150).await;
    letters.push(bench.letter("gone", b"nobody").await);
    letters.extend(bench.letters(150).await);
    let engine = bench.engine_with(small_windows()).await;
    let id = bench.plan_with(&letters, |_| {}).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.confirmed, done.unroutable, done.unknown), (300, 1, 0), "{done:?}");
    assert_eq!(vhost.depth("work").await, 300);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn many_letters_to_an_exchange_that_is_gone_stop_no_other(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(300).await;
    let gone: Vec<_> = letters.iter().skip(20).step_by(2).copied().collect();
    sqlx::query("update letters set exchange = 'gone' where id = any($1)")
        .bind(gone.iter().map(|id| id.0).collect::<Vec<_>>())
        .execute(&pool)
        .await
        .expect("set");
    let engine = bench.engine_with(small_windows()).await;
    let id = bench.plan_with(&letters, |new| new.target = Target::OriginExchange).await;
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.confirmed, done.unroutable, done.unknown), (160, 140, 0), "{done:?}");
    for item in bench.items(id).await {
        if item.outcome == Outcome::Unroutable {
            assert!(gone.contains(&item.letter_id));
            let why = item.detail.expect("a reason");
            assert_eq!(why, "the broker has no exchange `gone`");
        }
    }
    assert_eq!(vhost.depth("work").await, 160);
    engine.stop().await;
    vhost.delete().await;
}
