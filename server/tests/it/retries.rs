//! Retry policies against real servers: what they retry comes to its queue, and back, and is given
//! up on; offices that are killed lose no try and double none.

mod moving;
mod unreadable;

use std::sync::Arc;
use std::time::Duration;

use dlo_app::desk::{DeskError, PolicyDesk as _, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, PolicyId};
use dlo_domain::policy::{NewPolicy, Schedule};
use dlo_domain::replay::Outcome;
use dlo_domain::state::LetterState;
use dlo_server::clock::{SharedClock, SystemClock};
use dlo_server::config::ReplayConfig;
use dlo_server::events::Hub;
use dlo_server::retrying::{self, Deps};
use dlo_server::store::StoreError;
use futures_util::StreamExt as _;
use lapin::BasicProperties;
use lapin::options::{BasicAckOptions, BasicConsumeOptions};
use lapin::types::{AMQPValue, FieldArray, FieldTable};
use sqlx::PgPool;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::replay::origins::x_death;
use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work};
use crate::support::office::{Office, believe};
use crate::support::process::{Premises, database_url};
use crate::support::{setting, until};

/// A scheduler under way.
struct Scheduler {
    stop: CancellationToken,
    task: JoinHandle<Result<(), StoreError>>,
}

impl Scheduler {
    fn start(pool: &PgPool) -> Self {
        let clock: SharedClock = Arc::new(SystemClock);
        let deps = Deps {
            pool: pool.clone(),
            clock,
            replay: ReplayConfig::default(),
            takes_part: true,
        };
        let stop = CancellationToken::new();
        #[expect(
            clippy::disallowed_methods,
            reason = "the test owns the task and ends it"
        )]
        let task = tokio::spawn(retrying::run(deps, Hub::default(), stop.clone()));
        Self { stop, task }
    }

    async fn stop(self) {
        self.stop.cancel();
        self.task.await.expect("no panic").expect("an orderly end");
    }
}

fn policy(delays_seconds: Vec<u32>) -> NewPolicy {
    NewPolicy {
        name: "again".to_owned(),
        schedule: Schedule {
            delays_seconds,
            jitter_percent: 0,
        },
        retries_per_minute: 60_000,
        breaker: None,
        ..NewPolicy::default()
    }
}

async fn add(bench: &Bench, policy: &NewPolicy) -> PolicyId {
    let anna = Actor("anna".to_owned());
    let added = bench.desk.add_policy(&anna, policy).await;
    added.expect("added").id
}

