//! Postgres is stopped hard for a while, again and again (goal R2): nothing is lost, the pages say so, memory
//! does not grow, and intake goes on soon after. 5 times 60 s in full, once 3 s in short.

use std::time::{Duration, Instant};

use dlo_domain::source::SourceMode;
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use super::PATIENCE;
use crate::harness::frozen::own_database;
use crate::harness::goal::GoalRow;
use crate::harness::ledger::{Ledger, mixed_bodies};
use crate::harness::process::Premises;
use crate::harness::served::ServedOffice;
use crate::harness::sized;
use crate::support::broker::Vhost;
use crate::support::office::watch;

/// How soon a page says that the database is away.
const SAID_WITHIN: Duration = Duration::from_secs(2);

/// By how much the memory of an office may grow meanwhile, in KiB.
const MOST_GROWTH_KIB: u64 = 64 * 1024;

/// What pages and `/readyz` say of it.
const WORDS: &str = "database";

#[tokio::test]
async fn a_database_that_is_away_is_said_and_waited_for() {
    let (outages, away) = sized((1, Duration::from_secs(3)), (5, Duration::from_mins(1)));
    let mut random = StdRng::seed_from_u64(37);
    let bodies = mixed_bodies(outages * sized(1_000, 4_000), &mut random);
    let (sandbox, url, pool) = own_database(PATIENCE).await;
    let server = sandbox.postgres().expect("a database");
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let premises = Premises::new(url.clone(), &vhost.brokers);
    let office = ServedOffice::open(&url, &vhost.brokers, &[]).await;
    let ledger =
        Ledger { pool: &pool, vhost: &vhost, queue: "dead", premises: &premises, bodies: &bodies };
    // What the pages need is loaded before memory is measured.
    office.page("/").await;
    let (mut said, mut resumed, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    for part in bodies.chunks(bodies.len().div_ceil(outages)) {
        let (first, second) = part.split_at(part.len() / 2);
        let before = ledger.letters().await;
        vhost.publish_all("dead", first).await;
        ledger.until("intake is at work", 30, || async { ledger.letters().await > before }).await;
        memory.push(office.memory_kib());
        server.stop_immediately().await.expect("stopped");
        let stopped = Instant::now();
        said.push(office.page_says("/", WORDS, 5 * SAID_WITHIN).await);
        // What dies meanwhile waits at the broker.
        vhost.publish_all("dead", second).await;
        tokio::time::sleep(away.saturating_sub(stopped.elapsed())).await;
        memory.push(office.memory_kib());
        let stored = i64::try_from(bodies.len()).expect("fits");
        server.start_again().await.expect("started");
        let began = Instant::now();
        let known = ledger.letters().await.max(before);
        ledger
            .until("intake resumes", super::RESUMES_WITHIN, || async {
                ledger.letters().await > known || ledger.letters().await >= stored
            })
            .await;
        resumed.push(began.elapsed());
    }
    ledger.until_settled(120).await;
    let growth = growth_kib(&memory);
    office.close().await;
    let audit = ledger.audit().await;
    let slowest = resumed.iter().max().copied().unwrap_or_default();
    let said_late = said.iter().filter(|said| said.is_none_or(|it| it > SAID_WITHIN));
    let said_late = said_late.count();
    println!("R2: said after {said:?}, resumed after {resumed:?}, grew by {growth} KiB");
    GoalRow {
        goal: "R2",
        case: format!("Postgres stopped hard for {} s", away.as_secs()),
        tried: format!("{} messages, {outages} outages", bodies.len()),
        broker: vhost.version().await,
        lost: Some(audit.lost),
        doubled: Some(audit.doubled),
        recovered: Some(slowest),
        is_met: audit.lost == 0
            && audit.doubled == 0
            && said_late == 0
            && growth <= MOST_GROWTH_KIB
            && slowest <= super::GOAL_RESUMES_WITHIN,
    }
    .report();
    ledger.assert_exact().await;
    assert_eq!(said_late, 0, "the page did not say it within 2 s: {said:?}");
    assert!(growth <= MOST_GROWTH_KIB, "grew by {growth} KiB: {memory:?}");
    assert!(slowest <= super::resumes_within(), "{resumed:?}");
    pool.close().await;
    vhost.delete().await;
    sandbox.stop().await.expect("stopped");
}

/// By how much the memory grew during any outage.
fn growth_kib(memory: &[u64]) -> u64 {
    let pairs = memory.chunks_exact(2);
    pairs.map(|pair| pair[1].saturating_sub(pair[0])).max().unwrap_or_default()
}
