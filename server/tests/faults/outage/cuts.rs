//! Connections that are cut at the worst moments: between a COMMIT and its answer, before and after an
//! acknowledgement. In full 1,000 cuts.

use std::time::{Duration, Instant};

use dlo_domain::source::SourceMode;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sqlx::PgPool;

use crate::harness::cutter::{Cutter, Protocol, Side};
use crate::harness::goal::GoalRow;
use crate::harness::ledger::{Ledger, mixed_bodies};
use crate::harness::process::Premises;
use crate::harness::proxy::through;
use crate::harness::{setting, sized};
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::office::watch;

/// The longest that intake may take until the next moment, in seconds: pauses of its sessions included.
const NEXT_MOMENT_WITHIN: u64 = 60;

/// Messages that are published at once.
const PART: usize = 100;

fn address_of(url: &str) -> (String, u16) {
    let url: reqwest::Url = url.parse().expect("an address");
    let host = url.host_str().expect("a host").to_owned();
    (host, url.port().expect("a port"))
}

/// The same database on another port.
fn on_port(url: &str, port: u16) -> String {
    let mut url: reqwest::Url = url.parse().expect("an address");
    url.set_port(Some(port)).expect("it has a host");
    url.to_string()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn connections_cut_at_a_commit_or_an_acknowledgement_lose_nothing(pool: PgPool) {
    let seed = u64::try_from(setting("DLO_CRASH_SEED", 31)).expect("fits");
    let mut random = StdRng::seed_from_u64(seed);
    let cuts = setting("DLO_CUTS", sized(20, 1_000));
    // More than one part a cut: what is stored at once makes few moments.
    let bodies = mixed_bodies(cuts * 2 * PART, &mut random);
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let database = database_url(&pool);
    let broker = vhost.brokers.get("main").expect("a broker").amqp.clone();
    let to_postgres = Cutter::start(Protocol::Postgres, address_of(&database)).await;
    let to_broker = Cutter::start(Protocol::Amqp, address_of(&broker)).await;
    let premises = Premises::new(
        on_port(&database, to_postgres.port()),
        &through(&vhost.brokers, to_broker.port()),
    );
    let office = premises.open();
    let ledger =
        Ledger { pool: &pool, vhost: &vhost, queue: "dead", premises: &premises, bodies: &bodies };
    let began = Instant::now();
    let made = || to_postgres.cuts() + to_broker.cuts();
    let wanted = u64::try_from(cuts).expect("fits");
    let mut is_armed = false;
    for part in bodies.chunks(PART) {
        let before = made();
        if !is_armed && before < wanted {
            let cutter = if before % 2 == 0 { &to_postgres } else { &to_broker };
            let side = if random.random_bool(0.5) { Side::Before } else { Side::After };
            cutter.cut(side, random.random_range(0..3));
        }
        vhost.publish_all("dead", part).await;
        ledger
            .until("the connection is cut, or all is stored", NEXT_MOMENT_WITHIN, || async {
                made() > before || vhost.depth("dead").await == 0
            })
            .await;
        is_armed = made() == before;
    }
    to_postgres.rest();
    to_broker.rest();
    ledger.until_settled(120).await;
    office.stop().await;
    let account = ledger.audit().await;
    GoalRow {
        goal: "R1",
        case: "connections cut at commits and acknowledgements".to_owned(),
        tried: format!("{} messages, {} cuts", bodies.len(), made()),
        broker: vhost.version().await,
        lost: Some(account.lost),
        doubled: Some(account.doubled),
        recovered: Some(began.elapsed()),
        is_met: account.lost == 0 && account.doubled == 0,
    }
    .report();
    ledger.assert_exact().await;
    assert_eq!(made(), wanted, "each cut was made");
    assert!(to_postgres.cuts() > 0 && to_broker.cuts() > 0, "both were cut");
    assert_eq!(vhost.depth("dead").await, 0, "nothing was given back");
    tokio::time::timeout(Duration::from_secs(10), vhost.delete()).await.expect("deleted");
}
