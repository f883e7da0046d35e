//! P10 of the goals: how much longer a page takes than the API's answer to the same question; and how long it takes
//! from a click to the first painting of the next page, in Chromium (`end2end/bench/clicks.mjs`).
//!
//! A whole office, made up letters, requests for page and API in turn. Settings: `DLO_BENCH_LETTERS` (100,000),
//! `DLO_BENCH_ROUNDS` (200 requests of each), `DLO_BENCH_CLICKS` (40 of each page).

#[path = "goals/table.rs"]
mod goals;
#[path = "intake/whole_office.rs"]
mod whole_office;

use std::collections::BTreeMap;
use std::error::Error;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use dlo_server::clock::{SharedClock, SystemClock};
use dlo_server::seeding::{self, Wanted};
use dlo_server::store;
use goals::Table;
use reqwest::Method;
use serde_json::Value;
use sqlx::{AssertSqlSafe, PgPool};
use tokio::process::Command;
use whole_office::{Servers, WholeOffice};

/// By how much a page may be slower, in ms.
const MOST_SLOWER_MS: f64 = 5.0;

/// How long a click may take, in ms.
const LONGEST_CLICK_MS: f64 = 150.0;

/// Requests that warm the office up and are not counted.
const WARM_UP: usize = 20;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let letters: i64 = setting("DLO_BENCH_LETTERS", 100_000);
    let rounds: usize = setting("DLO_BENCH_ROUNDS", 200);
    let clicks: u32 = setting("DLO_BENCH_CLICKS", 40);
    dlo_server::tls::install_provider();
    let server = variable("DATABASE_URL")?;
    let admin = PgPool::connect(&server).await?;
    let name = format!("pages_{}", uuid::Uuid::new_v4().simple());
    sqlx::raw_sql(AssertSqlSafe(format!("create database {name}"))).execute(&admin).await?;
    let (base, _) = server.rsplit_once('/').ok_or("an address with a path")?;
    let servers = Servers {
        database: format!("{base}/{name}"),
        amqp: variable("DLO_TEST_AMQP_URL")?,
        management: variable("DLO_TEST_MANAGEMENT_URL")?,
    };
    let pool = store::connect(&servers.database, 8)?;
    store::migrate(&pool).await?;
    println!("Making {letters} letters up …");
    let clock: SharedClock = Arc::new(SystemClock);
    let wanted = Wanted { letters, replace: true, without_bodies: false };
    seeding::seed(&pool, &clock, wanted, &|_| ()).await?;
    pool.close().await;
    let office = WholeOffice::open(&servers).await?;
    let mut table = Table::default();
    for question in questions(&office).await? {
        add_page(&office, &question, rounds, &mut table).await?;
    }
    add_clicks(&office, clicks, &mut table).await?;
    office.close().await?;
    let drop = format!("drop database {name} with (force)");
    sqlx::raw_sql(AssertSqlSafe(drop)).execute(&admin).await?;
    table.print();
    Ok(())
}

/// A page, the answer of the API to the question of its address, and the other answers that it shows as well.
struct Question {
    /// What the page is called in the table.
    name: String,
    page: String,
    api: String,
    besides: Vec<String>,
}

async fn questions(office: &WholeOffice) -> Result<Vec<Question>, Box<dyn Error>> {
    let question = |name: &str, what: &str, besides: &[String]| Question {
        name: name.to_owned(),
        page: format!("/{what}"),
        api: format!("/api/v1/{what}"),
        besides: besides.iter().map(|what| format!("/api/v1/{what}")).collect(),
    };
    let (letter, group) = (first(office, "letters").await?, first(office, "groups").await?);
    let of_letter = ["related", "body"].map(|what| format!("letters/{letter}/{what}"));
    let of_group = [
        format!("groups/{group}/breakdown"),
        format!("groups/{group}/causes"),
        format!("timeline?group={group}"),
        format!("letters?q=group%3A{group}&limit=6"),
    ];
    Ok(vec![
        question("Letters", "letters", &[]),
        question("Letters that are held", "letters?q=state%3Aheld", &[]),
        question("Groups", "groups", &[]),
        question("Replays", "replays", &[]),
        question("Letter", &format!("letters/{letter}"), &of_letter),
        question("Group", &format!("groups/{group}"), &of_group),
    ])
}

