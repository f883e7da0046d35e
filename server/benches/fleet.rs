//! Workers and executions at scale: what a page costs that shows them, and what the monitors take for a
//! look, with 10,000 workers and a million executions.
//!
//! Pages come over HTTP from the server that an office runs. The clock is the bench's own, so that
//! minutes of silence take no minutes. Settings: `DLO_BENCH_WORKERS` (10,000), `DLO_BENCH_EXECUTIONS`
//! (1,000,000), `DLO_BENCH_ROUNDS` (100 of each page).

#[path = "fleet/pages.rs"]
mod pages;
#[path = "fleet/stage.rs"]
mod stage;
#[path = "list/table.rs"]
#[expect(dead_code, reason = "two benchmarks share this file")]
mod table;
#[path = "fleet/ticks.rs"]
mod ticks;

use std::error::Error;

use stage::Stage;

/// What a benchmark gives.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let workers: usize = setting("DLO_BENCH_WORKERS", 10_000);
    let executions: i64 = setting("DLO_BENCH_EXECUTIONS", 1_000_000);
    let rounds: usize = setting("DLO_BENCH_ROUNDS", 100);
    let stage = Stage::prepare(workers, executions).await?;
    ticks::measure_quiet(&stage, rounds).await?;
    pages::measure(&stage, "while all is well", rounds).await?;
    ticks::measure_outage(&stage).await?;
    pages::measure(&stage, "with a tenth of them silent", rounds).await?;
    stage.end().await
}

/// A variable of the environment, as the person at hand sets it.
#[expect(clippy::disallowed_methods, reason = "a benchmark has no configuration but this")]
fn setting<T: std::str::FromStr>(name: &str, usual: T) -> T {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}
