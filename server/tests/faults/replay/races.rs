//! Several at once: people, offices, and a letter that is faster than its own confirm.

use std::collections::BTreeMap;
use std::time::Duration;

use dlo_app::desk::TriageDesk as _;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::Outcome;
use dlo_domain::state::LetterState;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use lapin::options::{BasicConsumeOptions, BasicRejectOptions};
use lapin::types::{AMQPValue, FieldTable};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::harness::branch::Branch;
use crate::harness::goal::GoalRow;
use crate::harness::proxy::Proxy;
use crate::harness::sized;
use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work};
use crate::support::office::Office;
use crate::support::reckoning::delivered;
use crate::support::until_within;

/// Requests at once.
const REQUESTS: usize = 50;

/// Parts of the letters that each request asks for. It begins one part after the one before it, so
/// that most letters are asked for by as many requests.
const PARTS: usize = 10;

/// What a request asks for: some by their ids, backwards, and some by a filter.
fn wanted(n: usize, letters: &[LetterId]) -> (usize, Value) {
    let part = letters.len() / (REQUESTS + PARTS - 1);
    let (first, last) = (n * part, (n + PARTS) * part - 1);
    let selection = if n.is_multiple_of(2) {
        let ids: Vec<LetterId> = letters[first..=last].iter().rev().copied().collect();
        json!({ "ids": ids })
    } else {
        // A letter's size says its place.
        json!({ "filter": format!("queue:work size:{first}..{last}") })
    };
    (last - first + 1, json!({ "selection": selection }))
}

/// What came of a request, as the API tells it.
struct Planned {
    id: Option<ReplayId>,
    total: usize,
    left_out: usize,
}

impl Planned {
    fn read(answer: &Value) -> Self {
        let number = |value: &Value| usize::try_from(value.as_u64().expect("a number"));
        let left_out = answer["left_out"].as_array().expect("a list").iter();
        let left_out = left_out.map(|one| number(&one["letters"]).expect("few"));
        Self {
            id: answer["id"].as_str().map(|id| id.parse().expect("an id")),
            total: number(&answer["total"]).expect("few"),
            left_out: left_out.sum(),
        }
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn of_many_overlapping_requests_at_two_offices_one_publishes_each_letter(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let bodies = (0..(REQUESTS + PARTS - 1) * sized(2, 150)).map(|size| vec![b'x'; size]);
    let letters = bench.letters_of(bodies.collect()).await;
    let offices = [
        Branch::open(&pool, &vhost.brokers, "first", &[]).await,
        Branch::open(&pool, &vhost.brokers, "second", &[]).await,
    ];
    let asked = (0..REQUESTS).map(|n| {
        let (asked, body) = wanted(n, &letters);
        let office = &offices[n / 2 % 2];
        async move {
            let answer = office.post("/api/v1/replays", &body).await;
            (asked, Planned::read(&answer.expect("planned")))
        }
    });
    let planned = join_all(asked).await;
    let mut taken = BTreeMap::new();
    for (asked, planned) in &planned {
        assert_eq!(planned.total + planned.left_out, *asked);
        let id = planned.id.expect("an id");
        bench.finished(id).await;
        taken.insert(id, planned.total);
    }
    assert_eq!(taken.values().sum::<usize>(), letters.len());
    let delivered = delivered(&vhost, "work").await;
    assert_eq!(delivered.len(), letters.len());
    let mut published: BTreeMap<ReplayId, usize> = BTreeMap::new();
    for (letter, replays) in &delivered {
        let [only] = &replays[..] else {
            panic!("{letter} was published more than once: {replays:?}");
        };
        *published.entry(*only).or_default() += 1;
    }
    taken.retain(|_, total| *total > 0);
    println!(
        "R6: {REQUESTS} requests at 2 offices for {} letters, taken by {} of them: each letter was \
         published once, by {} offices",
        letters.len(),
        taken.len(),
        publishers(&pool).await
    );
    GoalRow {
        goal: "R6",
        case: "overlapping requests at two offices".to_owned(),
        tried: format!("{REQUESTS} requests, {} letters", letters.len()),
        broker: vhost.version().await,
        lost: Some(letters.len() - delivered.len()),
        doubled: Some(delivered.values().filter(|replays| replays.len() > 1).count()),
        recovered: None,
        is_met: published == taken,
    }
    .report();
    assert_eq!(published, taken);
    for office in offices {
        office.close().await;
    }
    vhost.delete().await;
}

/// Offices that had a replay in hand. Both were asked; which of them takes a replay up is chance.
async fn publishers(pool: &PgPool) -> i64 {
    sqlx::query_scalar("select count(distinct office_id) from replays where total > 0")
        .fetch_one(pool)
        .await
        .expect("counted")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_dies_again_before_its_confirm_is_recorded_stays_held(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    vhost.queue("work", &[("x-dead-letter-exchange", AMQPValue::LongString("dlx".into()))]).await;
    let proxy = Proxy::start(&vhost.brokers).await;
    let bench = Bench::new(&pool, &proxy.brokers(&vhost.brokers), &vhost.name).await;
    let letter = bench.letter("work", b"fails again").await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    proxy.hold(true);
    let engine = bench.engine().await;
    let id = bench.replay_home(&[letter]).await;

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
    let delivery = consumer.next().await.expect("a delivery").expect("a message");
    delivery.reject(BasicRejectOptions { requeue: false }).await.expect("rejected");
    until_within("it is back", Duration::from_secs(15), || async {
        bench.items(id).await[0].outcome == Outcome::DiedAgain
    })
    .await;
    assert_eq!(bench.state(letter).await, LetterState::Held);
    proxy.hold(false);
    let done = bench.finished(id).await.outcomes;
    engine.stop().await;
    let after = bench.replay(id).await.outcomes;
    assert_eq!((done, done.died_again, done.total()), (after, 1, 1));
    assert_eq!(bench.state(letter).await, LetterState::Held);
    let whole = bench.desk.letter(letter).await.expect("a letter");
    assert_eq!(whole.arrivals.len(), 2);
    assert_eq!(whole.replays[0].outcome, Outcome::DiedAgain);
    let detail = |action: &str| {
        let mut lines = whole.audit.iter();
        lines.find(|line| line.action == action)?.detail.clone()
    };
    let planned = format!("replay {id}, to the queue it died in");
    assert_eq!(detail("letter.replay"), Some(planned));
    assert_eq!(detail("letter.died_again"), Some(format!("after replay {id}")));
    intake.stop().await;
    vhost.delete().await;
}
