//! The desk and the replay engine of an office within the test, and letters made by hand.

use std::sync::Arc;
use std::time::Duration;

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, OfficeId, ReplayId, SourceId};
use dlo_domain::payload::BodyRange;
use dlo_domain::replay::{Canary, Control, NewReplay, Replay, ReplayItem, ReplayState, Target};
use dlo_domain::selection::Selection;
use dlo_domain::source::SourceMode;
use dlo_domain::state::LetterState;
use dlo_domain::wire::{FieldTable, Properties};
use dlo_server::broker::Brokers;
use dlo_server::clock::{SharedClock, SystemClock, new_id};
use dlo_server::config::{Patience, ReplayConfig};
use dlo_server::desk::PgDesk;
use dlo_server::office;
use dlo_server::replay::{self, ReplayError, Waits};
use dlo_server::transform::Transformer;
use lapin::types::AMQPValue;
use sqlx::{PgConnection, PgPool};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::background::Background;
use super::broker::Vhost;
use super::office::watch;
use super::{patience, until};

/// A desk that waits as long as a test does.
pub fn desk(pool: &PgPool, brokers: &Brokers, clock: SharedClock) -> PgDesk {
    let replaying = (Waits::default(), ReplayConfig::default());
    PgDesk::new(pool.clone(), Arc::new(brokers.clone()), clock, replaying).with_patience(patient())
}

/// A desk whose source is a queue of the vhost that is never consumed.
pub struct Bench {
    /// The desk.
    pub desk: Arc<PgDesk>,
    /// The board that the engines note their waits on.
    pub waits: Waits,
    /// The database.
    pub pool: PgPool,
    /// The source of all letters made here.
    pub source: SourceId,
    brokers: Brokers,
}

/// A replay engine under way, with the lock of its office.
pub struct Engine {
    stop: CancellationToken,
    task: JoinHandle<Result<(), ReplayError>>,
    background: Background,
    lock: PgConnection,
}

impl Engine {
    /// Ends it in order.
    pub async fn stop(self) {
        self.stop.cancel();
        self.task.await.expect("no panic").expect("an orderly end");
        self.background.stop().await;
    }

    /// Ends it as a kill would: at once, its office dead, nothing written down.
    pub async fn kill(self) {
        self.task.abort();
        let _ = self.task.await;
        drop(self.lock);
        self.background.stop().await;
    }
}

/// A vhost with the queue `work`, and a desk for it.
pub async fn at_work(pool: &PgPool) -> (Vhost, Bench) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
    (vhost, bench)
}

impl Bench {
    /// A desk for a vhost.
    pub async fn new(pool: &PgPool, brokers: &Brokers, vhost: &str) -> Self {
        Self::with(pool, brokers, vhost, ReplayConfig::default()).await
    }

    /// A desk for a vhost, in an office with these settings.
    pub async fn with(
        pool: &PgPool,
        brokers: &Brokers,
        vhost: &str,
        replaying: ReplayConfig,
    ) -> Self {
        let clock: SharedClock = Arc::new(SystemClock);
        let waits = Waits::default();
        let brokers_of_desk = Arc::new(brokers.clone());
        let replaying = (waits.clone(), replaying);
        let desk = PgDesk::new(pool.clone(), brokers_of_desk, clock, replaying)
            .with_patience(patient())
            .with_transformer(Transformer::new(env!("CARGO_BIN_EXE_dlo").into()));
        Self {
            desk: Arc::new(desk),
            waits,
            pool: pool.clone(),
            source: watch(pool, vhost, "dead", SourceMode::Take).await,
            brokers: brokers.clone(),
        }
    }

    /// A desk for tests that ask no broker.
    pub async fn offline(pool: &PgPool) -> Self {
        let nobody = Brokers::main("amqp://127.0.0.1:1/%2f", None);
        Self::new(pool, &nobody, "/").await
    }

    /// The same with another desk, while nobody else has this one in hand.
    pub fn with_desk(self, change: impl FnOnce(PgDesk) -> PgDesk) -> Self {
        let desk = Arc::into_inner(self.desk).expect("nobody else has it");
        let desk = Arc::new(change(desk));
        Self { desk, ..self }
    }

    /// The same queues at another place: its source is there, and engines that start from now on go
    /// there.
    pub async fn moves_to(&mut self, vhost: &Vhost) {
        sqlx::query("update sources set vhost = $2 where id = $1")
            .bind(self.source.0)
            .bind(&vhost.name)
            .execute(&self.pool)
            .await
            .expect("moved");
        self.brokers = vhost.brokers.clone();
    }

    /// Starts a replay engine in an office of its own.
    pub async fn engine(&self) -> Engine {
        self.engine_with(ReplayConfig::default()).await
    }

