//! The disk of Postgres is full (goal R11): nothing is acknowledged that is not committed, it is said soon,
//! and intake goes on by itself when there is room again.

use std::time::{Duration, Instant};

use dlo_domain::source::SourceMode;
use dlo_sandbox::{Sandbox, SandboxOptions};
use dlo_server::store;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::harness::goal::GoalRow;
use crate::harness::ledger::Ledger;
use crate::harness::process::Premises;
use crate::harness::served::ServedOffice;
use crate::harness::sized;
use crate::harness::small_disk::SmallDisk;
use crate::support::broker::Vhost;
use crate::support::office::watch;

/// How soon it is said.
const SAID_WITHIN: Duration = Duration::from_secs(10);

/// A segment of Postgres's log, in MiB: where no other one fits on the disk, nothing can be committed.
const LOG_SEGMENT_MIB: u64 = 16;

/// The size of a body: some thousands of them fill the disk.
const BODY_BYTES: usize = 16 * 1024;

async fn database_on(disk: &SmallDisk) -> (Sandbox, String, PgPool) {
    let options = SandboxOptions {
        data_dir: Some(disk.path().join("data")),
        rabbitmq: false,
        ..SandboxOptions::default()
    };
    let sandbox = Sandbox::start_own(options).await.expect("a database");
    let server = sandbox.postgres().expect("a database");
    let url = server.create_database("intake").await.expect("created");
    let pool = PgPoolOptions::new()
        .max_connections(3)
        .acquire_timeout(Duration::from_secs(2))
        .connect_lazy(&url)
        .expect("an address");
    store::migrate(&pool).await.expect("migrated");
    (sandbox, url, pool)
}

fn bodies(count: usize) -> Vec<String> {
    // Postgres compresses what repeats; these do not.
    let noise = |number: usize| {
        let seed = u64::try_from(number).expect("fits");
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            format!("{state:016x}")
        };
        (0..BODY_BYTES / 16).map(|_| next()).collect::<String>()
    };
    (0..count)
        .map(|number| format!("{{\"number\": {number}, \"noise\": \"{}\"}}", noise(number)))
        .collect()
}

#[tokio::test]
async fn a_full_disk_loses_nothing_and_is_said() {
    let disk = SmallDisk::mount(900);
    let (sandbox, url, pool) = database_on(&disk).await;
    let server = sandbox.postgres().expect("a database");
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let premises = Premises::new(url.clone(), &vhost.brokers);
    let office = ServedOffice::open(&url, &vhost.brokers, &[]).await;
    let room = sized(48, 96);
    let ballast = disk.fill_up_to(room);
    // More than there is room for: each is written to its table and to the log.
    let bodies = bodies(usize::try_from(room).expect("fits") * 1024 * 1024 / BODY_BYTES);
    let ledger =
        Ledger { pool: &pool, vhost: &vhost, queue: "dead", premises: &premises, bodies: &bodies };
    vhost.publish_all("dead", &bodies).await;
    ledger
        .until("the disk is full", 120, || async { disk.free_mebibytes() < LOG_SEGMENT_MIB })
        .await;
    let full = Instant::now();
    let said = loop {
        let (status, told) = office.readiness().await;
        let has_trouble = told["sources"].as_array().is_some_and(|all| !all.is_empty());
        if status == 503 || has_trouble {
            break Some(full.elapsed());
        }
        if full.elapsed() > 3 * SAID_WITHIN {
            break None;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    ballast.remove();
    // A Postgres that could not write its log has ended; whoever looks after it starts it again.
    let _ = server.start_again().await;
    let began = Instant::now();
    let wanted = i64::try_from(bodies.len()).expect("fits");
    ledger
        .until("intake goes on and stores everything", 180, || async {
            ledger.letters().await >= wanted
        })
        .await;
    let took = began.elapsed();
    ledger.until_settled(60).await;
    office.close().await;
    let audit = ledger.audit().await;
    println!("R11: said after {said:?}, all stored {took:?} after there was room");
    let is_said = said.is_some_and(|said| said <= SAID_WITHIN);
    GoalRow {
        goal: "R11",
        case: "the disk of Postgres is full".to_owned(),
        tried: format!("{} messages of 16 KiB into {room} MiB", bodies.len()),
        broker: vhost.version().await,
        lost: Some(audit.lost),
        doubled: Some(audit.doubled),
        recovered: Some(took),
        is_met: audit.lost == 0 && audit.doubled == 0 && is_said,
    }
    .report();
    ledger.assert_exact().await;
    assert!(is_said, "it was not said within 10 s: {said:?}");
    pool.close().await;
    vhost.delete().await;
    sandbox.stop().await.expect("stopped");
    drop(disk);
}
