//! Alerts: what fires, when, and when it is over, by a clock that the tests set.

mod channels;
mod digests;
mod groups;
mod http;
mod life;
mod own_rules;
mod routes;
mod thresholds;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::{Alert, AlertState, BuiltIn};
use dlo_server::alerts::Evaluator;
use dlo_server::clock::{Clock as _, ManualClock};
use dlo_server::store::alerts::{list, rules};
use sqlx::PgPool;

/// An office that evaluates alert rules and does nothing else.
struct Office {
    pool: PgPool,
    clock: Arc<ManualClock>,
    evaluator: Evaluator,
}

fn noon() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().expect("a time")
}

/// Queues without a consumer are found after a quarter of an hour.
const IDLE_AFTER: Duration = Duration::from_mins(15);

impl Office {
    async fn open(pool: &PgPool) -> Self {
        let clock = Arc::new(ManualClock::at(noon()));
        let mut conn = pool.acquire().await.expect("a connection");
        rules::add_missing(&mut conn, &*clock, noon()).await.expect("added");
        let evaluator = Evaluator::new(pool.clone(), clock.clone(), IDLE_AFTER);
        Self { pool: pool.clone(), clock, evaluator }
    }

    /// Lets so many seconds pass, and looks as often as an office would, but for speed.
    async fn pass(&self, seconds: i64) {
        for _ in 0..seconds / 10 {
            self.clock.advance(TimeDelta::seconds(10));
            self.evaluator.look().await.expect("looked");
        }
    }

    async fn run(&self, sql: &'static str) {
        sqlx::raw_sql(sql).execute(&self.pool).await.expect("run");
    }

    async fn open_alerts(&self) -> Vec<Alert> {
        let mut conn = self.pool.acquire().await.expect("a connection");
        list::open(&mut conn, 500, self.now()).await.expect("listed")
    }

    /// Names of what fires: the rule, and the thing.
    async fn firing(&self) -> Vec<(BuiltIn, String)> {
        let open = self.open_alerts().await.into_iter();
        let firing = open.filter(|alert| alert.state != AlertState::Pending);
        firing.map(|alert| (alert.built_in.expect("built in"), alert.subject.name)).collect()
    }

    async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.pool).await.expect("counted")
    }

    fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }
}
