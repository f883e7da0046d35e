//! Whoever may publish to a dead-letter queue can write a history that names any queue. What only the message
//! says is replayed by a person who says so, and by nobody else.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::filter::LetterFilter;
use dlo_domain::letter::LetterSummary;
use dlo_domain::replay::{ClaimedOrigin, NewReplay, Replay, Target};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use dlo_server::broker::Brokers;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldArray, FieldTable};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::office::{Office, believe, letters};
use crate::support::topology::{Watcher, dying};
use crate::support::until;

/// A death history that names a queue.
pub fn x_death(queue: &str) -> BasicProperties {
    let long = |text: &str| AMQPValue::LongString(text.into());
    let mut death = FieldTable::default();
    death.insert("count".into(), AMQPValue::LongLongInt(1));
    death.insert("reason".into(), long("rejected"));
    death.insert("queue".into(), long(queue));
    death.insert("exchange".into(), long(""));
    let keys = FieldArray::from(vec![long(queue)]);
    death.insert("routing-keys".into(), AMQPValue::FieldArray(keys));
    let deaths = FieldArray::from(vec![AMQPValue::FieldTable(death)]);
    let mut headers = FieldTable::default();
    headers.insert("x-death".into(), AMQPValue::FieldArray(deaths));
    BasicProperties::default().with_headers(headers)
}

/// `orders.work` dies into `dead`, which is watched; `payments.execute` has nothing to do with it.
pub async fn company(vhost: &Vhost) {
    vhost.dead_letter_pair("dlx", "dead").await;
    vhost.queue("orders.work", &dying("dlx")).await;
    vhost.queue("payments.execute", &[]).await;
}

/// Letters that name these queues, as they come to a desk whose source trusts no message.
async fn taken(pool: &PgPool, vhost: &Vhost, queues: &[&str]) -> Bench {
    let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
    believe(pool, bench.source, "").await;
    let intake = Office::start(pool, &vhost.brokers).await;
    for queue in queues {
        vhost.publish("dead", x_death(queue), b"{}").await;
    }
    let wanted = i64::try_from(queues.len()).expect("few");
    until("they are taken", || async { letters(pool).await == wanted }).await;
    intake.stop().await;
    bench
}

fn all() -> NewReplay {
    NewReplay {
        selection: Selection { filter: Some(String::new()), all: true, ..Selection::default() },
        ..NewReplay::default()
    }
}

async fn plan(bench: &Bench, new: &NewReplay) -> Replay {
    let planned = bench.desk.plan_replay(&Actor("jonas".into()), new).await;
    planned.expect("planned")
}

