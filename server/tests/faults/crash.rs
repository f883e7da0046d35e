//! kill -9 of the real process in the middle of intake: nothing is lost, and nothing is doubled, however soon one
//! kill follows the other.
//!
//! The short form runs with the other tests. The full form (100,000 messages, 200 kills) is part of
//! `make test-full`, which sets `DLO_CRASH_MESSAGES` and `DLO_CRASH_KILLS`.

use std::time::Duration;

use dlo_domain::source::SourceMode;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable};
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{Rng, SeedableRng};
use sqlx::PgPool;

use crate::harness::goal::GoalRow;
use crate::harness::ledger::{Ledger, mixed_bodies};
use crate::harness::process::Premises;
use crate::harness::setting;
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::office::{Office, letters, watch};
use crate::support::until_within;

async fn crash(pool: &PgPool, vhost: &Vhost, bodies: &[String], random: &mut StdRng) {
    let queue = "dead";
    let kills = setting("DLO_CRASH_KILLS", 8);
    watch(pool, &vhost.name, queue, SourceMode::Take).await;
    let premises = Premises::new(database_url(pool), &vhost.brokers);
    let ledger = Ledger { pool, vhost, queue, premises: &premises, bodies };
    let mut in_the_middle = 0;
    let mut published = 0;
    for part in bodies.chunks(bodies.len().div_ceil(kills + 1)) {
        vhost.publish_all(queue, part).await;
        published += part.len();
        let before = letters(pool).await;
        let serve = premises.open();
        // Most kills hit intake at work; some hit it whenever, its start included.
        if random.random_ratio(2, 3) {
            ledger.until("intake is at work", 60, || async { letters(pool).await > before }).await;
            tokio::time::sleep(Duration::from_millis(random.random_range(0..100))).await;
        } else {
            tokio::time::sleep(Duration::from_millis(random.random_range(10..800))).await;
        }
        serve.kill().await;
        let stored = usize::try_from(letters(pool).await).expect("fits");
        in_the_middle += i32::from(stored > 0 && stored < published);
    }
    assert!(in_the_middle > 0, "no kill hit intake in the middle: the test proved nothing");
    let serve = premises.open();
    ledger.until_settled(120).await;
    serve.stop().await;
    let audit = ledger.audit().await;
    GoalRow {
        goal: "R1",
        case: "kill -9 of the office in intake".to_owned(),
        tried: format!("{} messages, {kills} kills", bodies.len()),
        broker: vhost.version().await,
        lost: Some(audit.lost),
        doubled: Some(audit.doubled),
        recovered: None,
        is_met: audit.lost == 0 && audit.doubled == 0,
    }
    .report();
    ledger.assert_exact().await;
    assert_eq!(ledger.noted_as_doubtful().await, 0, "nothing is in doubt");
    assert_eq!(vhost.depth(queue).await, 0, "nothing was given back");
}

/// As many messages of their own as copies of one, mixed.
fn half_of_them_the_same(count: usize, random: &mut StdRng) -> Vec<String> {
    let own = (0..count / 2).map(|number| format!("{{\"number\": {number}}}"));
    let mut bodies: Vec<String> = own.collect();
    bodies.resize(count, "the same".to_owned());
    bodies.shuffle(random);
    bodies
}

fn random() -> StdRng {
    StdRng::seed_from_u64(u64::try_from(setting("DLO_CRASH_SEED", 7)).expect("fits"))
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn kill_9_loses_nothing_and_doubles_nothing(pool: PgPool) {
    let mut random = random();
    let bodies = mixed_bodies(setting("DLO_CRASH_MESSAGES", 6_000), &mut random);
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    crash(&pool, &vhost, &bodies, &mut random).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn kill_9_at_a_quorum_queue_loses_nothing_and_doubles_nothing(pool: PgPool) {
    let mut random = random();
    let bodies = half_of_them_the_same(setting("DLO_CRASH_MESSAGES", 6_000), &mut random);
    let vhost = Vhost::create().await;
    vhost.quorum_queue("dead").await;
    crash(&pool, &vhost, &bodies, &mut random).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn kill_9_counts_copies_right(pool: PgPool) {
    let mut random = random();
    let bodies = vec!["the same".to_owned(); setting("DLO_CRASH_MESSAGES", 3_000)];
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    crash(&pool, &vhost, &bodies, &mut random).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn intake_waits_out_a_database_that_is_away(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let serve = premises.open();
    vhost.publish("dead", BasicProperties::default(), b"before").await;
    until_within("the first letter", Duration::from_secs(20), || async {
        letters(&pool).await == 1
    })
    .await;
    // Its connections are cut and new ones refused: to the office the database is away.
    let name = pool.connect_options().get_database().expect("named").to_owned();
    let admin = crate::support::database::admin().await;
    for statement in [
        format!("alter database \"{name}\" allow_connections false"),
        format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'"),
    ] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&admin).await.expect("cut off");
    }
    vhost.publish("dead", BasicProperties::default(), b"meanwhile").await;
    // With the first one, if that is stored and its acknowledgement was not written down yet.
    until_within("the message is given back", Duration::from_secs(20), || async {
        (1..=2).contains(&vhost.depth("dead").await)
    })
    .await;
    let statement = format!("alter database \"{name}\" allow_connections true");
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&admin).await.expect("allowed again");
    until_within("intake resumes", Duration::from_secs(10), || async {
        letters_or_none(&pool).await == Some(2)
    })
    .await;
    serve.stop().await;
    assert_eq!((letters(&pool).await, vhost.depth("dead").await), (2, 0), "each once");
    vhost.delete().await;
}

/// Postgres rolls transactions back because of others, as in a deadlock; that says nothing of the
/// letters in them.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_deadlock_strips_no_letter_of_its_headers(pool: PgPool) {
    for statement in [
        "create sequence attempts",
        "create function deadlock() returns trigger language plpgsql as $$ begin
             if nextval('attempts') <= 2 then
                 raise exception 'deadlock detected' using errcode = '40P01';
             end if;
             return null;
         end $$",
        "create trigger deadlock before insert on letters
         for each statement execute function deadlock()",
    ] {
        sqlx::query(statement).execute(&pool).await.expect("made");
    }
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    for number in 0..10 {
        let mut headers = FieldTable::default();
        headers.insert("number".into(), AMQPValue::LongInt(number));
        let properties = BasicProperties::default().with_headers(headers);
        vhost.publish("dead", properties, b"with headers").await;
    }
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until_within("the letters", Duration::from_secs(20), || async { letters(&pool).await == 10 })
        .await;
    office.stop().await;
    let attempts: i64 =
        sqlx::query_scalar("select last_value from attempts").fetch_one(&pool).await.expect("read");
    assert!(attempts > 2, "nothing was rolled back: the test proved nothing");
    let stripped: i64 =
        sqlx::query_scalar("select count(*) from arrivals where headers::text = '[]'")
            .fetch_one(&pool)
            .await
            .expect("counted");
    assert_eq!(stripped, 0, "every letter has its headers");
    vhost.delete().await;
}

/// The pool's own connections were cut too: the first answers may be errors.
async fn letters_or_none(pool: &PgPool) -> Option<i64> {
    sqlx::query_scalar("select count(*) from letters").fetch_one(pool).await.ok()
}
