//! P11 of the goals: how fast tries are made whose time has come, as a share of a floor in the same run,
//! and how much of that is lost while a transaction stays open for minutes.
//!
//! The floor is the least that any scheduler over Postgres must do: take what is due in batches with SKIP
//! LOCKED, mark it, commit. The scheduler is the product's, with all that a try is: the budget, the
//! replay that is frozen, its letters claimed, the audit trail. Rounds of both alternate; each has letters of its
//! own, which are added before and not counted. No replay engine runs: a replay is over at once. Settings:
//! `DLO_BENCH_ROUNDS` (5), `DLO_BENCH_LETTERS` (50000), `DLO_BENCH_OPEN_SECONDS` (180).

#[path = "retries/floor.rs"]
mod floor;
#[path = "retries/scheduler.rs"]
mod scheduler;

use std::time::{Duration, Instant};

use dlo_server::store;
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What is made in one transaction, by both.
const AT_ONCE: i64 = 5_000;

#[tokio::main]
async fn main() -> Outcome<()> {
    let rounds: usize = setting("DLO_BENCH_ROUNDS", 5);
    let letters: i64 = setting("DLO_BENCH_LETTERS", 50_000);
    let open = Duration::from_secs(setting("DLO_BENCH_OPEN_SECONDS", 180));
    let database = Database::make().await?;
    let pool = &database.pool;
    floor::prepare(pool).await?;
    let mut scheduler = scheduler::Prepared::make(pool, letters).await?;
    // The first round warms the server up and is not counted.
    both(pool, &mut scheduler).await?;

    let mut before = Rates::default();
    for _ in 0..rounds {
        before.add(both(pool, &mut scheduler).await?);
    }
    println!("                     floor/s   scheduler/s   scheduler/floor  goal");
    before.print("alone");

    let mut held = pool.begin().await?;
    sqlx::raw_sql("set transaction isolation level repeatable read").execute(&mut *held).await?;
    sqlx::raw_sql("select count(*) from retries").execute(&mut *held).await?;
    let since = Instant::now();
    let mut beside = Rates::default();
    while since.elapsed() < open || beside.floors.len() < rounds {
        beside.add(both(pool, &mut scheduler).await?);
    }
    let last = beside.last(rounds);
    last.print(&format!("open for {} s", since.elapsed().as_secs()));
    held.rollback().await?;
    println!(
        "lost beside the open transaction: floor {:.0} %, scheduler {:.0} %  (goal: at most 15 %)",
        lost(&before.floors, &last.floors),
        lost(&before.schedulers, &last.schedulers)
    );
    database.drop().await
}

/// One round of each, in tries a second.
async fn both(pool: &PgPool, scheduler: &mut scheduler::Prepared) -> Outcome<(f64, f64)> {
    let floor = floor::round(pool, scheduler.letters()).await?;
    Ok((floor, scheduler.round(pool).await?))
}

#[derive(Default)]
struct Rates {
    floors: Vec<f64>,
    schedulers: Vec<f64>,
}

impl Rates {
    fn add(&mut self, (floor, scheduler): (f64, f64)) {
        self.floors.push(floor);
        self.schedulers.push(scheduler);
    }

    fn last(&self, rounds: usize) -> Self {
        let last = |rates: &[f64]| rates[rates.len().saturating_sub(rounds)..].to_vec();
        Self { floors: last(&self.floors), schedulers: last(&self.schedulers) }
    }

    fn print(&self, when: &str) {
        let (floor, scheduler) = (median(&self.floors), median(&self.schedulers));
        println!("{when:<18} {floor:>9.0}   {scheduler:>11.0}   {:>15.2}  0.50", scheduler / floor);
    }
}

fn lost(before: &[f64], after: &[f64]) -> f64 {
    (1.0 - median(after) / median(before)) * 100.0
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A database of its own, which goes with the benchmark.
struct Database {
    pool: PgPool,
    admin: PgPool,
    name: String,
}

impl Database {
    async fn make() -> Outcome<Self> {
        let server = variable("DATABASE_URL").ok_or("run this through scripts/bench-retries")?;
        let admin = PgPool::connect(&server).await?;
        let name = format!("bench_{}", Uuid::new_v4().simple());
        sqlx::raw_sql(AssertSqlSafe(format!("create database {name}"))).execute(&admin).await?;
        let (base, _) = server.rsplit_once('/').ok_or("an address with a path")?;
        let pool = store::connect(&format!("{base}/{name}"), 4)?;
        store::migrate(&pool).await?;
        Ok(Self { pool, admin, name })
    }

    async fn drop(self) -> Outcome<()> {
        self.pool.close().await;
        sqlx::raw_sql(AssertSqlSafe(format!("drop database {}", self.name)))
            .execute(&self.admin)
            .await?;
        Ok(())
    }
}

/// A variable of the environment, as `scripts/with-sandbox` and the person at hand set them.
#[expect(clippy::disallowed_methods, reason = "a benchmark has no configuration but this")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn setting<T: std::str::FromStr>(name: &str, usual: T) -> T {
    variable(name).and_then(|value| value.parse().ok()).unwrap_or(usual)
}
