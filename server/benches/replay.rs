//! P3 and P4 of the goals: how fast letters are replayed, planning included, as a share of the broker's own
//! shovel in the same run; and how long a click takes until the last of 40 letters is confirmed.
//!
//! Rounds of shovel and replay alternate. Each moves the same number of real dead letters of 1 KiB into
//! the same durable queue: the shovel from the dead-letter queue, acknowledging on confirm; the replay
//! from Postgres, from the HTTP request to the last outcome that is committed. What was written to make the
//! letters is on the disk before either begins. Settings: `DLO_BENCH_ROUNDS` (5), `DLO_BENCH_LETTERS` (100,000).

#[path = "intake/drain.rs"]
mod drain;
#[path = "goals/table.rs"]
mod goals;
#[path = "intake/letters.rs"]
mod letters;
#[path = "intake/memory.rs"]
mod memory;
#[path = "replay/office.rs"]
mod office;
#[path = "intake/progress.rs"]
mod progress;
#[path = "replay/shovel.rs"]
mod shovel;
#[path = "intake/whole_office.rs"]
mod whole_office;

use std::error::Error;

use goals::Table;
use letters::Bench;
use whole_office::WholeOffice;

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
    let rounds: usize = setting("DLO_BENCH_ROUNDS", 5);
    let count: usize = setting("DLO_BENCH_LETTERS", 100_000);
    let bench = Bench::prepare().await?;
    let mut table = Table::default();
    shovel::declare(&bench, TARGET).await?;
    println!("P3: {count} letters of {SIZE} B into one queue, letters a second");
    let (mut ratios, mut plannings, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        bench.fill(SIZE, count).await?;
        rest(&bench).await?;
        let shovel = shovel::run(&bench, count).await?;
        shovel::purge(&bench, TARGET).await?;
        bench.fill(SIZE, count).await?;
        let drained = drain::drain(&bench, count, async |_| Ok(())).await?;
        rest(&bench).await?;
        let office = WholeOffice::open(&bench.servers()).await?;
        let timed = office::replay_all(&bench, &office, count, TARGET).await?;
        office.close().await?;
        shovel::purge(&bench, TARGET).await?;
        #[expect(clippy::cast_precision_loss, reason = "a count of letters")]
        let replay = count as f64 / timed.whole.as_secs_f64();
        println!(
            "  round {round}: shovel {shovel:>6.0}, replay {replay:>6.0} ({:.1} s of planning in it, first letter after {} ms), \
             ratio {:.2}; taken before at {:.0}, searchable at {:.0}, by an office of {} MiB, {} B a letter",
            timed.planning.as_secs_f64(),
            timed.first.as_millis(),
            replay / shovel,
            drained.stored.rate(),
            drained.indexed,
            drained.peak_mib,
            drained.bytes_a_letter,
        );
        ratios.push(replay / shovel);
        plannings.push(timed.planning.as_secs_f64());
        firsts.push(timed.first.as_secs_f64() * 1_000.0);
    }
    let what = "replay ÷ shovel, from the click to the last outcome";
    let middle = median(&mut ratios);
    table.add("P3", what, middle, 1.0..);
    let what = format!("click to the answer, the plan of {count} is frozen, in s");
    table.add("P3", &what, median(&mut plannings), ..=1.0);
    table.add("P3", "click to the first letter in the queue, in ms", median(&mut firsts), ..=200.0);
    clicks(&bench, &mut table).await?;
    bench.finish().await?;
    table.print();
    Ok(())
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
async fn clicks(bench: &Bench, table: &mut Table) -> Result<(), Box<dyn Error>> {
    bench.fill(SIZE, CLICK * CLICKS).await?;
    drain::drain(bench, CLICK * CLICKS, async |_| Ok(())).await?;
    let office = WholeOffice::open(&bench.servers()).await?;
    let mut times = Vec::new();
    for _ in 0..CLICKS {
        let took = office::replay_some(bench, &office, CLICK, TARGET).await?;
        times.push(took.as_secs_f64() * 1_000.0);
    }
    office.close().await?;
    times.sort_by(f64::total_cmp);
    let p95 = times[times.len() * 95 / 100];
    let middle = times[times.len() / 2];
    println!(
        "P4: click to the last confirm of {CLICK} letters: p50 {middle:.0} ms, p95 {p95:.0} ms"
    );
    let what = "click to the last confirm of 40 letters, p95 in ms";
    table.add("P4", what, p95, ..=100.0);
    Ok(())
}

/// A variable of the environment, as `scripts/with-sandbox` and the person at hand set them.
#[expect(clippy::disallowed_methods, reason = "a benchmark has no configuration but this")]
fn variable(name: &str) -> Result<String, std::env::VarError> {
    std::env::var(name)
}

fn setting<T: std::str::FromStr>(name: &str, usual: T) -> T {
    variable(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

/// Sorts, and returns the middle.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
