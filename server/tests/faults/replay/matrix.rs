//! Every way in which a publish can go wrong, each between good neighbours: what came of it is told
//! with the reason, nothing is called a success that was none, and no neighbour suffers.
//!
//! The table holds for RabbitMQ 3 and 4: `DLO_TEST_BROKER` names another broker than the sandbox's.

use std::collections::BTreeMap;

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{Outcome, Target};
use dlo_domain::state::LetterState;
use dlo_domain::wire::{Field, FieldTable, FieldValue, Properties, WireText};
use dlo_server::broker::Brokers;
use lapin::types::AMQPValue;
use lapin::uri::AMQPUri;
use sqlx::PgPool;
use uuid::Uuid;

use crate::harness::goal::GoalRow;
use crate::harness::sized;
use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work, unique};
use crate::support::reckoning::delivered;

/// A letter with something wrong with it, and what is to come of it.
struct Case {
    name: &'static str,
    exchange: &'static str,
    key: &'static str,
    properties: Properties,
    headers: FieldTable,
    body: Vec<u8>,
    outcome: Outcome,
    /// What is said of it: the whole for a success, else a part.
    said: String,
}

impl Case {
    /// One that is published to a queue as it is.
    fn new(name: &'static str, outcome: Outcome, said: impl Into<String>) -> Self {
        Self {
            name,
            exchange: "",
            key: "work",
            properties: Properties::default(),
            headers: FieldTable::default(),
            body: b"{}".to_vec(),
            outcome,
            said: said.into(),
        }
    }

    fn confirmed(name: &'static str, said: &str) -> Self {
        Self::new(name, Outcome::Confirmed, said)
    }

    fn refused(name: &'static str, said: impl Into<String>) -> Self {
        Self::new(name, Outcome::Refused, said)
    }

    fn unroutable(name: &'static str, said: &str) -> Self {
        Self::new(name, Outcome::Unroutable, said)
    }

    fn to(mut self, exchange: &'static str, key: &'static str) -> Self {
        (self.exchange, self.key) = (exchange, key);
        self
    }

    fn header(mut self, name: &str, value: FieldValue) -> Self {
        self.headers.set(name, value);
        self
    }

    fn property(mut self, set: impl FnOnce(&mut Properties)) -> Self {
        set(&mut self.properties);
        self
    }

    fn of_size(mut self, bytes: usize) -> Self {
        self.body = vec![b'x'; bytes];
        self
    }
}

fn text(text: &str) -> FieldValue {
    FieldValue::LongString(text.into())
}

/// What has no place at the broker.
fn without_a_place() -> Vec<Case> {
    vec![
        Case::refused("full queue, classic", "the queue is full").to("", "full"),
        Case::refused("full queue, quorum", "the queue is full").to("", "full-quorum"),
        Case::unroutable("no such queue", "312").to("", "gone"),
        Case::unroutable("exchange without a binding", "312").to("unbound", "work"),
        Case::unroutable("no such exchange", "no exchange `gone`").to("gone", "work"),
    ]
}

/// What a broker answers with the end of the channel or of the connection.
fn hostile() -> Vec<Case> {
    let missing = || FieldValue::Array(vec![text("gone")]);
    let nameless = Field { name: WireText::from(vec![0xff]), value: text("x") };
    let mut not_utf8 = Case::refused("header's name no UTF-8", "no UTF-8");
    not_utf8.headers.0.push(nameless);
    vec![
        Case::confirmed("user-id of another", "sent without user-id")
            .property(|all| all.user_id = Some("somebody".into())),
        Case::confirmed("expiration that is no number", "sent without expiration")
            .property(|all| all.expiration = Some("soon".into())),
        Case::confirmed("CC to no queue", "sent without CC").header("CC", missing()),
        Case::confirmed("BCC to no queue", "sent without BCC").header("BCC", missing()),
        Case::confirmed("CC that is no array", "sent without CC").header("CC", text("gone")),
        Case::confirmed("BCC that is no array", "sent without BCC")
            .header("BCC", FieldValue::Boolean(true)),
        Case::confirmed("reply-to, the pseudo queue", "sent without reply-to")
            .property(|all| all.reply_to = Some("amq.rabbitmq.reply-to".into())),
        Case::confirmed("reply-to, a queue that was one", "")
            .property(|all| all.reply_to = Some("amq.rabbitmq.reply-to.g1h2AA5yZXBseQ".into())),
        Case::confirmed("delivery mode 9", "").property(|all| all.delivery_mode = Some(9)),
        Case::confirmed("x-death of texts", "")
            .header("x-death", FieldValue::Array(vec![text("a"), text("b")])),
        Case::confirmed("x-death that is no array", "").header("x-death", text("once")),
        Case::confirmed("header's name of 255 bytes", "").header(&"n".repeat(255), text("x")),
        Case::refused("headers of 130,000 bytes", "bytes")
            .header("note", text(&"x".repeat(130_000))),
        Case::refused("header that is a short string", "short string")
            .header("s", FieldValue::ShortString("x".into())),
        Case::refused("message-id no UTF-8", "message-id")
            .property(|all| all.message_id = Some(WireText::from(vec![0xfe, 0xff]))),
        not_utf8,
    ]
}

