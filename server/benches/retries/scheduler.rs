//! The product's scheduler, with letters whose tries are due again and again.

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

/// Letters of one policy.
pub struct Prepared {
    policy: PolicyId,
    letters: i64,
}

impl Prepared {
    /// Makes the policy and so many letters.
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
        sqlx::query(
            "insert into letters (id, source_id, state, severity, queue, exchange, routing_key,
                 reason, size_bytes, arrivals, first_arrived_at, last_arrived_at)
             select gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'held', 'normal',
                 'work', '', 'work', 'rejected', 1, 1, now(), now()
             from generate_series(1, $1)",
        )
        .bind(letters)
        .execute(&mut *conn)
        .await?;
        Ok(Self { policy, letters })
    }

    /// Makes a try of every letter; how many a second.
    pub async fn round(&self, pool: &PgPool) -> Outcome<f64> {
        self.make_due(pool).await?;
        let mut scheduler =
            Scheduler::new(pool.clone(), Arc::new(SystemClock), ReplayConfig::default(), true);
        let began = Instant::now();
        while self.waiting(pool).await? {
            scheduler.pass().await?;
        }
        let seconds = began.elapsed().as_secs_f64();
        let claimed: i64 =
            sqlx::query_scalar("select count(*) from letters where state = 'claimed'")
                .fetch_one(pool)
                .await?;
        if claimed != self.letters {
            return Err(format!("{claimed} of {} letters were tried", self.letters).into());
        }
        #[expect(clippy::cast_precision_loss, reason = "a count of letters")]
        Ok(claimed as f64 / seconds)
    }

    async fn waiting(&self, pool: &PgPool) -> Outcome<bool> {
        let waiting = sqlx::query_scalar(
            "select exists (select from retries where policy_id = $1 and state = 'waiting')",
        );
        Ok(waiting.bind(self.policy.0).fetch_one(pool).await?)
    }

    /// Ends the replays of the round before, and has every letter wait for its next try, which is due.
    async fn make_due(&self, pool: &PgPool) -> Outcome<()> {
        sqlx::raw_sql(
            "update replay_items set outcome = 'confirmed' where outcome = 'pending';
             update replays set state = 'finished', finished_at = now(), confirmed = total, pending = 0
             where finished_at is null;
             update letters set state = 'scheduled', replays = 0;",
        )
        .execute(pool)
        .await?;
        sqlx::query(
            "insert into retries
                 (letter_id, ordinal, course, number, policy_id, state, planned_at, due_at)
             select l.id, coalesce(last.ordinal, 0) + 1, 1, 1, $1, 'waiting', now(), now()
             from letters l
             left join lateral (
                 select max(ordinal) as ordinal from retries where letter_id = l.id) as last on true",
        )
        .bind(self.policy.0)
        .execute(pool)
        .await?;
        sqlx::query("update retry_policies set budget_millionths = $1, budget_at = now()")
            .bind(i64::from(BUDGET / 12) * 1_000_000)
            .execute(pool)
            .await?;
        Ok(())
    }
}
