//! Replays to exchanges and workers.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{Destination, NewReplay, Outcome, Target, WorkersThere};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use dlo_domain::worker::Heartbeat;
use dlo_server::clock::SystemClock;
use dlo_server::config::ReplayConfig;
use dlo_server::store::workers::beats::{self, Beat};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work};
use crate::support::until;

/// Gives a letter the exchange and key that it was published with.
async fn published_to(bench: &Bench, letter: LetterId, exchange: &str, key: &str) {
    sqlx::query("update letters set exchange = $2, routing_key = $3 where id = $1")
        .bind(letter.0)
        .bind(exchange)
        .bind(key)
        .execute(&bench.pool)
        .await
        .expect("set");
}

fn to_exchange(exchange: &str, routing_key: &str) -> Target {
    Target::Exchange { exchange: exchange.into(), routing_key: routing_key.into() }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_go_through_the_exchange_that_they_were_published_to(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    vhost.dead_letter_pair("orders", "work-a").await;
    vhost.bind("orders", "work", "").await;
    let engine = bench.engine().await;
    let letters = [
        bench.letter("work", b"1").await,
        bench.letter("work", b"2").await,
        bench.letter("work", b"3").await,
    ];
    published_to(&bench, letters[0], "orders", "created").await;
    published_to(&bench, letters[1], "gone", "created").await;
    let target = Target::OriginExchange;

    let new = NewReplay {
        selection: Selection::of_ids(letters.to_vec()),
        target: target.clone(),
        dry_run: true,
        ..NewReplay::default()
    };
    let dry = bench.desk.plan_replay(&Actor("jonas".into()), &new).await;
    let dry = dry.expect("tried");
    let of = |exchange: Option<&str>| {
        let mut found = dry.destinations.iter();
        found.find(|one| one.exchange.as_deref() == exchange).expect("a destination").clone()
    };
    let both = vec!["work".to_owned(), "work-a".to_owned()];
    assert_eq!((of(Some("orders")).exists, of(Some("orders")).receivers), (Some(true), Some(both)));
    assert_eq!((of(Some("gone")).exists, of(Some("gone")).receivers), (Some(false), None));
    // The default exchange leads to one queue.
    assert_eq!(of(None).queue.as_deref(), Some("work"));

    let id = bench.plan(&letters, target).await.id.expect("an id");
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.confirmed, done.unroutable, done.unknown), (2, 1, 0), "{done:?}");
    assert_eq!(vhost.depth("work").await, 2);
    assert_eq!(vhost.depth("work-a").await, 1);
    assert_eq!(bench.state(letters[1]).await, LetterState::Held);
    let item = &bench.items(id).await[1];
    assert_eq!(item.outcome, Outcome::Unroutable);
    assert_eq!(item.exchange.as_deref(), Some("gone"));
    assert!(item.detail.as_deref().expect("why").contains("no exchange `gone`"));
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_exchange_that_routes_nowhere_gives_the_letters_back(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    vhost.topic("events", &[("work", "orders.*")]).await;
    let engine = bench.engine().await;
    let letters = bench.letters(12).await;
    let target = to_exchange("events", "payments.failed");
    let id = bench.plan(&letters, target).await.id.expect("an id");
    assert_eq!(bench.finished(id).await.outcomes.unroutable, 12);
    let target = to_exchange("events", "orders.created");
    let id = bench.plan(&letters, target).await.id.expect("an id");
    assert_eq!(bench.finished(id).await.outcomes.confirmed, 12);
    assert_eq!(vhost.depth("work").await, 12);
    engine.stop().await;
    vhost.delete().await;
}

