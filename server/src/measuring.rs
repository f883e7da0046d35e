//! Measures what is there, for `/metrics`. What an office does is counted where it does it; what is in the database
//! is read here every ten seconds, and is the same at every office.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::TimeDelta;
use dlo_domain::alert::AlertState;
use dlo_domain::severity::Severity;
use dlo_domain::source::SourceCondition;
use dlo_domain::state::LetterState;
use dlo_domain::worker::WorkerState;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::duty::{Duty, Next};
use crate::store::alerts::figures;
use crate::store::measures::{self, Count};
use crate::store::{Pools, StoreError, shared_time};

/// How often it is measured.
pub const MEASURE_EVERY: Duration = Duration::from_secs(10);

/// Sources that have a series of their own, those with the most that waits first.
const MOST_SOURCES: usize = 200;

/// Scheduled for longer than this, an execution is counted as stuck.
const STUCK_AFTER: TimeDelta = TimeDelta::minutes(5);

/// Measures.
#[derive(Debug)]
pub struct Measuring {
    pools: Pools,
    clock: SharedClock,
    /// Sources that have a series.
    told: BTreeSet<String>,
}

impl Measuring {
    /// One that looks with the services' connections.
    #[must_use]
    pub fn new(pools: Pools, clock: SharedClock) -> Self {
        Self { pools, clock, told: BTreeSet::new() }
    }

    fn measure_pools(&self) {
        let Pools { pages, intake, replay, services, .. } = &self.pools;
        let pools =
            [("pages", pages), ("intake", intake), ("replay", replay), ("services", services)];
        for (name, pool) in pools {
            let (size, idle) = (pool.size(), u32::try_from(pool.num_idle()).unwrap_or(u32::MAX));
            let of = |state: &'static str, count: u32| {
                metrics::gauge!("dlo_pool_connections", "pool" => name, "state" => state)
                    .set(f64::from(count));
            };
            of("idle", idle);
            of("used", size.saturating_sub(idle));
        }
    }

    async fn measure_database(&mut self, pool: &PgPool) -> Result<(), StoreError> {
        let mut conn = pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let states = LetterState::ALL.map(LetterState::as_str);
        by_severity("dlo_letters", &states, &measures::letters(&mut conn).await?);
        let states = AlertState::ALL.map(AlertState::as_str);
        by_severity("dlo_alerts", &states[..3], &measures::alerts(&mut conn).await?);
        let [active, draining, stopped] =
            [WorkerState::Active, WorkerState::Draining, WorkerState::Stopped]
                .map(WorkerState::as_str);
        let workers = measures::workers(&mut conn).await?;
        by_word("dlo_workers", &[active, draining, stopped, "silent"], &workers);
        let conditions = SourceCondition::ALL.map(SourceCondition::as_str);
        by_word("dlo_sources", &conditions, &measures::sources(&mut conn).await?);
        let sum = |figures: Vec<figures::Figure>| {
            figures.iter().filter_map(|one| one.figure).sum::<i64>()
        };
        let exhausted = sum(figures::retries_exhausted(&mut conn).await?);
        metrics::gauge!("dlo_letters_exhausted").set(float(exhausted));
        let stuck = sum(figures::stuck_executions(&mut conn, now - STUCK_AFTER).await?);
        metrics::gauge!("dlo_executions_stuck").set(float(stuck));
        let downtime = measures::downtime_of_a_day(&mut conn, now).await?;
        metrics::gauge!("dlo_worker_downtime_seconds_of_a_day").set(downtime);
        let waiting = measures::notifications_waiting(&mut conn).await?;
        metrics::gauge!("dlo_notifications_waiting").set(float(waiting));
        self.measure_depths(figures::depths(&mut conn, now).await?);
        metrics::gauge!("dlo_measured_at_seconds").set(float(now.timestamp()));
        Ok(())
    }

    /// Of each source what waits, in its queue and here. One that has nothing any more is told with nothing.
    fn measure_depths(&mut self, mut depths: Vec<figures::Figure>) {
        depths.sort_by_key(|one| std::cmp::Reverse(one.figure));
        depths.truncate(MOST_SOURCES);
        let mut told = BTreeSet::new();
        let tell = |source: String, depth: i64| {
            metrics::gauge!("dlo_source_depth", "source" => source).set(float(depth));
        };
        for depth in depths {
            tell(depth.subject.name.clone(), depth.figure.unwrap_or_default());
            told.insert(depth.subject.name);
        }
        for gone in self.told.difference(&told) {
            tell(gone.clone(), 0);
        }
        self.told = told;
    }
}

impl Duty for Measuring {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        self.measure_pools();
        let pool = self.pools.services.clone();
        self.measure_database(&pool).await?;
        Ok(Next::Usual)
    }
}

/// A series for each word and severity: one that there is none of is told, too.
fn by_severity(name: &'static str, words: &[&'static str], counts: &[Count]) {
    for word in words {
        for severity in Severity::ALL {
            let found =
                counts.iter().find(|one| one.word == *word && one.severity == severity.as_str());
            metrics::gauge!(name, "state" => *word, "severity" => severity.as_str())
                .set(float(found.map_or(0, |one| one.count)));
        }
    }
}

fn by_word(name: &'static str, words: &[&'static str], counts: &[Count]) {
    for word in words {
        let found = counts.iter().find(|one| one.word == *word);
        metrics::gauge!(name, "state" => *word).set(float(found.map_or(0, |one| one.count)));
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody has 2^53 letters")]
fn float(count: i64) -> f64 {
    count as f64
}
