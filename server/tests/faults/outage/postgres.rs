//! kill -9 of Postgres, and its end without a checkpoint.

use std::time::Duration;

use dlo_domain::source::SourceMode;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::{PATIENCE, RESUMES_WITHIN};
use crate::harness::frozen::own_database;
use crate::harness::ledger::{Ledger, mixed_bodies};
use crate::harness::process::Premises;
use crate::harness::reckoning::{Reckoning, progress};
use crate::harness::setting;
use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::office::watch;
use crate::support::until_within;

#[tokio::test]
async fn a_database_killed_in_intake_loses_and_doubles_nothing() {
    let mut random = StdRng::seed_from_u64(23);
    let bodies = mixed_bodies(setting("DLO_CRASH_MESSAGES", 6_000), &mut random);
    let (sandbox, url, pool) = own_database(PATIENCE).await;
    let server = sandbox.postgres().expect("a database");
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let premises = Premises::new(url, &vhost.brokers);
    let office = premises.open();
    let ledger =
        Ledger { pool: &pool, vhost: &vhost, queue: "dead", premises: &premises, bodies: &bodies };
    let kills = setting("DLO_DATABASE_KILLS", 4);
    for (round, part) in bodies.chunks(bodies.len().div_ceil(kills)).enumerate() {
        let before = ledger.letters().await;
        vhost.publish_all("dead", part).await;
        ledger.until("intake is at work", 30, || async { ledger.letters().await > before }).await;
        tokio::time::sleep(Duration::from_millis(random.random_range(0..80))).await;
        if round % 2 == 0 {
            server.kill().await.expect("killed");
        } else {
            server.stop_immediately().await.expect("stopped");
        }
        ledger
            .until("the messages are given back", 15, || async {
                vhost.consumers("dead").await == 0
            })
            .await;
        server.start_again().await.expect("started");
        ledger
            .until("intake resumes", RESUMES_WITHIN, || async {
                vhost.consumers("dead").await == 1
            })
            .await;
    }
    ledger.until_settled(60).await;
    office.stop().await;
    ledger.assert_exact().await;
    pool.close().await;
    vhost.delete().await;
    sandbox.stop().await.expect("stopped");
}

/// A crash empties the notes of how far a replay is, while its office lives and knows it.
#[tokio::test]
async fn a_database_killed_in_a_replay_has_nothing_published_twice() {
    let (sandbox, url, pool) = own_database(PATIENCE).await;
    let server = sandbox.postgres().expect("a database");
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let letters = i64::try_from(bench.letters(4_000).await.len()).expect("few");
    let replay = bench.replay_all_home().await;
    let office = Premises::new(url, &vhost.brokers).open_with(&[("DLO_INTAKE", "off")]);
    let kills = 4;
    for kill in 1..=kills {
        let enough = kill * letters / (kills + 1);
        until_within("many are out", Duration::from_mins(1), || async {
            letters - progress(&pool, replay).await.1 >= enough
        })
        .await;
        server.kill().await.expect("killed");
        server.start_again().await.expect("started");
    }
    let done = bench.finished(replay).await.outcomes;
    office.stop().await;
    println!("{kills} kills of Postgres in a replay of {letters} letters: {done:?}");
    assert_eq!((done.pending, done.confirmed + done.unknown), (0, letters), "{done:?}");
    let reckoning = Reckoning::of(&pool, replay, &vhost, "work").await;
    reckoning.assert_true();
    assert_eq!((reckoning.duplicates(), reckoning.lost()), (0, 0));
    pool.close().await;
    vhost.delete().await;
    sandbox.stop().await.expect("stopped");
}
