//! An office to test with.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_app::desk::PolicyDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, PolicyId, ReplayId, SourceId};
use dlo_domain::letter::Letter;
use dlo_domain::policy::{NewPolicy, PolicyReport, Schedule};
use dlo_domain::replay::Outcome;
use dlo_domain::state::LetterState;
use sqlx::PgPool;
use uuid::Uuid;

use crate::clock::{Clock, ManualClock, new_id};
use crate::config::ReplayConfig;
use crate::desk::PgDesk;
use crate::fixture;
use crate::retrying::Scheduler;
use crate::store::policies::inbox::{self, Asked};
use crate::store::replays::outcomes::{Recorded, Seat, record};
use crate::store::{letter_detail, rules};

/// An office with one source, whose clock stands until it is moved.
pub(super) struct Office {
    pub(super) pool: PgPool,
    pub(super) clock: Arc<ManualClock>,
    pub(super) desk: PgDesk,
    source: SourceId,
}

/// The clock of an office that is off by so much from the one that all offices share.
#[derive(Debug)]
struct OffBy(Arc<ManualClock>, TimeDelta);

impl Clock for OffBy {
    fn now(&self) -> DateTime<Utc> {
        self.0.now() + self.1
    }

    fn shared(&self) -> Option<DateTime<Utc>> {
        self.0.shared()
    }
}

/// A policy that retries what `filter` matches, without jitter.
pub(super) fn policy(name: &str, filter: &str) -> NewPolicy {
    NewPolicy {
        name: name.to_owned(),
        filter: filter.to_owned(),
        schedule: Schedule { jitter_percent: 0, ..Schedule::default() },
        ..NewPolicy::default()
    }
}

pub(super) fn anna() -> Actor {
    Actor("anna".to_owned())
}

impl Office {
    pub(super) async fn open(pool: &PgPool) -> Self {
        let clock = Arc::new(ManualClock::at(fixture::noon()));
        Self {
            desk: fixture::desk(pool, &clock),
            pool: pool.clone(),
            clock,
            source: fixture::source(pool).await,
        }
    }

    pub(super) fn scheduler(&self) -> Scheduler {
        Scheduler::new(self.pool.clone(), self.clock.clone(), ReplayConfig::default(), true)
    }

    /// That of an office that takes no part in retrying.
    pub(super) fn idle_scheduler(&self) -> Scheduler {
        Scheduler::new(self.pool.clone(), self.clock.clone(), ReplayConfig::default(), false)
    }

    /// The scheduler of an office whose own clock is off by so much.
    pub(super) fn scheduler_off_by(&self, by: TimeDelta) -> Scheduler {
        Scheduler::new(
            self.pool.clone(),
            Arc::new(OffBy(self.clock.clone(), by)),
            ReplayConfig::default(),
            true,
        )
    }

    pub(super) async fn add(&self, policy: &NewPolicy) -> PolicyId {
        let added = self.desk.add_policy(&anna(), policy).await;
        added.expect("added").id
    }

    /// Believes messages that they died in these queues, and no others.
    pub(super) async fn believe(&self, queues: &str) {
        sqlx::query("update sources set origins = jsonb_build_array($1::text)")
            .bind(queues)
            .execute(&self.pool)
            .await
            .expect("written");
    }

    pub(super) async fn report(&self, id: PolicyId) -> PolicyReport {
        self.desk.policy(id).await.expect("a policy")
    }

    /// A letter that arrives as intake lets it: with the policies asked when they are.
    pub(super) async fn arrive(&self, queue: &str) -> LetterId {
        let (id, now) = (LetterId(new_id(&*self.clock)), self.clock.now());
        let mut transaction = self.pool.begin().await.expect("begun");
        rules::hold(&mut transaction).await.expect("held");
        let standing = rules::standing(&mut transaction, self.source).await.expect("read");
        sqlx::query(
            "insert into letters (id, source_id, state, severity, queue, exchange, routing_key,
                 reason, size_bytes, arrivals, first_arrived_at, last_arrived_at)
             values ($1, $2, 'held', 'normal', nullif($3, ''), '', $3, 'rejected', 1, 1, $4, $4)",
        )
        .bind(id.0)
        .bind(self.source.0)
        .bind(queue)
        .bind(now)
        .execute(&mut *transaction)
        .await
        .expect("a letter");
        if standing.policies_are_asked {
            let asked = Asked { letter: id, replay: None };
            inbox::put(&mut transaction, &*self.clock, &[asked]).await.expect("put");
        }
        transaction.commit().await.expect("committed");
        id
    }

    pub(super) async fn arrive_all(&self, queue: &str, letters: usize) -> Vec<LetterId> {
        let mut ids = Vec::new();
        for _ in 0..letters {
            ids.push(self.arrive(queue).await);
        }
        ids
    }

    /// The replay engine's word on every letter of every replay that is under way.
    pub(super) async fn engine_says(&self, outcome: Outcome) {
        let pending: Vec<(Uuid, i32, Uuid)> = sqlx::query_as(
            "select replay_id, position, letter_id from replay_items where outcome = 'pending'",
        )
        .fetch_all(&self.pool)
        .await
        .expect("read");
        for (replay, position, letter) in pending {
            let letter = LetterId(letter);
            let recorded =
                Recorded { seat: Seat { position, letter }, outcome, detail: None, nacked: false };
            let mut transaction = self.pool.begin().await.expect("begun");
            let now = self.clock.now();
            record(&mut transaction, ReplayId(replay), &[recorded], now).await.expect("recorded");
            transaction.commit().await.expect("committed");
        }
    }

    /// A replayed letter is back, from its last replay.
    pub(super) async fn die_again(&self, letter: LetterId) {
        let (mut transaction, now) = (self.pool.begin().await.expect("begun"), self.clock.now());
        let replay: Uuid = sqlx::query_scalar(
            "update replay_items set outcome = 'died_again', at = $2
             where letter_id = $1 and attempt = (
                 select max(attempt) from replay_items where letter_id = $1)
             returning replay_id",
        )
        .bind(letter.0)
        .bind(now)
        .fetch_one(&mut *transaction)
        .await
        .expect("it was replayed");
        sqlx::query(
            "update letters set state = 'held', arrivals = arrivals + 1, last_arrived_at = $2
             where id = $1",
        )
        .bind(letter.0)
        .bind(now)
        .execute(&mut *transaction)
        .await
        .expect("held");
        let asked = Asked { letter, replay: Some(ReplayId(replay)) };
        inbox::put(&mut transaction, &*self.clock, &[asked]).await.expect("put");
        transaction.commit().await.expect("committed");
    }

    pub(super) async fn letter(&self, id: LetterId) -> Letter {
        let mut conn = self.pool.acquire().await.expect("a connection");
        let letter = letter_detail::letter(&mut conn, id).await.expect("read");
        letter.expect("a letter")
    }

    pub(super) async fn state(&self, id: LetterId) -> LetterState {
        self.letter(id).await.summary.state
    }

    pub(super) async fn count(&self, what: &'static str) -> i64 {
        sqlx::query_scalar(what).fetch_one(&self.pool).await.expect("counted")
    }

    /// Tries that were made.
    pub(super) async fn made(&self) -> i64 {
        self.count("select count(*) from retries where state = 'taken'").await
    }

    /// Moves the clock, and lets the scheduler do its work.
    pub(super) async fn after(&self, seconds: i64, scheduler: &mut Scheduler) {
        self.clock.advance(TimeDelta::seconds(seconds));
        scheduler.pass().await.expect("a pass");
    }
}