async fn count(pool: &PgPool, of: &'static str) -> i64 {
    let counted = sqlx::query_scalar(of).fetch_one(pool).await;
    counted.unwrap_or(-1)
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_removed_policy_tells_what_it_was_and_who_removed_it(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let id = add(&bench, &policy(vec![7])).await;
    let there = bench.desk.policy(id).await.expect("a policy");
    assert_eq!(there.removed, None);
    let bert = Actor("bert".to_owned());
    let removed = bench.desk.remove_policy(&bert, id).await;
    removed.expect("removed");

    let gone = bench.desk.policy(id).await.expect("what it was");
    assert_eq!(gone.policy.policy, policy(vec![7]));
    let word = gone.removed.expect("a word");
    assert_eq!(word.by.as_deref(), Some("bert"));
    assert!(word.at >= there.policy.changed_at);
    // It is told, and nothing else can be done with it.
    let again = bench.desk.remove_policy(&bert, id).await;
    assert!(matches!(again, Err(DeskError::NotFound(_))), "{again:?}");
    let changed = bench.desk.change_policy(&bert, id, &policy(vec![8])).await;
    assert!(
        matches!(changed, Err(DeskError::NotFound(_))),
        "{changed:?}"
    );
    let applied = bench.desk.apply_policy(&bert, id).await;
    assert!(
        matches!(applied, Err(DeskError::NotFound(_))),
        "{applied:?}"
    );
    assert_eq!(bench.desk.policies().await.expect("a list"), []);
    let never = bench.desk.policy(PolicyId(uuid::Uuid::nil())).await;
    let Err(DeskError::NotFound(why)) = never else {
        panic!("{never:?}");
    };
    assert!(why.contains("there was none"), "{why}");
}

/// A death history that says that it died so often.
fn died_so_often(count: i64) -> AMQPValue {
    let long = |text: &str| AMQPValue::LongString(text.into());
    let mut death = FieldTable::default();
    death.insert("count".into(), AMQPValue::LongLongInt(count));
    death.insert("reason".into(), long("rejected"));
    death.insert("queue".into(), long("work"));
    death.insert("exchange".into(), long(""));
    let keys = FieldArray::from(vec![long("work")]);
    death.insert("routing-keys".into(), AMQPValue::FieldArray(keys));
    AMQPValue::FieldArray(FieldArray::from(vec![AMQPValue::FieldTable(death)]))
}

/// Plays a broker whose count of deaths goes its own way: what comes to `work` dies at once, with
/// `counts` in its history. Tells how often something came.
async fn die_with(vhost: &Vhost, counts: &[i64], gone: impl AsyncFn() -> bool) -> usize {
    let mut consumer = vhost
        .channel
        .basic_consume(
            "work".into(),
            "fails".into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        )
        .await
        .expect("consuming");
    let mut came = 0;
    while !gone().await {
        let next = tokio::time::timeout(Duration::from_millis(200), consumer.next()).await;
        let Ok(Some(delivery)) = next else { continue };
        let delivery = delivery.expect("a message");
        came += 1;
        let count = counts.get(came).or(counts.last()).copied().unwrap_or(1);
        let mut headers = delivery.properties.headers().clone().unwrap_or_default();
        headers.insert("x-death".into(), died_so_often(count));
        let properties = BasicProperties::default().with_headers(headers);
        vhost.publish("dead", properties, &delivery.data).await;
        let acked = delivery.ack(BasicAckOptions::default()).await;
        acked.expect("acked");
    }
    came
}

/// The letter gets three tries, whatever the broker counts.
async fn gets_its_three_tries(pool: &PgPool, counts: &[i64]) {
    let (vhost, bench) = at_work(pool).await;
    vhost.queue("dead", &[]).await;
    let id = add(&bench, &policy(vec![1, 1, 2])).await;
    let intake = Office::start(pool, &vhost.brokers).await;
    let engine = bench.engine().await;
    let scheduler = Scheduler::start(pool);
    let mut headers = FieldTable::default();
    headers.insert("x-death".into(), died_so_often(counts[0]));
    let properties = BasicProperties::default().with_headers(headers);
    vhost.publish("dead", properties, b"fails").await;
    let is_given_up = async || {
        count(
            pool,
            "select count(*) from letters where exhausted_at is not null",
        )
        .await
            == 1
    };
    let came = tokio::time::timeout(
        Duration::from_mins(1),
        die_with(&vhost, counts, is_given_up),
    );
    assert_eq!(came.await.expect("in time"), 3);
    let letter: uuid::Uuid = sqlx::query_scalar("select id from letters")
        .fetch_one(pool)
        .await
        .expect("one letter");
    let letter = bench.desk.letter(LetterId(letter)).await.expect("a letter");
    assert_eq!(letter.summary.state, LetterState::Held);
    assert_eq!(letter.arrivals.len(), 4);
    let outcomes: Vec<Outcome> = letter.retries.tries.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::DiedAgain; 3]);
    let obituary = letter.retries.exhausted.expect("given up on");
    assert_eq!(obituary.policy_id, id);
    let by: Vec<&str> = letter
        .audit
        .iter()
        .filter(|line| line.action == "letter.replay")
        .map(|line| &*line.actor)
        .collect();
    assert_eq!(by, ["retry policy again"; 3]);
    scheduler.stop().await;
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_gets_its_tries_from_a_broker_that_counts_on(pool: PgPool) {
    gets_its_three_tries(&pool, &[4, 5, 6, 7]).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_gets_its_tries_from_a_broker_that_counts_from_one(pool: PgPool) {
    gets_its_three_tries(&pool, &[1, 1, 1, 1]).await;
}

/// Letters of which the policies are still to be asked.
async fn letters(bench: &Bench, pool: &PgPool, many: usize) {
    for number in 0..many {
        let letter = bench.letter("work", number.to_string().as_bytes()).await;
        sqlx::query("insert into policy_inbox (letter_id, arrived_at) values ($1, now())")
            .bind(letter.0)
            .execute(pool)
            .await
            .expect("asked");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_policy_sends_nothing_where_only_the_message_says_that_it_died(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    for queue in ["orders.work", "payments.execute"] {
        vhost.queue(queue, &[]).await;
    }
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    believe(&pool, bench.source, "orders.*").await;
    add(&bench, &policy(vec![1])).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let engine = bench.engine().await;
    let scheduler = Scheduler::start(&pool);
    for queue in ["payments.execute", "orders.work"] {
        vhost.publish("dead", x_death(queue), b"{}").await;
    }
    until("the policy is done with both", 30, || async {
        let given_up = "select count(*) from letters where exhausted_at is not null";
        vhost.depth("orders.work").await == 1 && count(&pool, given_up).await == 1
    })
    .await;
    assert_eq!(vhost.depth("payments.execute").await, 0);
    let (queue, state, why): (String, String, String) = sqlx::query_as(
        "select l.queue, l.state, a.detail from letters l
         join audit a on a.letter_id = l.id and a.action = 'letter.exhausted'",
    )
    .fetch_one(&pool)
    .await
    .expect("one letter");
    assert_eq!((&*queue, &*state), ("payments.execute", "held"));
    assert!(
        why.contains("only the message itself says where it died"),
        "{why}"
    );
    scheduler.stop().await;
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn offices_that_are_killed_lose_no_try_and_double_none(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    // So slow that tries are made over some seconds, in which offices die.
    let slow = NewPolicy {
        retries_per_minute: 1_800,
        ..policy(vec![1])
    };
    add(&bench, &slow).await;
    let many = setting("DLO_RETRY_LETTERS", 120);
    letters(&bench, &pool, many).await;
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let taken = "select count(*) from retries where state = 'taken'";
    let mut offices = vec![premises.open(), premises.open()];
    let kills = setting("DLO_RETRY_KILLS", 4);
    for kill in 0..kills {
        let enough = i64::try_from(many * kill / (kills + 1)).expect("few");
        until("tries are made", 60, || async {
            count(&pool, taken).await > enough
        })
        .await;
        offices.remove(0).kill().await;
        offices.push(premises.open());
    }
    let all = i64::try_from(many).expect("few");
    until("every try is made", 90, || async {
        count(&pool, taken).await == all
            && count(
                &pool,
                "select count(*) from replay_items where outcome = 'pending'",
            )
            .await
                == 0
    })
    .await;
    for office in offices {
        office.stop().await;
    }
    let said = premises.last_words();
    let doubled = "select count(*) from (
        select letter_id from replay_items group by letter_id having count(*) > 1) as doubled";
    assert_eq!(count(&pool, doubled).await, 0, "{said}");
    assert_eq!(count(&pool, "select count(*) from policy_inbox").await, 0);
    let waiting = "select count(*) from letters where state in ('held', 'scheduled', 'claimed')";
    assert_eq!(count(&pool, waiting).await, 0, "{said}");
    // A publish that a kill cut off may have happened, and is not made again.
    let confirmed = "select count(*) from replay_items where outcome = 'confirmed'";
    let confirmed = count(&pool, confirmed).await;
    let depth = i64::from(vhost.depth("work").await);
    assert!((confirmed..=all).contains(&depth), "{confirmed} {depth}");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_arrives_beside_a_change_of_policies_is_asked_about_or_was_there_before(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    vhost.queue("dead", &[]).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let bodies: Vec<String> = (0..2_000).map(|number| number.to_string()).collect();
    let (before, after) = bodies.split_at(1_000);
    vhost.publish_all("dead", before).await;
    until("some are stored", 30, || async {
        count(&pool, "select count(*) from letters").await > 200
    })
    .await;
    // While batches are under way.
    let id = add(&bench, &policy(vec![1_000])).await;
    let at: chrono::DateTime<chrono::Utc> = bench
        .desk
        .policy(id)
        .await
        .expect("a policy")
        .policy
        .changed_at;
    vhost.publish_all("dead", after).await;
    let scheduler = Scheduler::start(&pool);
    until("all are stored and asked about", 60, || async {
        count(&pool, "select count(*) from letters").await == 2_000
            && count(&pool, "select count(*) from policy_inbox").await == 0
    })
    .await;
    let missed: i64 = sqlx::query_scalar(
        "select count(*) from letters where state = 'held' and last_arrived_at > $1",
    )
    .bind(at + chrono::TimeDelta::seconds(2))
    .fetch_one(&pool)
    .await
    .expect("counted");
    assert_eq!(missed, 0, "every later one is scheduled");
    let scheduled = count(
        &pool,
        "select count(*) from letters where state = 'scheduled'",
    )
    .await;
    assert!(scheduled >= 1_000, "{scheduled}");
    scheduler.stop().await;
    intake.stop().await;
    vhost.delete().await;
}