    /// Starts a replay engine with these settings.
    pub async fn engine_with(&self, config: ReplayConfig) -> Engine {
        self.engine_by(Arc::new(SystemClock), config).await
    }

    /// The engine of an office with another clock.
    pub async fn engine_by(&self, clock: SharedClock, config: ReplayConfig) -> Engine {
        let office_id = OfficeId(new_id(&*clock));
        let lock = office::open(&self.pool, &clock, office_id).await.expect("registered");
        let stop = CancellationToken::new();
        let engine = replay::Engine::new(
            self.pool.clone(),
            Arc::new(self.brokers.clone()),
            clock,
            office_id,
            (config, self.waits.clone()),
        );
        let background = Background::new();
        engine.watch(&background.duties);
        #[expect(clippy::disallowed_methods, reason = "the test owns the task and ends it")]
        let task = tokio::spawn(replay::run(engine, stop.clone()));
        Engine { stop, task, background, lock }
    }

    /// A held letter that died in `queue`.
    pub async fn letter(&self, queue: &str, body: &[u8]) -> LetterId {
        let headers = FieldTable::default();
        self.letter_of(queue, &Properties::default(), &headers, body).await
    }

    /// A held letter with this message.
    pub async fn letter_of(
        &self,
        queue: &str,
        properties: &Properties,
        headers: &FieldTable,
        body: &[u8],
    ) -> LetterId {
        let id = new_id(&SystemClock);
        let size = i64::try_from(body.len()).expect("small");
        sqlx::query(
            "insert into letters (id, source_id, state, severity, queue, exchange, routing_key,
                 reason, size_bytes, arrivals, first_arrived_at, last_arrived_at)
             values ($1, $2, 'held', 'normal', $3, '', $3, 'rejected', $4, 1, now(), now())",
        )
        .bind(id)
        .bind(self.source.0)
        .bind(queue)
        .bind(size)
        .execute(&self.pool)
        .await
        .expect("a letter");
        sqlx::query(
            "insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange,
                 routing_key, properties, headers, deaths, body, body_sha256)
             values ($1, 1, now(), $2, 'dlx', '', $3, $4, '[]', $5, sha256($5))",
        )
        .bind(id)
        .bind(self.source.0)
        .bind(serde_json::to_value(properties).expect("JSON"))
        .bind(serde_json::to_value(headers).expect("JSON"))
        .bind(body)
        .execute(&self.pool)
        .await
        .expect("an arrival");
        LetterId(id)
    }

    /// The body of an arrival, the last one when no ordinal is given.
    ///
    /// # Errors
    /// When the desk says no.
    pub async fn body(&self, id: LetterId, ordinal: Option<i32>) -> Result<Vec<u8>, DeskError> {
        let whole = BodyRange { from: 0, most: u32::MAX };
        Ok(self.desk.body_part(id, ordinal, whole).await?.bytes)
    }

    /// Plans a replay of letters.
    pub async fn plan(&self, letters: &[LetterId], target: Target) -> Replay {
        let new = NewReplay {
            selection: Selection::of_ids(letters.to_vec()),
            target,
            ..NewReplay::default()
        };
        self.desk.plan_replay(&Actor("tester".into()), &new).await.expect("planned")
    }

    /// Plans a replay of letters in a manner of its own.
    pub async fn plan_with(
        &self,
        letters: &[LetterId],
        change: impl FnOnce(&mut NewReplay),
    ) -> ReplayId {
        let mut new =
            NewReplay { selection: Selection::of_ids(letters.to_vec()), ..NewReplay::default() };
        change(&mut new);
        let planned = self.desk.plan_replay(&Actor("tester".into()), &new).await;
        planned.expect("planned").id.expect("an id")
    }

    /// Tells a replay something.
    pub async fn tell(&self, id: ReplayId, word: Control, again: bool) -> Replay {
        let actor = Actor("tester".into());
        let told = self.desk.control_replay(&actor, id, word, again).await;
        told.expect("told")
    }

    /// Waits until a replay is in a state.
    pub async fn becomes(&self, id: ReplayId, state: ReplayState) -> Replay {
        until(&format!("the replay is {state:?}"), || async {
            self.replay(id).await.state == state
        })
        .await;
        self.replay(id).await
    }

    /// Waits until a cancelled replay gave back what it had not published.
    pub async fn given_back(&self, id: ReplayId) {
        until("all are given back", || async { self.replay(id).await.finished_at.is_some() }).await;
    }

    /// So many held letters that died in the queue `work`.
    pub async fn letters(&self, count: usize) -> Vec<LetterId> {
        let bodies = (0..count).map(|n| n.to_string().into_bytes());
        self.letters_of(bodies.collect()).await
    }

    /// Held letters that died in the queue `work`, one of each body.
    pub async fn letters_of(&self, bodies: Vec<Vec<u8>>) -> Vec<LetterId> {
        let mut ids: Vec<Uuid> = bodies.iter().map(|_| new_id(&SystemClock)).collect();
        // Ids of one millisecond are in no order.
        ids.sort_unstable();
        sqlx::query(
            "insert into letters (id, source_id, state, severity, queue, exchange, routing_key,
                 reason, size_bytes, arrivals, first_arrived_at, last_arrived_at)
             select id, $2, 'held', 'normal', 'work', '', 'work', 'rejected', length(body), 1,
                 now(), now()
             from unnest($1::uuid[], $3::bytea[]) as letter (id, body)",
        )
        .bind(&ids)
        .bind(self.source.0)
        .bind(&bodies)
        .execute(&self.pool)
        .await
        .expect("letters");
        sqlx::query(
            "insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange,
                 routing_key, properties, headers, deaths, body, body_sha256)
             select id, 1, now(), $2, 'dlx', '', $4, $5, '[]', body, sha256(body)
             from unnest($1::uuid[], $3::bytea[]) as letter (id, body)",
        )
        .bind(&ids)
        .bind(self.source.0)
        .bind(&bodies)
        .bind(serde_json::to_value(Properties::default()).expect("JSON"))
        .bind(serde_json::to_value(FieldTable::default()).expect("JSON"))
        .execute(&self.pool)
        .await
        .expect("arrivals");
        ids.into_iter().map(LetterId).collect()
    }

    /// Plans a replay of letters to the queue where each failed.
    pub async fn replay_home(&self, letters: &[LetterId]) -> ReplayId {
        let replay = self.plan(letters, Target::OriginQueue).await;
        replay.id.expect("an id")
    }

    /// Plans a replay of all letters that are held, however many, to the queue where each failed.
    pub async fn replay_all_home(&self) -> ReplayId {
        let all = Selection { filter: Some("state:held".into()), ..Selection::default() };
        self.plan_with(&[], |new| new.selection = all).await
    }

    /// Waits for a replay's end.
    pub async fn finished(&self, id: ReplayId) -> Replay {
        self.becomes(id, ReplayState::Finished).await
    }

    /// A replay as it stands.
    pub async fn replay(&self, id: ReplayId) -> Replay {
        self.desk.replay(id).await.expect("a replay")
    }

    /// A replay's items, the first 500.
    pub async fn items(&self, id: ReplayId) -> Vec<ReplayItem> {
        let page = self.desk.replay_items(id, None, None, 500).await;
        page.expect("items").items
    }

    /// Where a letter stands.
    pub async fn state(&self, id: LetterId) -> LetterState {
        let letter = self.desk.letter(id).await.expect("a letter");
        letter.summary.state
    }

    /// A word in a letter's audit trail, and who is named there.
    pub async fn audit(&self, id: LetterId) -> Vec<(String, String)> {
        let letter = self.desk.letter(id).await.expect("a letter");
        let lines = letter.audit.into_iter();
        lines.map(|line| (line.action, line.actor)).collect()
    }
}