async fn listed(bench: &Bench) -> Vec<LetterSummary> {
    let page = bench.desk.letters(&LetterFilter::default(), None, 50).await;
    page.expect("a page").items
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_forged_history_decides_nothing_unless_a_person_says_so(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    company(&watcher.vhost).await;
    let vhost = &watcher.vhost;
    let bench = taken(&pool, vhost, &["payments.execute", "orders.work"]).await;
    watcher.look().await;
    for letter in listed(&bench).await {
        let is_forged = letter.queue.as_deref() == Some("payments.execute");
        assert_eq!(letter.origin_claimed, is_forged, "{:?}", letter.queue);
        let one = bench.desk.letter(letter.id).await.expect("a letter");
        assert_eq!(one.summary.origin_claimed, is_forged);
    }

    let tried = plan(&bench, &NewReplay { dry_run: true, ..all() }).await;
    assert_eq!(tried.total, 1);
    let claimed = tried.claimed_origins.expect("told");
    assert_eq!((claimed.letters, claimed.included), (1, false));
    let names = ClaimedOrigin {
        source_id: bench.source,
        source: "dead".to_owned(),
        queue: Some("payments.execute".to_owned()),
        exchange: None,
        routing_key: None,
        letters: 1,
    };
    assert_eq!(claimed.origins, [names]);
    assert!(tried.left_out[0].reason.contains("only the message itself"));

    let engine = bench.engine().await;
    let first = plan(&bench, &all()).await.id.expect("an id");
    assert_eq!(bench.finished(first).await.outcomes.confirmed, 1);
    assert_eq!(vhost.depth("orders.work").await, 1);
    assert_eq!(vhost.depth("payments.execute").await, 0);

    let asked = NewReplay { claimed_origins: true, ..all() };
    let second = plan(&bench, &asked).await;
    assert_eq!(second.total, 1);
    let done = bench.finished(second.id.expect("an id")).await;
    assert_eq!(done.outcomes.confirmed, 1);
    assert!(done.claimed_origins.expect("kept").included);
    assert_eq!(vhost.depth("payments.execute").await, 1);
    let told: String = sqlx::query_scalar(
        "select detail from audit where action = 'replay.create' order by at desc limit 1",
    )
    .fetch_one(&pool)
    .await
    .expect("an audit line");
    assert!(told.contains("of 1 only the message says"), "{told}");
    engine.stop().await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn without_a_management_api_the_list_of_the_source_decides(pool: PgPool) {
    let vhost = Vhost::create().await;
    company(&vhost).await;
    let amqp = &vhost.brokers.get("main").expect("main").amqp;
    let bench = Bench::new(&pool, &Brokers::main(amqp, None), &vhost.name).await;
    bench.letter("orders.work", b"{}").await;
    bench.letter("payments.execute", b"{}").await;
    for (list, total) in [("", 0), ("orders.*", 1), ("*", 2), ("orders.*, payments.*", 2)] {
        believe(&pool, bench.source, list).await;
        let tried = plan(&bench, &NewReplay { dry_run: true, ..all() }).await;
        assert_eq!(tried.total, total, "{list}");
        let claimed = tried.claimed_origins.map_or(0, |claimed| claimed.letters);
        assert_eq!(claimed, 2 - total, "{list}");
        let listed = listed(&bench).await;
        let marked = listed.iter().filter(|one| one.origin_claimed).count();
        assert_eq!(i64::try_from(marked).expect("few"), 2 - total, "{list}");
    }
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_queue_that_was_made_a_moment_ago_is_no_claim(pool: PgPool) {
    let vhost = Vhost::create().await;
    company(&vhost).await;
    // Nobody has read the broker's queues: the plan of a person has it done.
    let bench = taken(&pool, &vhost, &["orders.work", "payments.execute"]).await;
    let tried = plan(&bench, &NewReplay { dry_run: true, ..all() }).await;
    assert_eq!(tried.total, 1);
    assert_eq!(tried.destinations[0].queue.as_deref(), Some("orders.work"));
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_exchange_is_known_only_where_all_that_it_reaches_is(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    company(vhost).await;
    vhost.queue("audit", &[]).await;
    vhost.direct("orders", &[("orders.work", "new")]).await;
    vhost.direct("all", &[("orders.work", "new"), ("audit", "new")]).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    believe(&pool, bench.source, "").await;
    watcher.look().await;
    for (exchange, key, total) in [
        ("orders", "new", 1),
        ("all", "new", 0),
        ("", "orders.work", 1),
        ("", "payments.execute", 0),
        ("nowhere", "new", 0),
    ] {
        let letter = bench.letter("orders.work", b"{}").await;
        sqlx::query("update letters set exchange = $2, routing_key = $3 where id = $1")
            .bind(letter.0)
            .bind(exchange)
            .bind(key)
            .execute(&pool)
            .await
            .expect("set");
        let new = NewReplay {
            selection: Selection::of_ids(vec![letter]),
            target: Target::OriginExchange,
            dry_run: true,
            ..NewReplay::default()
        };
        let tried = plan(&bench, &new).await;
        assert_eq!(tried.total, total, "{exchange} {key}");
        let asked = NewReplay { claimed_origins: true, ..new.clone() };
        assert_eq!(plan(&bench, &asked).await.total, 1, "{exchange} {key}");
        // Where a person names the place, nothing is asked of the letter.
        let named = NewReplay { target: Target::Queue { queue: "audit".to_owned() }, ..new };
        assert_eq!(plan(&bench, &named).await.total, 1);
    }
    assert_eq!(listed(&bench).await[0].state, LetterState::Held);
    watcher.end().await;
}
