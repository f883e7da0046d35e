//! P1 and P2 of the goals: how fast intake is, as a share of a floor in the same run.
//!
//! The floor is the least that any consumer must do: take, COPY into one table without an index,
//! commit, acknowledge. Rounds of floor and intake alternate; each drains the same number of
//! real dead letters (expired in a queue, so that they carry a death history) from a durable
//! queue. Settings: `DLO_BENCH_ROUNDS` (5), `DLO_BENCH_SHARE` (1.0, a share of the usual counts).

#[path = "intake/drain.rs"]
mod drain;
#[path = "intake/floor.rs"]
mod floor;
#[path = "intake/letters.rs"]
mod letters;
#[path = "intake/memory.rs"]
mod memory;

use std::error::Error;

use letters::Bench;

/// Body size in bytes, letters in a round, the goal, and what the nearest peer published.
const SIZES: [(usize, usize, f64, Option<f64>); 3] = [
    (1024, 30_000, 0.60, None),
    (13 * 1024, 6_000, 0.85, Some(140.0)),
    (66 * 1024, 1_500, 0.65, Some(80.0)),
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = setting("DLO_BENCH_ROUNDS", 5);
    let share: f64 = setting("DLO_BENCH_SHARE", 1.0);
    let bench = Bench::prepare().await?;
    println!(
        "size      letters   floor/s (range)          intake/s (range)         intake/floor  goal"
    );
    for (size, usual, goal, peer) in SIZES {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a count of letters scaled by a share"
        )]
        let count = (usual as f64 * share).max(100.0) as usize;
        let (mut floors, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let mut peak = 0;
        // The first round warms the servers up and is not counted.
        for round in 0..=rounds {
            bench.fill(size, count).await?;
            let floor = floor::drain(&bench, count).await?;
            bench.fill(size, count).await?;
            memory::forget_peak()?;
            let intake = drain::drain(&bench, count).await?;
            peak = peak.max(memory::peak_mib()?);
            if round > 0 {
                floors.push(floor);
                ours.push(intake);
                ratios.push(intake / floor);
            }
        }
        let peer = peer.map_or(String::new(), |rate| {
            format!(
                "  ({:.0} times the nearest peer's {rate}/s)",
                median(&mut ours.clone()) / rate
            )
        });
        println!(
            "{size:>6} B  {count:>7}   {}   {}   {:.2} ({:.2}–{:.2})  {goal:.2}{peer}; \
             at most {peak} MiB resident (goal 150), with what fills the queue",
            spread(&mut floors),
            spread(&mut ours),
            median(&mut ratios),
            ratios[0],
            ratios[ratios.len() - 1],
        );
    }
    bench.finish().await?;
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

fn spread(values: &mut [f64]) -> String {
    let middle = median(values);
    format!(
        "{middle:>7.0} ({:>6.0}–{:>6.0})",
        values[0],
        values[values.len() - 1]
    )
}
