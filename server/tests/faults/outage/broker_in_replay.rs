//! kill -9 of the broker while letters are replayed to it: what it confirmed it still has, and the
//! replay goes on by itself.

use std::time::{Duration, Instant};

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Outcome, ReplayState};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sqlx::PgPool;

use super::RESUMES_WITHIN;
use super::broker::{Kind, lasting_queue, own_broker};
use crate::harness::goal::GoalRow;
use crate::harness::process::Premises;
use crate::harness::reckoning::{Reckoning, progress};
use crate::harness::{setting, sized};
use crate::support::database::database_url;
use crate::support::desk::Bench;

/// Letters on their way at once: few, or as many as ship.
fn window() -> usize {
    sized(20, 50)
}

/// Waits until so many letters are confirmed.
async fn are_confirmed(pool: &PgPool, premises: &Premises, replay: ReplayId, letters: i64) {
    let began = Instant::now();
    loop {
        let (confirmed, left) = progress(pool, replay).await;
        if confirmed >= letters {
            return;
        }
        assert!(
            began.elapsed() < Duration::from_secs(RESUMES_WITHIN),
            "{confirmed} confirmed instead of {letters}, {left} left\n{}",
            premises.last_words()
        );
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

async fn kill_the_broker(pool: &PgPool, kind: Kind) {
    let mut random = StdRng::seed_from_u64(31);
    let sandbox = own_broker().await;
    let server = sandbox.rabbitmq().expect("a broker");
    let mut vhost = lasting_queue(&sandbox, "work", kind).await;
    let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
    let letters = bench.letters(sized(3_000, 160_000)).await;
    let replay = bench.replay_all_home().await;
    let premises = Premises::new(database_url(pool), &vhost.brokers);
    let at_once = window().to_string();
    let office = premises.open_with(&[("DLO_REPLAY_WINDOW", &at_once), ("DLO_INTAKE", "off")]);
    let kills = setting("DLO_BROKER_KILLS", sized(2, 20));
    let mut waits = Vec::new();
    for kill in 0..kills {
        let (before, left) = progress(pool, replay).await;
        let budget = left / i64::try_from(kills - kill + 1).expect("few");
        let wanted = before + random.random_range(1..=budget);
        are_confirmed(pool, &premises, replay, wanted).await;
        server.kill().await.expect("killed");
        let (confirmed, left) = progress(pool, replay).await;
        assert!(left > 0, "the replay ended after {kill} kills");
        server.start_again().await.expect("started");
        let began = Instant::now();
        are_confirmed(pool, &premises, replay, confirmed + 1).await;
        waits.push(began.elapsed());
    }
    bench.becomes(replay, ReplayState::Finished).await;
    office.stop().await;
    vhost.reconnect().await;
    let reckoning = Reckoning::of(pool, replay, &vhost, "work").await;
    let unknown = reckoning.letters(Outcome::Unknown).len();
    let longest = waits.iter().max().copied().unwrap_or(Duration::ZERO);
    println!(
        "R3: {} letters to a {kind:?} queue, {kills} kills of the broker: {} confirmed, \
         {unknown} unknown, {} duplicates; it went on at most {longest:?} after the broker's start",
        letters.len(),
        reckoning.letters(Outcome::Confirmed).len(),
        reckoning.duplicates(),
    );
    GoalRow {
        goal: "R3",
        case: format!("kill -9 of the broker in a replay to a {kind:?} queue").to_lowercase(),
        tried: format!("{} letters, {kills} kills", letters.len()),
        broker: vhost.version().await,
        lost: Some(reckoning.lost()),
        doubled: Some(reckoning.duplicates()),
        recovered: Some(longest),
        is_met: reckoning.lost() == 0 && reckoning.duplicates() == 0,
    }
    .report();
    reckoning.assert_true();
    assert_eq!(reckoning.duplicates(), 0, "published twice");
    assert!(unknown <= kills * window(), "{unknown}");
    drop(vhost);
    sandbox.stop().await.expect("stopped");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_killed_in_a_replay_has_all_that_it_confirmed(pool: PgPool) {
    kill_the_broker(&pool, Kind::Classic).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_killed_in_a_replay_to_a_quorum_queue_has_all_that_it_confirmed(pool: PgPool) {
    kill_the_broker(&pool, Kind::Quorum).await;
}