/// Bodies around the largest that this broker takes: one at a time, since it names its limit only as
/// it closes the channel.
async fn sizes(vhost: &Vhost) -> Vec<Case> {
    let version = vhost.version().await;
    let major = version.split('.').next().map(str::parse::<u32>);
    let limit: usize = match major {
        Some(Ok(4..)) => 16 << 20,
        Some(Ok(_)) => 128 << 20,
        _ => panic!("`{version}` is not a version"),
    };
    vec![
        Case::confirmed("body well below the broker's limit", "").of_size(limit / 4),
        Case::refused("body above the broker's limit", limit.to_string()).of_size(limit + 1),
    ]
}

/// Lives that senders gave their messages, where a replay keeps them.
fn lives() -> Vec<Case> {
    let of = |name, refused: bool, life: &'static str| {
        let case = if refused {
            Case::refused(name, format!("its expiration `{life}` is not a number"))
        } else {
            Case::confirmed(name, "")
        };
        case.property(|all| all.expiration = Some(life.into()))
    };
    vec![
        of("kept expiration, no number", true, "soon"),
        of("kept expiration, negative", true, "-1"),
        of("kept expiration, empty", true, ""),
        of("kept expiration, too large", true, "4294967296"),
        of("kept expiration, as large as may be", false, "4294967295"),
        of("kept expiration, with a sign", false, "+60000"),
    ]
}

/// A vhost with every queue and exchange that the table needs.
async fn places(pool: &PgPool) -> (Vhost, Bench) {
    let (vhost, bench) = at_work(pool).await;
    vhost.topic("unbound", &[]).await;
    let full = |kind: &str| {
        [
            ("x-queue-type", AMQPValue::LongString(kind.into())),
            ("x-max-length", AMQPValue::LongInt(1)),
            ("x-overflow", AMQPValue::LongString("reject-publish".into())),
        ]
    };
    vhost.queue("full", &full("classic")).await;
    vhost.queue("full-quorum", &full("quorum")).await;
    for queue in ["full", "full-quorum"] {
        vhost.fill(queue).await;
    }
    (vhost, bench)
}

/// A letter of a case.
async fn sick(bench: &Bench, case: &Case) -> LetterId {
    let (properties, headers) = (&case.properties, &case.headers);
    let letter = bench.letter_of("work", properties, headers, &case.body);
    let letter = letter.await;
    sqlx::query("update letters set exchange = $2, routing_key = $3 where id = $1")
        .bind(letter.0)
        .bind(case.exchange)
        .bind(case.key)
        .execute(&bench.pool)
        .await
        .expect("set");
    letter
}

async fn outcomes(pool: &PgPool, replay: ReplayId) -> BTreeMap<LetterId, (Outcome, String)> {
    let rows: Vec<(Uuid, String, Option<String>)> =
        sqlx::query_as("select letter_id, outcome, detail from replay_items where replay_id = $1")
            .bind(replay.0)
            .fetch_all(pool)
            .await
            .expect("items");
    let read = |(letter, word, said): (Uuid, String, Option<String>)| {
        let outcome = word.parse().expect("an outcome");
        (LetterId(letter), (outcome, said.unwrap_or_default()))
    };
    rows.into_iter().map(read).collect()
}

