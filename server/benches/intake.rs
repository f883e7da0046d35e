//! P1, P2 and the memory of P11: how fast a whole office takes letters, as a share of a floor in the same run.
//!
//! The floor is the least that any consumer must do: take, COPY into one table without an index,
//! commit, acknowledge. Rounds of floor and intake alternate; each drains real dead letters (expired in a queue, so
//! that they carry a death history) from a durable queue, as many as it takes in a time, and is timed once it runs; how
//! long it takes to begin is told apart. Intake is the program itself with everything on. What Postgres did meanwhile
//! is printed. Then letters come at an even pace, and it is watched how far the text index is behind.
//! Settings: `DLO_BENCH_SIZES` (all: bytes, with spaces between), `DLO_BENCH_ROUNDS` (1), `DLO_BENCH_SECONDS` (20),
//! `DLO_BENCH_PACE` (letters a second that come at an even pace; 2,000).

#[path = "intake/drain.rs"]
mod drain;
#[path = "intake/floor.rs"]
mod floor;
#[path = "goals/table.rs"]
mod goals;
#[path = "intake/letters.rs"]
mod letters;
#[path = "intake/memory.rs"]
mod memory;
#[path = "intake/pace.rs"]
mod pace;
#[path = "intake/progress.rs"]
mod progress;
#[path = "intake/waits.rs"]
mod waits;
#[path = "intake/whole_office.rs"]
mod whole_office;

use std::error::Error;
use std::time::Duration;

use goals::Table;
use letters::Bench;
use pace::Paced;
use progress::Progress;
use waits::Waits;

/// Bodies of one size, and what is wanted of them.
struct Size {
    bytes: usize,
    /// Letters that warm the servers up, and tell how many a round needs.
    few: usize,
    goal: &'static str,
    /// Stored ÷ floor, at least.
    ratio: f64,
    /// Letters a second that the nearest peer published, and how many times as fast we are to be.
    peer: Option<(f64, f64)>,
    /// Letters a second that come at an even pace, which are to be searchable within [`MOST_BEHIND`].
    pace: Option<usize>,
}

const SIZES: [Size; 3] = [
    Size { bytes: 1024, few: 20_000, goal: "P1", ratio: 0.55, peer: None, pace: Some(2_000) },
    Size {
        bytes: 13 * 1024,
        few: 6_000,
        goal: "P2",
        ratio: 0.85,
        peer: Some((140.0, 20.0)),
        pace: None,
    },
    Size {
        bytes: 66 * 1024,
        few: 1_500,
        goal: "P2",
        ratio: 0.75,
        peer: Some((80.0, 10.0)),
        pace: None,
    },
];

/// The most memory that a whole office may have at full intake, in MiB.
const MOST_MIB: f64 = 150.0;

/// The most seconds that a letter may be stored and not searchable.
const MOST_BEHIND: f64 = 10.0;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = setting("DLO_BENCH_ROUNDS", 1);
    let lasts = Duration::from_secs(setting("DLO_BENCH_SECONDS", 20));
    let wanted = variable("DLO_BENCH_SIZES").unwrap_or_default();
    let wanted: Vec<usize> = wanted.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    if let Some(other) = wanted.iter().find(|bytes| SIZES.iter().all(|size| size.bytes != **bytes))
    {
        return Err(format!("no size has {other} bytes: they are 1024, 13312 and 67584").into());
    }
    let bench = Bench::prepare().await?;
    let mut table = Table::default();
    for size in SIZES.iter().filter(|size| wanted.is_empty() || wanted.contains(&size.bytes)) {
        measure(&bench, size, rounds, lasts, &mut table).await?;
    }
    bench.finish().await?;
    table.print();
    Ok(())
}

/// Rounds of one size.
async fn measure(
    bench: &Bench,
    size: &Size,
    rounds: usize,
    lasts: Duration,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    println!("{} B, letters a second", size.bytes);
    bench.fill(size.bytes, size.few).await?;
    let count = enough(&floor::drain(bench, size.few).await?, lasts);
    bench.fill(size.bytes, size.few).await?;
    let ours = enough(&drain::drain(bench, size.few, async |_| Ok(())).await?.stored, lasts);
    let (mut ratios, mut indexed, mut peak) = (Vec::new(), Vec::new(), 0);
    for _ in 0..rounds {
        bench.fill(size.bytes, count).await?;
        let floor = floor::drain(bench, count).await?;
        println!("  floor {:.0}, {count} letters", floor.rate());
        bench.fill(size.bytes, ours).await?;
        let mut waits = Waits::default();
        let drained = drain::drain(bench, ours, async |pool| waits.look(pool).await).await?;
        println!(
            "  stored {:.0}, {ours} letters, the first after {:.0} ms; searchable {:.0}; peak {} MiB; {} B a letter on the disk",
            drained.stored.rate(),
            drained.stored.start_up().as_secs_f64() * 1_000.0,
            drained.indexed,
            drained.peak_mib,
            drained.bytes_a_letter,
        );
        waits.print();
        ratios.push(drained.stored.rate() / floor.rate());
        indexed.push(drained.indexed);
        peak = peak.max(drained.peak_mib);
    }
    let what = format!("stored ÷ floor, {} B", size.bytes);
    table.add(size.goal, &what, median(&mut ratios), size.ratio..);
    if let Some((rate, times)) = size.peer {
        let what = format!("searchable, times the nearest peer's {rate}/s, {} B", size.bytes);
        table.add(size.goal, &what, median(&mut indexed) / rate, times..);
    }
    if let Some(pace) = size.pace {
        let pace = setting("DLO_BENCH_PACE", pace);
        let Paced { a_second, behind } = pace::run(bench, size.bytes, pace, lasts).await?;
        let what = format!("seconds until searchable at {a_second:.0}/s, {} B", size.bytes);
        table.add(size.goal, &what, behind, ..=MOST_BEHIND);
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let peak = peak as f64;
    let what = format!("memory of a whole office at full intake, MiB, {} B", size.bytes);
    table.add("P11", &what, peak, ..=MOST_MIB);
    Ok(())
}

/// Letters that keep a drain at work for such a time, and the warm-up before.
fn enough(drained: &Progress, lasts: Duration) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of letters"
    )]
    let count = (drained.rate() * (lasts + progress::WARM_UP).as_secs_f64()) as usize;
    count.max(1)
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
