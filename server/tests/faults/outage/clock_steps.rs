//! The real clock of an office is set an hour ahead and back (goal R12): no worker is called dead for it,
//! and no retry comes early or in a storm. The clock is libfaketime's, which the office is started with.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dlo_app::desk::PolicyDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::policy::{NewPolicy, Schedule};
use dlo_server::access::Role;
use lapin::BasicProperties;
use lapin::types::AMQPValue;
use serde_json::Value;
use sqlx::PgPool;

use crate::harness::goal::GoalRow;
use crate::harness::served::ServedOffice;
use crate::harness::sized;
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::desk::Bench;
use crate::support::office::letters;
use crate::support::token::token;
use crate::support::until_within;

/// Where distributions put libfaketime.
const LIBRARIES: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
    "/usr/lib64/faketime/libfaketimeMT.so.1",
];

/// Letters that a policy retries, one a second.
const LETTERS: usize = 40;

/// The budget of that policy, in retries a minute.
const RETRIES_PER_MINUTE: u32 = 60;

const WORKERS: [&str; 3] = ["clock-1", "clock-2", "clock-3"];

fn faketime() -> &'static str {
    let found = LIBRARIES.iter().find(|path| Path::new(path).exists());
    found.expect("libfaketime is installed: run `scripts/setup test`")
}

/// The clock of an office, set through a file.
struct Clock {
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Clock {
    fn real() -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        let file = folder.path().join("offset");
        std::fs::write(&file, "+0").expect("written");
        Self { file, _folder: folder }
    }

    /// Sets it by so many seconds from the real time.
    fn set(&self, seconds: i64) {
        std::fs::write(&self.file, format!("{seconds:+}")).expect("written");
    }
}

fn policy(name: &str, queue: &str, delay_seconds: u32) -> NewPolicy {
    NewPolicy {
        name: name.to_owned(),
        filter: format!("queue:{queue}"),
        schedule: Schedule { delays_seconds: vec![delay_seconds], jitter_percent: 0 },
        retries_per_minute: RETRIES_PER_MINUTE,
        breaker: None,
        enabled: true,
        ..NewPolicy::default()
    }
}

/// Letters of a queue that a replay has taken.
async fn taken(pool: &PgPool, queue: &str) -> usize {
    let count: i64 = sqlx::query_scalar(
        "select count(*) from letters where queue = $1 and state not in ('held', 'scheduled')",
    )
    .bind(queue)
    .fetch_one(pool)
    .await
    .expect("counted");
    usize::try_from(count).expect("few")
}

/// Beats for every worker; says which of them are stale.
async fn beat(office: &ServedOffice, bearer: &str, client: &reqwest::Client) -> Vec<String> {
    let api = format!("{}/api/v1/workers", office.address);
    for worker in WORKERS {
        let beat = client.post(format!("{api}/{worker}/heartbeat"));
        let answer = beat.bearer_auth(bearer).send().await.expect("an answer");
        assert!(answer.status().is_success(), "{}", answer.status());
    }
    let listed = client.get(&api).bearer_auth(bearer).send().await;
    let listed: Value = listed.expect("an answer").json().await.expect("JSON");
    let all = listed["items"].as_array().expect("a list").iter();
    all.filter(|worker| worker["condition"] == "stale")
        .map(|worker| worker["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_office_whose_clock_is_set_by_an_hour_calls_no_worker_dead_and_retries_nothing_early(
    pool: PgPool,
) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    let dlx = AMQPValue::LongString("dlx".into());
    for queue in ["soon", "later"] {
        vhost.queue(queue, &[("x-dead-letter-exchange", dlx.clone())]).await;
    }
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let actor = Actor("tester".to_owned());
    for policy in [policy("soon", "soon", 1), policy("later", "later", 3_600)] {
        bench.desk.add_policy(&actor, &policy).await.expect("added");
    }
    let clock = Clock::real();
    let file = clock.file.display().to_string();
    let variables = [
        ("LD_PRELOAD", faketime()),
        ("FAKETIME_TIMESTAMP_FILE", &*file),
        ("FAKETIME_NO_CACHE", "1"),
        // Time that passes is real; only the date is set, as by `date -s` or a bad time server.
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    let office = ServedOffice::open(&database_url(&pool), &vhost.brokers, &variables).await;
    let bearer = token(&pool, "clock", Role::Operator).await;
    let client = reqwest::Client::new();
    let expired = BasicProperties::default().with_expiration("1".into());
    for _ in 0..LETTERS {
        for queue in ["soon", "later"] {
            vhost.publish(queue, expired.clone(), b"{}").await;
        }
    }
    until_within("all are stored", Duration::from_secs(30), || async {
        letters(&pool).await == i64::try_from(2 * LETTERS).expect("few")
    })
    .await;

    let began = Instant::now();
    let stay = sized(Duration::from_secs(4), Duration::from_secs(40));
    let mut stale = Vec::new();
    for offset in [3_600, -3_600, 3_600, 0] {
        clock.set(offset);
        let set = Instant::now();
        while set.elapsed() < stay {
            stale.extend(beat(&office, bearer.reveal(), &client).await);
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }
    let seconds = began.elapsed().as_secs();
    let (soon, later) = (taken(&pool, "soon").await, taken(&pool, "later").await);
    let allowance = usize::try_from(seconds + seconds / 2).expect("few") + 15;
    let is_calm = soon <= allowance && later == 0;
    println!("R12: {soon} retries in {seconds} s ({allowance} allowed), {later} early ones");
    GoalRow {
        goal: "R12",
        case: "the clock of an office set by ±1 h".to_owned(),
        tried: format!("4 steps, {} workers, {} letters", WORKERS.len(), 2 * LETTERS),
        broker: vhost.version().await,
        lost: None,
        doubled: None,
        recovered: None,
        is_met: stale.is_empty() && is_calm && soon > 0,
    }
    .report();
    assert!(stale.is_empty(), "called dead: {stale:?}");
    assert_eq!(later, 0, "retried an hour early");
    assert!(soon <= allowance, "{soon} retries in {seconds} s");
    assert!(soon > 0, "nothing is retried while the clock is wrong");
    office.close().await;
    vhost.delete().await;
}