/// Replays every case between good neighbours, and holds what came of it against the table.
async fn hold(pool: &PgPool, (vhost, bench): (&Vhost, &Bench), cases: &[Case], keep: bool) {
    let neighbours = sized(1, 60);
    let mut all = bench.letters(neighbours).await;
    let mut of_cases = Vec::new();
    for case in cases {
        let letter = sick(bench, case).await;
        of_cases.push(letter);
        all.push(letter);
        all.extend(bench.letters(neighbours).await);
    }
    let engine = bench.engine().await;
    let replay = bench.plan_with(&all, |new| {
        new.target = Target::OriginExchange;
        new.keep_expiration = keep;
    });
    let replay = replay.await;
    bench.finished(replay).await;
    engine.stop().await;
    let came = outcomes(pool, replay).await;
    let delivered = delivered(vhost, "work").await;
    println!("R5: RabbitMQ {}, {} letters", vhost.version().await, all.len());
    let mut wrong = Vec::new();
    for (case, letter) in cases.iter().zip(&of_cases) {
        let (outcome, said) = &came[letter];
        println!("| {} | {outcome} | {} |", case.name, said.replace('|', "/"));
        let is_said = match outcome {
            Outcome::Confirmed => *said == case.said,
            _ => said.contains(&case.said),
        };
        let state = match case.outcome {
            Outcome::Confirmed => LetterState::Replayed,
            _ => LetterState::Held,
        };
        if *outcome != case.outcome || !is_said || bench.state(*letter).await != state {
            wrong.push(case.name);
        }
    }
    let copies = |letter: &LetterId| delivered.get(letter).map_or(0, Vec::len);
    let is_lost = |letter: &&LetterId| came[*letter].0 == Outcome::Confirmed && copies(letter) == 0;
    GoalRow {
        goal: "R5",
        case: "every outcome of a publish".to_owned(),
        tried: format!("{} letters, {} cases", all.len(), cases.len()),
        broker: vhost.version().await,
        lost: Some(all.iter().filter(is_lost).count()),
        doubled: Some(all.iter().filter(|letter| copies(letter) > 1).count()),
        recovered: None,
        is_met: wrong.is_empty(),
    }
    .report();
    assert!(wrong.is_empty(), "not as expected: {wrong:?}");
    for letter in &all {
        let copies = copies(letter);
        let (outcome, said) = &came[letter];
        assert_eq!(copies, usize::from(*outcome == Outcome::Confirmed), "{said}");
        let is_case = of_cases.contains(letter);
        assert!(is_case || *outcome == Outcome::Confirmed, "{outcome}: {said}");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn every_outcome_is_told_with_its_reason_and_no_neighbour_suffers(pool: PgPool) {
    let (vhost, bench) = places(&pool).await;
    let mut cases = without_a_place();
    cases.extend(hostile());
    cases.extend(sizes(&vhost).await);
    hold(&pool, (&vhost, &bench), &cases, false).await;
    for queue in ["full", "full-quorum"] {
        let there = delivered_elsewhere(&vhost, queue).await;
        assert!(there, "only what filled it is in {queue}");
    }
    vhost.delete().await;
}

/// Whether all that is in a queue was put there by the test.
async fn delivered_elsewhere(vhost: &Vhost, queue: &str) -> bool {
    let mut bodies = vhost.take_bodies(queue).await.into_iter();
    bodies.all(|body| body == b"it fills the queue")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_life_that_is_kept_is_checked_before_it_is_sent(pool: PgPool) {
    let (vhost, bench) = places(&pool).await;
    hold(&pool, (&vhost, &bench), &lives(), true).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_exchange_that_may_not_be_written_to_harms_no_neighbour(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    vhost.topic("secret", &[("work", "#")]).await;
    let user = unique("writer");
    vhost.add_user(&user, "secret", r"^amq\.default$").await;
    let main = vhost.brokers.get("main").expect("a broker");
    let direct: AMQPUri = main.amqp.parse().expect("an address");
    let port = direct.authority.port;
    let amqp = format!("amqp://{user}:secret@127.0.0.1:{port}/%2f");
    let bench =
        Bench::new(&pool, &Brokers::main(&amqp, main.management.as_deref()), &vhost.name).await;
    let mut all = bench.letters(120).await;
    let case = Case::confirmed("", "").to("secret", "work");
    let forbidden = sick(&bench, &case).await;
    all.insert(40, forbidden);
    let engine = bench.engine().await;
    let new = bench.plan_with(&all, |new| new.target = Target::OriginExchange);
    let replay = new.await;
    let done = bench.finished(replay).await.outcomes;
    engine.stop().await;
    println!("R5: an exchange that may not be written to: {done:?}");
    let came = outcomes(&pool, replay).await;
    let delivered = delivered(&vhost, "work").await;
    for letter in &all {
        let copies = delivered.get(letter).map_or(0, Vec::len);
        let (outcome, why) = &came[letter];
        if *letter != forbidden {
            assert_eq!((outcome, copies), (&Outcome::Confirmed, 1), "{why}");
        }
    }
    let (outcome, why) = &came[&forbidden];
    assert_eq!(*outcome, Outcome::Refused, "{why}");
    assert!(why.contains("ACCESS_REFUSED"), "{why}");
    assert!(!delivered.contains_key(&forbidden));
    vhost.remove_user(&user).await;
    vhost.delete().await;
}