async fn tried(bench: &Bench, letter: LetterId, target: Target) -> Destination {
    let new = NewReplay {
        selection: Selection::of_ids(vec![letter]),
        target,
        dry_run: true,
        ..NewReplay::default()
    };
    let dry = bench.desk.plan_replay(&Actor("jonas".into()), &new).await;
    let mut told = dry.expect("tried").destinations;
    assert_eq!(told.len(), 1, "{told:?}");
    told.remove(0)
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_dry_run_follows_alternate_exchanges_and_knows_internal_ones(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    vhost.with_alternate("orders", "others", "alt.q").await;
    vhost.bind("orders", "work", "known").await;
    vhost.direct("by-policy", &[]).await;
    let definition = serde_json::json!({"alternate-exchange": "others"});
    vhost.exchange_policy("alt", "^by-policy$", definition).await;
    vhost.internal("inside").await;
    let letter = bench.letter("work", b"{}").await;
    let receivers = async |exchange: &str, key: &str| {
        let told = tried(&bench, letter, to_exchange(exchange, key)).await;
        assert_eq!((told.exists, told.internal), (Some(true), Some(false)));
        told.receivers.expect("told")
    };
    assert_eq!(receivers("orders", "known").await, ["work"]);
    assert_eq!(receivers("orders", "other").await, ["alt.q"]);
    // A broker applies a policy some moments after it took it.
    until("the policy applies", || async { receivers("by-policy", "other").await == ["alt.q"] })
        .await;
    let inside = tried(&bench, letter, to_exchange("inside", "x")).await;
    assert_eq!((inside.exists, inside.internal), (Some(true), Some(true)));
    vhost.delete().await;
}

/// A worker that said, or did not say, which queue it works on.
async fn worker(pool: &PgPool, name: &str, queue: Option<&str>) {
    let mut heartbeat = Heartbeat { interval_seconds: Some(3_600.0), ..Heartbeat::default() };
    heartbeat.queue = queue.map(str::to_owned);
    let beat = Beat { name: name.to_owned(), heartbeat, refused_queue: None };
    let mut conn = pool.acquire().await.expect("a connection");
    beats::write(&mut conn, &SystemClock, "http", &[beat]).await.expect("heard");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_go_to_the_queue_that_a_worker_says_it_works_on(pool: PgPool) {
    let vhost = Vhost::create().await;
    let config = ReplayConfig {
        worker_queues: "jobs.*".parse().expect("patterns"),
        ..ReplayConfig::default()
    };
    let bench = Bench::with(&pool, &vhost.brokers, &vhost.name, config).await;
    let queues = ["jobs.eight", "worker.8.executions", "worker.9.executions"];
    for queue in queues {
        vhost.queue(queue, &[]).await;
    }
    worker(&pool, "8", Some("jobs.eight")).await;
    worker(&pool, "9", None).await;
    let engine = bench.engine().await;
    for (name, wanted) in [
        ("8", "jobs.eight"),
        ("9", "worker.9.executions"),
        // Nobody ever heard of it: what such queues are called is all that is known.
        ("10", "worker.10.executions"),
    ] {
        let letters = bench.letters(3).await;
        let target = Target::Worker { worker: name.into() };
        let new = NewReplay {
            selection: Selection::of_ids(letters.clone()),
            target: target.clone(),
            dry_run: true,
            ..NewReplay::default()
        };
        let dry = bench.desk.plan_replay(&Actor("jonas".into()), &new).await;
        let dry = dry.expect("tried");
        let told: Vec<_> = dry.destinations.iter().collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0].queue.as_deref(), Some(wanted));
        assert_eq!(told[0].exists, Some(queues.contains(&wanted)));
        if told[0].exists == Some(true) {
            let id = bench.plan(&letters, target).await.id.expect("an id");
            // What it says later is for later plans.
            worker(&pool, name, Some("elsewhere")).await;
            assert_eq!(bench.finished(id).await.outcomes.confirmed, 3);
            assert_eq!(vhost.depth(wanted).await, 3);
        }
    }
    assert_eq!(vhost.depth("worker.8.executions").await, 0);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_dry_run_tells_how_the_workers_are_where_letters_go(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letter = bench.letter("work", b"{}").await;
    let there = async || tried(&bench, letter, Target::OriginQueue).await.workers;
    let intended = async || bench.desk.letter(letter).await.expect("there").worker;
    assert_eq!((there().await, intended().await), (None, None));
    worker(&pool, "7", Some("work")).await;
    let one = WorkersThere { fresh: 1, ..WorkersThere::default() };
    assert_eq!((there().await, intended().await), (Some(one), Some("7".into())));
    worker(&pool, "8", Some("work")).await;
    worker(&pool, "9", Some("work")).await;
    for change in [
        "update workers set silent_since = now() where name = '7'",
        "update workers set state = 'draining' where name in ('7', '8')",
        "update workers set state = 'stopped', silent_since = now() where name = '9'",
    ] {
        sqlx::query(change).execute(&pool).await.expect("changed");
    }
    let none_fresh = WorkersThere { fresh: 0, stale: 1, draining: 1, stopped: 1 };
    let told = (there().await, intended().await);
    assert_eq!(told, (Some(none_fresh), None), "nobody knows for which one");
    vhost.delete().await;
}
