//! The product's scheduler, with letters whose tries are due.

use std::sync::Arc;
use std::time::Instant;

use dlo_domain::ids::PolicyId;
use dlo_domain::policy::NewPolicy;
use dlo_server::clock::{SharedClock, SystemClock, new_id};
use dlo_server::config::ReplayConfig;
use dlo_server::retrying::Scheduler;
use dlo_server::store::policies;
use sqlx::PgPool;

use crate::Outcome;

/// So many that the budget does not hold anything up, which is the largest there is.
const BUDGET: u32 = 1_000_000;

/// A policy, and who carries it out.
pub struct Prepared {
    policy: PolicyId,
    /// Letters of a round.
    letters: i64,
    scheduler: Scheduler,
}

impl Prepared {
    /// Makes the policy and its source. A round has so many letters.
    pub async fn make(pool: &PgPool, letters: i64) -> Outcome<Self> {
        let clock: SharedClock = Arc::new(SystemClock);
        let policy = PolicyId(new_id(&*clock));
        let new = NewPolicy {
            name: "bench".to_owned(),
            retries_per_minute: BUDGET,
            breaker: None,
            ..NewPolicy::default()
        };
        let mut conn = pool.acquire().await?;
        policies::insert(&mut conn, policy, &new, "bench", clock.now()).await?;
        sqlx::raw_sql(
            "insert into sources (id, broker, vhost, queue, name, mode, configured,
                 condition_since, created_at, origins)
             values ('00000000-0000-0000-0000-000000000001', 'main', '/', 'dead', 'bench', 'take',
                 false, now(), now(), '[\"*\"]')",
        )
        .execute(&mut *conn)
        .await?;
        let scheduler =
            Scheduler::new(pool.clone(), Arc::new(SystemClock), ReplayConfig::default(), true);
        Ok(Self { policy, letters, scheduler })
    }

    /// Letters of a round.
    pub fn letters(&self) -> i64 {
        self.letters
    }

    /// Makes a try of every letter of a new round; how many a second.
    pub async fn round(&mut self, pool: &PgPool) -> Outcome<f64> {
        self.add_due(pool).await?;
        let before = claimed(pool).await?;
        let began = Instant::now();
        self.scheduler.pass().await?;
        let seconds = began.elapsed().as_secs_f64();
        let tried = claimed(pool).await? - before;
        if tried != self.letters {
            return Err(format!("{tried} of {} letters were tried", self.letters).into());
        }
        #[expect(clippy::cast_precision_loss, reason = "a count of letters")]
        Ok(tried as f64 / seconds)
    }

    /// Ends the replays of the round before, and adds letters that wait for a try, which is due.
    async fn add_due(&self, pool: &PgPool) -> Outcome<()> {
        sqlx::raw_sql(
            "update replay_items set outcome = 'confirmed' where outcome = 'pending';
             update replays set state = 'finished', finished_at = now(), confirmed = total, pending = 0
             where finished_at is null;",
        )
        .execute(pool)
        .await?;
        sqlx::query(
            "with added as (
                 insert into letters (id, source_id, state, severity, queue, exchange, routing_key,
                     reason, size_bytes, arrivals, first_arrived_at, last_arrived_at)
                 select floor.new_id(), '00000000-0000-0000-0000-000000000001', 'scheduled',
                     'normal', 'work', '', 'work', 'rejected', 1, 1, now(), now()
                 from generate_series(1, $2)
                 returning id)
             insert into retries
                 (letter_id, ordinal, course, number, policy_id, state, planned_at, due_at)
             select id, 1, 1, 1, $1, 'waiting', now(), now() from added",
        )
        .bind(self.policy.0)
        .bind(self.letters)
        .execute(pool)
        .await?;
        sqlx::query("update retry_policies set budget_millionths = $1, budget_at = now()")
            .bind(i64::from(BUDGET / 12) * 1_000_000)
            .execute(pool)
            .await?;
        Ok(())
    }
}

async fn claimed(pool: &PgPool) -> Outcome<i64> {
    let claimed = sqlx::query_scalar("select count(*) from letters where state = 'claimed'");
    Ok(claimed.fetch_one(pool).await?)
}