/// A desk that waits as long as a test does: however slow the machine is, it gives the same answers.
pub fn patient() -> Patience {
    Patience::of(patience())
}

/// Settings with a short watch after a replay.
pub fn settle_after(settle_after: Duration) -> ReplayConfig {
    ReplayConfig { settle_after, ..ReplayConfig::default() }
}

/// A name that nobody has.
pub fn unique(name: &str) -> String {
    format!("{name}-{}", Uuid::new_v4())
}

/// A vhost where what is rejected in `work` comes back through `dead`.
pub async fn at_a_loop(pool: &PgPool) -> (Vhost, Bench) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    let dead = AMQPValue::LongString("dlx".into());
    vhost.queue("work", &[("x-dead-letter-exchange", dead)]).await;
    let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
    (vhost, bench)
}

pub fn quick(steps: &[u32]) -> Canary {
    Canary { steps: steps.to_vec(), stop_above: 0.05, watch_seconds: 2 }
}

/// Waits until so many letters of a replay are confirmed.
pub async fn some_are_out(bench: &Bench, id: ReplayId, so_many: i64) {
    until("some are out", || async { bench.replay(id).await.outcomes.confirmed >= so_many }).await;
}

pub async fn replayed(bench: &Bench) -> (LetterId, ReplayId) {
    let letter = bench.letter("work", b"{}").await;
    let id = bench.replay_home(&[letter]).await;
    bench.finished(id).await;
    (letter, id)
}
