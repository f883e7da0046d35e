//! P5, P6 and P7 of the goals: pages of letters, the page of groups and searches for texts at
//! millions of letters, each as a share of a floor in the same run, while letters come in.
//!
//! Settings: `DLO_BENCH_LETTERS` (10,000,000), `DLO_BENCH_DATA` (a directory that keeps the
//! letters for the next run; without it they go at the end), `DLO_BENCH_WITHOUT_BODIES` (1 for
//! half of the disk: what these goals do not read is left out), `DLO_BENCH_SERVER` (the address of
//! a Postgres to use instead of a private one), `DLO_BENCH_ROUNDS` (400 pages of each filter).

#[path = "list/groups.rs"]
mod groups;
#[path = "list/pages.rs"]
mod pages;
#[path = "list/stage.rs"]
mod stage;
#[path = "list/table.rs"]
mod table;
#[path = "list/texts.rs"]
mod texts;
#[path = "list/writer.rs"]
mod writer;

use std::error::Error;

use stage::Stage;

/// What a benchmark gives.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// The size that the letters are compared with.
const FEW: i64 = 100_000;

#[tokio::main]
async fn main() -> Outcome<()> {
    let letters: i64 = setting("DLO_BENCH_LETTERS", 10_000_000);
    let rounds: usize = setting("DLO_BENCH_ROUNDS", 400);
    let stage = Stage::prepare().await?;
    let few = stage.letters(FEW).await?;
    let many = stage.letters(letters).await?;
    stage::print_sizes(&many).await?;
    let full = writer::full_speed(&many).await?;
    let writer = writer::Writer::start(&many, full / 2.0);
    println!("\nIntake runs at half of the {full:.0} letters/s that its inserts reach here.");
    pages::measure(&many, &few, rounds).await?;
    groups::measure(&many, rounds, "while letters come in").await?;
    texts::measure(&many, rounds).await?;
    writer.stop().await?;
    // The goal says nothing of intake here.
    let page = groups::measure(&many, rounds, "without intake").await?;
    groups::print_live(&many, page).await?;
    groups::recount(&many).await?;
    few.close().await;
    many.close().await;
    stage.end().await
}

/// A variable of the environment, as the person at hand sets it.
#[expect(clippy::disallowed_methods, reason = "a benchmark has no configuration but this")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn setting<T: std::str::FromStr>(name: &str, usual: T) -> T {
    variable(name).and_then(|value| value.parse().ok()).unwrap_or(usual)
}
