//! Which letter a return is about, letter by letter: what is confirmed is in its queue, and what is
//! unroutable is in none, whatever the broker returns among what it confirms.
//!
//! The short form runs with the other tests. The full one tries each share of letters without a queue with
//! each delivery mode and each type of queue. `DLO_TEST_BROKER` names another broker than the sandbox's.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use dlo_domain::ids::LetterId;
use dlo_domain::replay::Outcome;
use dlo_domain::wire::Properties;
use dlo_server::duty::Duty as _;
use dlo_server::executions::Announcer;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use lapin::options::{BasicCancelOptions, BasicConsumeOptions, BasicGetOptions};
use lapin::types::FieldTable;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use sqlx::PgPool;
use uuid::Uuid;

use crate::harness::{setting, sized};
use crate::support::broker::Vhost;
use crate::support::desk::{Bench, Engine};
use crate::support::yard::{Yard, completed};

/// Replays that go on at once.
const REPLAYS: usize = 3;

/// The queues that letters go to, by the type of queue that is tried.
const CLASSIC: &[&str] = &["classic"];
const QUORUM: &[&str] = &["quorum"];
const BOTH: &[&str] = &["classic", "quorum"];

/// What letters of a replay are like.
#[derive(Clone, Copy)]
struct Mix {
    /// So many of 1,000 letters have no queue.
    unroutable_per_mille: u32,
    /// The delivery modes of their senders.
    modes: &'static [u8],
    queues: &'static [&'static str],
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = f64::from(self.unroutable_per_mille) / 10.0;
        let (modes, queues) = (self.modes, self.queues);
        write!(f, "{share} % unroutable, modes {modes:?}, queues {queues:?}")
    }
}

/// What is tried: one of the worst in the short form, everything in the full one.
fn mixes() -> Vec<Mix> {
    let worst = Mix { unroutable_per_mille: 500, modes: &[1, 2], queues: BOTH };
    let mut all = Vec::new();
    for unroutable_per_mille in [1, 10, 100, 500] {
        for modes in [&[1][..], &[2], &[1, 2]] {
            for queues in [CLASSIC, QUORUM, BOTH] {
                all.push(Mix { unroutable_per_mille, modes, queues });
            }
        }
    }
    sized(vec![Mix { unroutable_per_mille: 100, ..worst }, worst], all)
}

/// What came of letters, held against their queues.
#[derive(Debug, Default, PartialEq, Eq)]
struct Faults {
    false_successes: usize,
    false_failures: usize,
    unknown: usize,
    duplicates: usize,
}

impl Faults {
    fn of(
        routable: &BTreeMap<LetterId, bool>,
        outcomes: &BTreeMap<LetterId, Outcome>,
        delivered: &BTreeMap<LetterId, u32>,
    ) -> Self {
        let mut faults = Self::default();
        for (letter, is_routable) in routable {
            let copies = delivered.get(letter).copied().unwrap_or_default();
            assert_eq!(copies > 0, *is_routable, "the broker itself failed {letter}");
            faults.duplicates += usize::from(copies > 1);
            match outcomes[letter] {
                Outcome::Confirmed => faults.false_successes += usize::from(copies == 0),
                Outcome::Unroutable => faults.false_failures += usize::from(copies > 0),
                Outcome::Unknown => faults.unknown += 1,
                other => panic!("{letter} is {other}"),
            }
        }
        faults
    }
}

/// Letters of a mix; of each whether it has a queue.
async fn letters_of(
    bench: &Bench,
    mix: Mix,
    count: usize,
    random: &mut StdRng,
) -> BTreeMap<LetterId, bool> {
    let bodies = (0..count).map(|n| format!("{mix} {n}").into_bytes());
    let letters = bench.letters_of(bodies.collect()).await;
    let mut routable = BTreeMap::new();
    let (mut queues, mut modes) = (Vec::new(), Vec::new());
    for letter in &letters {
        let is_routable = !random.random_ratio(mix.unroutable_per_mille, 1_000);
        let queue = mix.queues[random.random_range(0..mix.queues.len())];
        queues.push(if is_routable { queue } else { "gone" }.to_owned());
        modes.push(mix.modes[random.random_range(0..mix.modes.len())]);
        routable.insert(*letter, is_routable);
    }
    let ids: Vec<Uuid> = letters.iter().map(|letter| letter.0).collect();
    sqlx::query(
        "update letters set queue = as_set.queue
         from unnest($1::uuid[], $2::text[]) as as_set (id, queue)
         where letters.id = as_set.id and letters.id = any($1)",
    )
    .bind(&ids)
    .bind(&queues)
    .execute(&bench.pool)
    .await
    .expect("set");
    for mode in mix.modes {
        let of_mode = ids.iter().zip(&modes).filter(|(_, of)| *of == mode);
        let of_mode: Vec<Uuid> = of_mode.map(|(id, _)| *id).collect();
        let properties = Properties { delivery_mode: Some(*mode), ..Properties::default() };
        sqlx::query("update arrivals set properties = $2 where letter_id = any($1)")
            .bind(&of_mode)
            .bind(serde_json::to_value(&properties).expect("JSON"))
            .execute(&bench.pool)
            .await
            .expect("set");
    }
    routable
}

