//! What an office with a wrong clock removes.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::ids::SourceId;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Upkeep;
use super::weeks::Tidying;
use crate::clock::{Clock, SystemClock};
use crate::duty::Duty as _;
use crate::fixture;
use crate::store::retention::Retention;
use crate::store::texts::IndexedParts;

/// The clock of an office that was set two months ahead.
#[derive(Debug)]
struct Ahead;

impl Clock for Ahead {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + TimeDelta::days(60)
    }
}

/// A letter that was discarded so many days ago, by the clock of Postgres.
async fn discarded(pool: &PgPool, source: SourceId, days: f64) -> Uuid {
    sqlx::query_scalar(
        "insert into letters (id, source_id, state, severity, reason, size_bytes, arrivals,
             first_arrived_at, last_arrived_at, state_since)
         values (gen_random_uuid(), $1, 'discarded', 'low', 'expired', 0, 1, now(), now(),
             now() - $2 * interval '1 day')
         returning id",
    )
    .bind(source.0)
    .bind(days)
    .fetch_one(pool)
    .await
    .expect("a letter")
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn an_office_whose_clock_is_ahead_removes_only_what_is_due(pool: PgPool) {
    let source = fixture::source(&pool).await;
    let due = discarded(&pool, source, 31.0).await;
    let fresh = discarded(&pool, source, 1.0).await;
    let days = |days: u64| Duration::from_hours(24 * days);
    let upkeep = Upkeep {
        pool: pool.clone(),
        clock: Arc::new(Ahead),
        retention: Retention { resolved: days(30), discarded: days(30), replays: days(90) },
        indexed: IndexedParts::default(),
    };
    let mut tidying = Tidying { upkeep, last_pass: None };
    tidying.step(&CancellationToken::new()).await.expect("done");
    let left: Vec<Uuid> =
        sqlx::query_scalar("select id from letters").fetch_all(&pool).await.expect("read");
    assert!(!left.contains(&due), "what is due goes");
    assert_eq!(left, [fresh]);
}
