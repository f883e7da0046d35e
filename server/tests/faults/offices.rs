//! Several offices at one queue: when one is killed, the others receive what it had, and each
//! message is stored once; also when several are killed at once.
//!
//! `DLO_CRASH_MESSAGES` and `DLO_CRASH_KILLS` lengthen these tests too.

use std::time::Duration;

use dlo_domain::source::SourceMode;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sqlx::PgPool;

use crate::harness::ledger::{Ledger, mixed_bodies};
use crate::harness::process::{Premises, Serve};
use crate::harness::setting;
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::office::watch;

/// Kills one of two offices at work, again and again; a new one comes for it.
async fn kill_one_of_two(pool: &PgPool, vhost: &Vhost, bodies: &[String], random: &mut StdRng) {
    watch(pool, &vhost.name, "dead", SourceMode::Take).await;
    let premises = Premises::new(database_url(pool), &vhost.brokers);
    let ledger = Ledger { pool, vhost, queue: "dead", premises: &premises, bodies };
    let kills = setting("DLO_CRASH_KILLS", 5);
    let mut offices: Vec<Serve> = vec![premises.open(), premises.open()];
    let parts = bodies.chunks(bodies.len().div_ceil(kills + 1));
    for (round, part) in parts.enumerate() {
        ledger
            .until("both offices consume", 30, || async { vhost.consumers("dead").await == 2 })
            .await;
        let before = ledger.letters().await;
        vhost.publish_all("dead", part).await;
        if round == kills {
            break;
        }
        ledger
            .until("the offices are at work", 30, || async { ledger.letters().await > before })
            .await;
        tokio::time::sleep(Duration::from_millis(random.random_range(0..60))).await;
        offices.remove(random.random_range(0..2)).kill().await;
        // Sometimes the other one is left alone for a while, sometimes a third one joins at once.
        tokio::time::sleep(Duration::from_millis(random.random_range(0..900))).await;
        offices.push(premises.open());
    }
    ledger.until_settled(90).await;
    for office in offices {
        office.stop().await;
    }
    ledger.assert_exact().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_other_office_takes_what_a_killed_one_had(pool: PgPool) {
    let seed = u64::try_from(setting("DLO_CRASH_SEED", 3)).expect("fits");
    let mut random = StdRng::seed_from_u64(seed);
    let bodies = mixed_bodies(setting("DLO_CRASH_MESSAGES", 6_000), &mut random);
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    kill_one_of_two(&pool, &vhost, &bodies, &mut random).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_other_office_takes_what_a_killed_one_had_of_a_quorum_queue(pool: PgPool) {
    let mut random = StdRng::seed_from_u64(5);
    let bodies = mixed_bodies(setting("DLO_CRASH_MESSAGES", 6_000), &mut random);
    let vhost = Vhost::create().await;
    vhost.quorum_queue("dead").await;
    kill_one_of_two(&pool, &vhost, &bodies, &mut random).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn two_offices_count_copies_right_when_one_is_killed(pool: PgPool) {
    let mut random = StdRng::seed_from_u64(13);
    let bodies = vec!["the same".to_owned(); setting("DLO_CRASH_MESSAGES", 3_000)];
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    kill_one_of_two(&pool, &vhost, &bodies, &mut random).await;
    vhost.delete().await;
}

/// Kills both offices, one shortly after the other, again and again.
async fn kill_both(pool: &PgPool, vhost: &Vhost, bodies: &[String], random: &mut StdRng) {
    watch(pool, &vhost.name, "dead", SourceMode::Take).await;
    let premises = Premises::new(database_url(pool), &vhost.brokers);
    let ledger = Ledger { pool, vhost, queue: "dead", premises: &premises, bodies };
    let kills = setting("DLO_CRASH_KILLS", 4);
    for part in bodies.chunks(bodies.len().div_ceil(kills)) {
        let offices = [premises.open(), premises.open()];
        ledger
            .until("both offices consume", 30, || async { vhost.consumers("dead").await == 2 })
            .await;
        let before = ledger.letters().await;
        vhost.publish_all("dead", part).await;
        ledger
            .until("the offices are at work", 30, || async { ledger.letters().await > before })
            .await;
        for office in offices {
            tokio::time::sleep(Duration::from_millis(random.random_range(0..60))).await;
            office.kill().await;
        }
    }
    let office = premises.open();
    ledger.until_settled(90).await;
    office.stop().await;
    ledger.assert_exact().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn two_offices_killed_at_once_lose_no_copy(pool: PgPool) {
    let mut random = StdRng::seed_from_u64(29);
    let bodies = mixed_bodies(setting("DLO_CRASH_MESSAGES", 4_000), &mut random);
    let vhost = Vhost::create().await;
    vhost.quorum_queue("dead").await;
    kill_both(&pool, &vhost, &bodies, &mut random).await;
    vhost.delete().await;
}
