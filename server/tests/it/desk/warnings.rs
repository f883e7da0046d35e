//! What a dry run warns of: asked of the broker, of heartbeats, of policies and of what died lately.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{NewReplay, Replay, ReplayWarning, Target, WarningKind};
use dlo_domain::selection::Selection;
use dlo_domain::worker::Heartbeat;
use dlo_server::clock::SystemClock;
use dlo_server::store::workers::beats::{self, Beat};
use sqlx::PgPool;

use crate::support::consumer::Consumer;
use crate::support::desk::{Bench, at_work};

async fn tried(bench: &Bench, letters: &[LetterId], target: Target) -> Replay {
    let new = NewReplay {
        selection: Selection::of_ids(letters.to_vec()),
        target,
        dry_run: true,
        ..NewReplay::default()
    };
    let dry = bench.desk.plan_replay(&Actor("jonas".into()), &new).await;
    dry.expect("tried")
}

/// The only warning, if there is one.
async fn warning(bench: &Bench, letters: &[LetterId], target: Target) -> Option<ReplayWarning> {
    let mut warnings = tried(bench, letters, target).await.warnings;
    assert!(warnings.len() < 2, "{warnings:?}");
    warnings.pop()
}

fn queue(name: &str) -> Target {
    Target::Queue { queue: name.into() }
}

fn exchange(name: &str, key: &str) -> Target {
    Target::Exchange { exchange: name.into(), routing_key: key.into() }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_target_that_is_gone_or_that_nobody_works_at_is_told(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    vhost.topic("events", &[("work", "orders.*")]).await;
    vhost.internal("inside").await;
    let letters = bench.letters(2).await;
    for (target, kind, will_fail) in [
        (queue("no.such"), WarningKind::QueueGone, true),
        (Target::OriginQueue, WarningKind::NoConsumer, false),
        (exchange("no.such", "x"), WarningKind::ExchangeGone, true),
        (exchange("inside", "x"), WarningKind::ExchangeInternal, true),
        (exchange("events", "x"), WarningKind::NoQueueBound, true),
    ] {
        let dry = tried(&bench, &letters, target).await;
        let [found] = &dry.warnings[..] else {
            panic!("one warning, and not {:?}", dry.warnings);
        };
        assert_eq!((found.kind, found.will_fail, found.letters), (kind, will_fail, 2));
        assert_eq!(dry.is_bound_to_fail(), will_fail, "{kind:?}");
    }
    let well = exchange("events", "orders.created");
    assert_eq!(warning(&bench, &letters, well).await, None);

    let consumer = Consumer::start(&vhost, "work").await;
    let dry = tried(&bench, &letters, Target::OriginQueue).await;
    assert_eq!(dry.warnings, []);
    assert_eq!(dry.destinations[0].consumers, Some(1));
    consumer.stop();
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn some_letters_that_must_fail_are_a_warning_and_no_refusal(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let consumer = Consumer::start(&vhost, "work").await;
    let letters = [bench.letter("work", b"1").await, bench.letter("gone", b"2").await];
    let dry = tried(&bench, &letters, Target::OriginQueue).await;
    let [found] = &dry.warnings[..] else {
        panic!("one warning, and not {:?}", dry.warnings);
    };
    assert_eq!((found.kind, found.letters), (WarningKind::QueueGone, 1));
    assert!(found.message.contains("1 of the 2 letters"), "{found:?}");
    assert!(found.will_fail && !dry.is_bound_to_fail());
    consumer.stop();
    vhost.delete().await;
}

async fn worker(pool: &PgPool, name: &str, queue: &str) {
    let beat = Beat {
        name: name.to_owned(),
        heartbeat: Heartbeat {
            interval_seconds: Some(3_600.0),
            queue: Some(queue.to_owned()),
            ..Heartbeat::default()
        },
        refused_queue: None,
    };
    let mut conn = pool.acquire().await.expect("a connection");
    beats::write(&mut conn, &SystemClock, "http", &[beat]).await.expect("heard");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_fresh_worker_is_offered_where_the_queues_own_is_away(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(2).await;
    let offered = async || {
        let found = warning(&bench, &letters, Target::OriginQueue).await;
        let found = found.expect("a warning");
        assert_eq!(found.kind, WarningKind::NoConsumer);
        found.fresh_worker
    };
    worker(&pool, "worker-8", "worker-8.jobs").await;
    assert_eq!(offered().await, None, "this queue is no worker's");
    worker(&pool, "worker-7", "work").await;
    let silent = "update workers set silent_since = now() where name = $1";
    for (name, offer) in [("worker-7", Some("worker-8")), ("worker-8", None)] {
        let done = sqlx::query(silent).bind(name).execute(&pool).await;
        assert_eq!(done.expect("changed").rows_affected(), 1);
        assert_eq!(offered().await.as_deref(), offer, "{name} is silent");
    }
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_policies_retry_and_what_still_dies_is_told(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letters = bench.letters(3).await;
    assert_eq!(warning(&bench, &letters, Target::OriginQueue).await, None);
    for step in [
        "insert into retry_policies (id, position, name, policy, enabled, changed_by, changed_at, breaker_since,
             budget_at)
         values ('00000000-0000-7000-8000-000000000001', 1, 'night', '{}', true, 'x', now(), now(), now())",
        "update letters set state = 'scheduled' where id = any($1)",
        "insert into retries (letter_id, ordinal, course, number, policy_id, state, planned_at, due_at)
         select id, 1, 1, 1, '00000000-0000-7000-8000-000000000001', 'waiting', now(), now()
         from letters where id = any($1)",
    ] {
        let some: Vec<_> = letters[..2].iter().map(|id| id.0).collect();
        let query = sqlx::query(step);
        let query = if step.contains("$1") {
            query.bind(some)
        } else {
            query
        };
        query.execute(&pool).await.expect("done");
    }
    let found = warning(&bench, &letters, Target::OriginQueue).await;
    let found = found.expect("a warning");
    assert_eq!((found.kind, found.letters), (WarningKind::RetriedByPolicy, 2));
    assert!(found.message.contains("“night” has 2 of the 3 letters"));

    // The one that nobody retries is of a kind that died seconds ago, and another that did so long ago.
    let quiet = [letters[2]];
    for (moment, is_told) in [("now()", true), ("now() - interval '5 minutes'", false)] {
        let set = format!(
            "update letters set signature = '\\x01', last_arrived_at = {moment} where id = $1"
        );
        let set = sqlx::query(sqlx::AssertSqlSafe(set)).bind(quiet[0].0);
        set.execute(&pool).await.expect("changed");
        let found = warning(&bench, &quiet, Target::OriginQueue).await;
        let kind = found.map(|found| found.kind);
        assert_eq!(kind, is_told.then_some(WarningKind::StillDying), "{moment}");
    }
}