/// Takes all that is in a queue, and counts the copies of each letter.
async fn taken(vhost: &Vhost, queue: &str, copies: &mut BTreeMap<LetterId, u32>) {
    let waiting = vhost.depth(queue).await;
    let options = BasicConsumeOptions { no_ack: true, ..BasicConsumeOptions::default() };
    let consumer =
        vhost.channel.basic_consume(queue.into(), "".into(), options, FieldTable::default());
    let mut consumer = consumer.await.expect("consuming");
    for _ in 0..waiting {
        let delivery = consumer.next().await.expect("open").expect("a message");
        let properties = delivery.properties;
        let headers = properties.headers().as_ref().expect("marked").inner();
        let letter = headers["x-dlo-letter"].as_long_string().expect("a mark");
        let letter = letter.to_string().parse().expect("a letter's id");
        *copies.entry(letter).or_default() += 1;
    }
    let tag = consumer.tag();
    let cancel = vhost.channel.basic_cancel(tag, BasicCancelOptions::default());
    cancel.await.expect("cancelled");
}

async fn outcomes(pool: &PgPool) -> BTreeMap<LetterId, Outcome> {
    let rows: Vec<(Uuid, String)> = sqlx::query_as("select letter_id, outcome from replay_items")
        .fetch_all(pool)
        .await
        .expect("items");
    let read = |(letter, word): (Uuid, String)| (LetterId(letter), word.parse().expect("known"));
    rows.into_iter().map(read).collect()
}

/// Where the replays of all mixes go.
struct Scene {
    pool: PgPool,
    vhost: Vhost,
    bench: Bench,
    engine: Engine,
    random: StdRng,
}

impl Scene {
    async fn open(pool: &PgPool) -> Self {
        let vhost = Vhost::create().await;
        vhost.queue("classic", &[]).await;
        vhost.quorum_queue("quorum").await;
        let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
        let seed = u64::try_from(setting("DLO_CRASH_SEED", 29)).expect("fits");
        Self {
            pool: pool.clone(),
            engine: bench.engine().await,
            bench,
            vhost,
            random: StdRng::seed_from_u64(seed),
        }
    }

    /// Replays letters of a mix, several replays at once, and tells what is not so.
    async fn replay(&mut self, mix: Mix, count: usize) -> Faults {
        let routable = letters_of(&self.bench, mix, count, &mut self.random).await;
        let letters: Vec<LetterId> = routable.keys().copied().collect();
        let mut replays = Vec::new();
        for part in letters.chunks(count.div_ceil(REPLAYS)) {
            replays.push(self.bench.replay_home(part).await);
        }
        join_all(replays.iter().map(|id| self.bench.finished(*id))).await;
        let mut delivered = BTreeMap::new();
        for queue in mix.queues {
            taken(&self.vhost, queue, &mut delivered).await;
        }
        Faults::of(&routable, &outcomes(&self.pool).await, &delivered)
    }
}

/// Announcements of which every third reaches no queue.
struct Announcements {
    routable: BTreeSet<Uuid>,
    unroutable: BTreeSet<Uuid>,
}

impl Announcements {
    async fn put(pool: &PgPool, vhost: &Vhost, count: usize) -> Self {
        vhost.queue("ends", &[]).await;
        vhost.topic("executions", &[("ends", "execution.#")]).await;
        let to = completed(&vhost.name);
        let mut sets = [BTreeSet::new(), BTreeSet::new()];
        for n in 0..count {
            let is_unroutable = n.is_multiple_of(3);
            let key = if is_unroutable { "nobody" } else { &to.routing_key };
            let id = Uuid::new_v4();
            sqlx::query(
                "insert into execution_outbox (id, broker, vhost, exchange, routing_key, body, due_at)
                 values ($1, $2, $3, $4, $5, '{}', '2026-11-01')",
            )
            .bind(id)
            .bind(&to.broker)
            .bind(&to.vhost)
            .bind(&to.exchange)
            .bind(key)
            .execute(pool)
            .await
            .expect("put");
            sets[usize::from(is_unroutable)].insert(id);
        }
        let [routable, unroutable] = sets;
        Self { routable, unroutable }
    }

    async fn publish(&self, yard: &Yard) {
        let mut announcer = Announcer::new(yard.keeper.clone());
        while announcer.publish_some().await.expect("tried") > 0 {}
        announcer.end().await;
    }

    /// What reached a queue is gone from the outbox, and nothing else is.
    async fn assert_each_told(&self, pool: &PgPool, vhost: &Vhost) {
        let left: Vec<Uuid> = sqlx::query_scalar("select id from execution_outbox")
            .fetch_all(pool)
            .await
            .expect("read");
        assert_eq!(left.into_iter().collect::<BTreeSet<_>>(), self.unroutable);
        let mut told = BTreeSet::new();
        let options = BasicGetOptions { no_ack: true };
        while let Some(got) = vhost.channel.basic_get("ends".into(), options).await.expect("got") {
            let id = got.delivery.properties.message_id().as_ref();
            let id = id.expect("an id").as_str().parse().expect("an id");
            assert!(told.insert(id), "{id} was told twice");
        }
        assert_eq!(told, self.routable);
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn every_return_is_told_of_the_letter_that_it_carries(pool: PgPool) {
    let mut scene = Scene::open(&pool).await;
    let yard = Yard::at(&pool, &scene.vhost.brokers, &scene.vhost.name);
    let announcements = Announcements::put(&pool, &scene.vhost, sized(300, 2_000)).await;
    let announcing = announcements.publish(&yard);
    let mut found = Vec::new();
    let replaying = async {
        for mix in mixes() {
            let faults = scene.replay(mix, sized(3_000, 12_000)).await;
            println!("{mix}: {faults:?}");
            found.push(faults);
        }
    };
    tokio::join!(replaying, announcing);
    for faults in found {
        assert_eq!(faults, Faults::default());
    }
    announcements.assert_each_told(&pool, &scene.vhost).await;
    scene.engine.stop().await;
    scene.vhost.delete().await;
}