/// The id that a list begins with.
async fn first(office: &WholeOffice, list: &str) -> Result<String, Box<dyn Error>> {
    let page = office.ask(Method::GET, &format!("/api/v1/{list}?limit=1"), None).await?;
    let page: Value = serde_json::from_slice(&page)?;
    Ok(page["items"][0]["id"].as_str().ok_or("an id")?.to_owned())
}

/// By how much a page is slower than the API's answer to its question, and than all answers that it shows, asked for
/// one after the other.
async fn add_page(
    office: &WholeOffice,
    Question { name, page, api, besides }: &Question,
    rounds: usize,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let (mut of_page, mut of_api, mut of_all) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds + WARM_UP {
        let (slow, fast) = (timed(office, page).await?, timed(office, api).await?);
        let mut all = fast;
        for path in besides {
            all += timed(office, path).await?;
        }
        if round >= WARM_UP {
            of_page.push(slow);
            of_api.push(fast);
            of_all.push(all);
        }
    }
    let (page_p95, api_p95, all_p95) = (p95(&mut of_page), p95(&mut of_api), p95(&mut of_all));
    println!("  {page}: p95 {page_p95:.1} ms; {api}: p95 {api_p95:.1} ms");
    let what = format!("{name}: p95 of the page less that of the API, ms");
    table.add("P10", &what, page_p95 - api_p95, ..=MOST_SLOWER_MS);
    if !besides.is_empty() {
        println!("    with {}: p95 {all_p95:.1} ms", besides.join(", "));
        let what = format!("{name}: less that of all that it shows, ms");
        table.add("P10", &what, page_p95 - all_p95, ..=MOST_SLOWER_MS);
    }
    Ok(())
}

/// From clicks on links to the first painting of what they lead to.
async fn add_clicks(
    office: &WholeOffice,
    rounds: u32,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../end2end/bench/clicks.mjs");
    let ran = Command::new(variable("NODE")?)
        .args([script, &office.address, &rounds.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .await?;
    if !ran.status.success() {
        return Err(format!("{script} ended with {}", ran.status).into());
    }
    let times: BTreeMap<String, Vec<f64>> = serde_json::from_slice(&ran.stdout)?;
    let mut all = Vec::new();
    let mut floor = f64::NAN;
    for (page, mut times) in times {
        times.sort_by(f64::total_cmp);
        let (middle, late) = (times[times.len() / 2], p95(&mut times));
        println!("  click to {page}: median {middle:.0} ms, p95 {late:.0} ms");
        if page == "floor" {
            floor = late;
        } else {
            all.extend(times);
        }
    }
    let late = p95(&mut all);
    println!("  clicks: p95 {late:.0} ms, {:.1} times the floor", late / floor);
    table.add("", "click to first paint, p95, ms", late, ..=LONGEST_CLICK_MS);
    Ok(())
}

/// How long an answer takes, to its last byte, in ms.
async fn timed(office: &WholeOffice, path: &str) -> Result<f64, Box<dyn Error>> {
    let began = Instant::now();
    let came = office.ask(Method::GET, path, None).await?;
    if came.is_empty() {
        return Err(format!("{path}: nothing came").into());
    }
    Ok(began.elapsed().as_secs_f64() * 1_000.0)
}

fn p95(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() * 95 / 100]
}

/// A variable of the environment, as `scripts/with-sandbox` and the person at hand set them.
#[expect(clippy::disallowed_methods, reason = "a benchmark has no configuration but this")]
fn variable(name: &str) -> Result<String, std::env::VarError> {
    std::env::var(name)
}

fn setting<T: std::str::FromStr>(name: &str, usual: T) -> T {
    variable(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}
