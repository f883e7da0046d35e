//! P1, P2 and the memory of P11: how fast a whole office takes letters, as a share of a floor in the same run.
//!
//! The floor is the least that any consumer must do: take, COPY into one table without an index,
//! commit, acknowledge. Rounds of floor and intake alternate; each drains the same number of
//! real dead letters (expired in a queue, so that they carry a death history) from a durable
//! queue. Intake is the program itself with everything on, and is timed until the text index has caught up.
//! Settings: `DLO_BENCH_ROUNDS` (5), `DLO_BENCH_SHARE` (1.0, a share of the usual counts).

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
#[path = "intake/whole_office.rs"]
mod whole_office;

use std::error::Error;

use goals::Table;
use letters::Bench;

/// Bodies of one size, and what is wanted of them.
struct Size {
    bytes: usize,
    /// Letters in a round.
    letters: usize,
    goal: &'static str,
    /// Intake ÷ floor, at least.
    ratio: f64,
    /// Letters a second that the nearest peer published, and how many times as fast we are to be.
    peer: Option<(f64, f64)>,
}

const SIZES: [Size; 3] = [
    Size { bytes: 1024, letters: 30_000, goal: "P1", ratio: 0.55, peer: None },
    Size { bytes: 13 * 1024, letters: 6_000, goal: "P2", ratio: 0.85, peer: Some((140.0, 20.0)) },
    Size { bytes: 66 * 1024, letters: 1_500, goal: "P2", ratio: 0.75, peer: Some((80.0, 10.0)) },
];

/// The most memory that a whole office may have at full intake, in MiB.
const MOST_MIB: f64 = 150.0;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = setting("DLO_BENCH_ROUNDS", 5);
    let share: f64 = setting("DLO_BENCH_SHARE", 1.0);
    let bench = Bench::prepare().await?;
    let mut table = Table::default();
    let mut peak = 0;
    println!("letters a second: median (least–most)");
    for size in &SIZES {
        peak = peak.max(measure(&bench, size, rounds, share, &mut table).await?);
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let peak = peak as f64;
    let what = "memory of a whole office at full intake, MiB";
    table.add("P11", what, peak, ..=MOST_MIB);
    bench.finish().await?;
    table.print();
    Ok(())
}

/// Rounds of one size; the most memory that an office had, in MiB.
async fn measure(
    bench: &Bench,
    size: &Size,
    rounds: usize,
    share: f64,
    table: &mut Table,
) -> Result<u64, Box<dyn Error>> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a count of letters scaled by a share"
    )]
    let count = (size.letters as f64 * share).max(100.0) as usize;
    let (mut floors, mut stored, mut indexed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ratios, mut peak) = (Vec::new(), 0);
    // The first round warms the servers up and is not counted.
    for round in 0..=rounds {
        bench.fill(size.bytes, count).await?;
        let floor = floor::drain(bench, count).await?;
        bench.fill(size.bytes, count).await?;
        let drained = drain::drain(bench, count).await?;
        peak = peak.max(drained.peak_mib);
        if round > 0 {
            floors.push(floor);
            stored.push(drained.stored);
            indexed.push(drained.indexed);
            ratios.push(drained.indexed / floor);
        }
    }
    let ratio = median(&mut ratios);
    println!(
        "{:>6} B, {count} letters: floor {}, stored {}, searchable {}; ratio {ratio:.2} ({:.2}–{:.2}), peak {peak} MiB",
        size.bytes,
        spread(&mut floors),
        spread(&mut stored),
        spread(&mut indexed),
        ratios[0],
        ratios[ratios.len() - 1],
    );
    let what = format!("intake ÷ floor, {} B", size.bytes);
    table.add(size.goal, &what, ratio, size.ratio..);
    if let Some((rate, times)) = size.peer {
        let what = format!("times the nearest peer's {rate}/s, {} B", size.bytes);
        let ours = median(&mut indexed) / rate;
        table.add(size.goal, &what, ours, times..);
    }
    Ok(peak)
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

fn spread(values: &mut [f64]) -> String {
    let middle = median(values);
    format!("{middle:>7.0} ({:>6.0}–{:>6.0})", values[0], values[values.len() - 1])
}
