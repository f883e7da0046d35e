//! P3 and P4 of the goals: how fast letters are replayed, as a share of the broker's own shovel in the
//! same run; and how long a click takes until the last of 40 letters is confirmed.
//!
//! Rounds of shovel and replay alternate. Each moves the same number of real dead letters of 1 KiB into
//! the same durable queue: the shovel from the dead-letter queue, acknowledging on confirm; the replay
//! from Postgres, with an outcome for each letter that is committed. What was written to make the letters
//! is on the disk before either begins. Settings: `DLO_BENCH_ROUNDS` (3),
//! `DLO_BENCH_LETTERS` (100,000), `DLO_BENCH_WINDOW` (as configured: letters on their way at once).

#[path = "intake/drain.rs"]
mod drain;
#[path = "intake/letters.rs"]
mod letters;
#[path = "replay/office.rs"]
mod office;
#[path = "replay/shovel.rs"]
mod shovel;

use std::error::Error;
use std::time::{Duration, Instant};

use letters::Bench;
use office::Office;

/// Size of a body in bytes.
const SIZE: usize = 1024;
/// Where both contestants put the letters.
const TARGET: &str = "bench.target";
/// Letters of a click.
const CLICK: usize = 40;
/// Clicks that are timed.
const CLICKS: usize = 40;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = setting("DLO_BENCH_ROUNDS", 3);
    let count: usize = setting("DLO_BENCH_LETTERS", 100_000);
    let bench = Bench::prepare().await?;
    shovel::declare(&bench, TARGET).await?;
    println!("P3: {count} letters of {SIZE} B into one queue, letters a second");
    let mut ratios = Vec::new();
    for round in 0..rounds {
        bench.fill(SIZE, count).await?;
        rest(&bench).await?;
        let shovel = shovel::run(&bench, count).await?;
        shovel::purge(&bench, TARGET).await?;
        bench.fill(SIZE, count).await?;
        drain::drain(&bench, count).await?;
        rest(&bench).await?;
        let office = Office::open(&bench).await?;
        let replay = office.replay_all(count, TARGET).await?;
        office.close().await?;
        shovel::purge(&bench, TARGET).await?;
        let ratio = replay.published / shovel;
        println!(
            "  round {round}: shovel {shovel:>6.0}, replay {:>6.0} ({:.0} s of planning before it), \
             ratio {ratio:.2}",
            replay.published, replay.planning_seconds
        );
        ratios.push(ratio);
    }
    let middle = median(&mut ratios);
    let verdict = if middle >= 1.0 { "ok" } else { "MISSED" };
    println!("  replay ÷ shovel: {middle:.2} ≥ 1.0  {verdict}");
    clicks(&bench).await?;
    bench.finish().await
}

/// Has everything that was written before brought to the disk, so that nobody is timed while the
/// machine writes down what another one did.
async fn rest(bench: &Bench) -> Result<(), Box<dyn Error>> {
    sqlx::raw_sql("checkpoint").execute(&bench.pool).await?;
    let synced = tokio::process::Command::new("sync").status().await?;
    if !synced.success() {
        return Err("sync did not end in order".into());
    }
    Ok(())
}

/// P4: from the click to the last confirm.
async fn clicks(bench: &Bench) -> Result<(), Box<dyn Error>> {
    bench.fill(SIZE, CLICK * CLICKS).await?;
    drain::drain(bench, CLICK * CLICKS).await?;
    let office = Office::open(bench).await?;
    let mut times = Vec::new();
    for _ in 0..CLICKS {
        let began = Instant::now();
        office.replay_some(CLICK, TARGET).await?;
        times.push(began.elapsed());
    }
    office.close().await?;
    times.sort_unstable();
    let p95 = times[times.len() * 95 / 100];
    let verdict = if p95 <= Duration::from_millis(500) {
        "ok"
    } else {
        "MISSED"
    };
    println!(
        "\nP4: click to the last confirm of {CLICK} letters: p50 {:.0} ms, p95 {:.0} ms ≤ 500  {verdict}",
        times[times.len() / 2].as_secs_f64() * 1_000.0,
        p95.as_secs_f64() * 1_000.0
    );
    Ok(())
}

/// A variable of the environment, as `scripts/with-sandbox` and the person at hand set them.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark has no configuration but this"
)]
fn variable(name: &str) -> Result<String, std::env::VarError> {
    std::env::var(name)
}

fn setting<T: std::str::FromStr>(name: &str, usual: T) -> T {
    variable(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(usual)
}

/// Sorts, and returns the middle.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
