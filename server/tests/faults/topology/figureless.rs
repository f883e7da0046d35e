//! A broker that collects no figures (`management_agent.disable_metrics_collector`): its queues are
//! read all the same, and what hangs on figures is neither found nor taken for mended.
//!
//! The broker is one of the test's own, or the one of `DLO_TEST_BROKER` where that collects none.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use dlo_app::desk::{CauseDesk as _, TopologyDesk as _, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::replay::{NewReplay, Target};
use dlo_domain::selection::Selection;
use dlo_domain::severity::Severity;
use dlo_domain::timeline::{About, Reach};
use dlo_domain::topology::{Figures, Finding, FindingKind, Findings, Gap, NewDeadLettering};
use dlo_sandbox::{Sandbox, SandboxOptions};
use dlo_server::clock::Clock as _;
use dlo_server::store::topology::{self as kept, Place, findings};
use dlo_server::store::workers::consumers;
use lapin::BasicProperties;
use serde_json::json;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::front::Counter;
use crate::support::topology::worker;
use crate::support::topology::{Watcher, dying, quorum};
use crate::support::until_within;

/// A watcher over a broker without figures; and that broker, unless it was given.
async fn watcher(pool: &PgPool) -> (Option<Sandbox>, Watcher) {
    let vhost = Vhost::create().await;
    let management = vhost.brokers.management("main").expect("an address");
    if management.overview().await.expect("answers").disable_stats {
        return (None, Watcher::over(pool, vhost, "policymaker").await);
    }
    vhost.delete().await;
    let options = SandboxOptions { postgres: false, figures: false, ..SandboxOptions::default() };
    let sandbox = Sandbox::start_own(options).await.expect("a broker");
    let endpoints = sandbox.endpoints();
    let vhost = Vhost::create_at(&endpoints.amqp, &endpoints.management).await;
    let watcher = Watcher::over(pool, vhost, "policymaker").await;
    (Some(sandbox), watcher)
}

/// What was found and read while there were figures.
async fn remember_figures(watcher: &Watcher, queue: &str) {
    let place = Place { broker: "main", vhost: &watcher.vhost.name };
    let found = Finding {
        kind: FindingKind::NoConsumer,
        severity: Severity::Low,
        subject: queue.to_owned(),
        other: String::new(),
        title: format!("`{queue}` has no consumer"),
        lost: "Nobody works on it.".to_owned(),
        fix: "Somebody must.".to_owned(),
        command: None,
    };
    let findings = Findings { found: vec![found], untold: FindingKind::ALL.into() };
    let now = watcher.clock.now();
    let mut conn = watcher.pool.acquire().await.expect("a connection");
    findings::note(&mut conn, &*watcher.clock, place, &findings, now).await.expect("noted");
    let seen = dlo_domain::topology::SeenConsumers {
        queue: queue.to_owned(),
        consumers: Some(0),
        tags: Some(Vec::new()),
    };
    consumers::keep(&mut conn, place, &[seen], now).await.expect("kept");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn queues_are_read_and_what_needs_figures_is_not_known(pool: PgPool) {
    let (sandbox, watcher) = watcher(&pool).await;
    let watcher = watcher.by_the_minute();
    let vhost = &watcher.vhost;
    vhost.queue("nowhere", &dying("missing")).await;
    vhost.queue("q", &[]).await;
    vhost.queue("counting", &quorum(Vec::new())).await;
    vhost.dead_letter_pair("fan", "dead").await;
    let dlx = json!({"dead-letter-exchange": "fan"});
    vhost.policy("dlx", "^counting$", 0, dlx).await;
    for queue in ["q", "q", "counting"] {
        let plain = BasicProperties::default();
        vhost.publish(queue, plain, b"it waits").await;
    }
    worker(&watcher, "worker-7", "q", true).await;
    watcher.look().await;
    remember_figures(&watcher, "q").await;
    // Long enough for a queue without consumers to be found, if anybody counted them.
    for _ in 0..20 {
        watcher.look().await;
    }
    let wanted = [("exchange_missing", "nowhere"), ("no_consumer", "q"), ("stranded", "q")];
    let wanted = wanted.map(|(kind, queue)| (kind, queue.to_owned()));
    assert_eq!(watcher.open().await, wanted, "found or not, as it was");
    told_by_the_api(&watcher).await;
    told_by_pages(&watcher).await;
    asked_of_an_exchange(&watcher).await;
    set_without_figures(&watcher).await;
    watcher.end().await;
    if let Some(sandbox) = sandbox {
        sandbox.stop().await.expect("stopped");
    }
}

async fn told_by_the_api(watcher: &Watcher) {
    let mut conn = watcher.pool.acquire().await.expect("a connection");
    let mut brokers = kept::brokers(&mut conn).await.expect("read");
    let told = brokers.remove(0).vhosts.remove(0);
    assert!(told.gaps.contains(&Gap::Figures), "{:?}", told.gaps);
    assert!(told.notes.iter().any(|note| note.contains("reports no figures")), "{:?}", told.notes);
    assert!(told.version.is_some(), "the broker says what it is");
    let desk = watcher.desk();
    let queue = async |name| desk.queue("main", &watcher.vhost.name, name).await;
    let counting = queue("counting").await.expect("there");
    assert_eq!(counting.policy.as_deref(), Some("dlx"));
    let route = counting.dead_letters.expect("by policy");
    assert_eq!(route.to, BTreeSet::from(["dead".to_owned()]));
    let q = queue("q").await.expect("there");
    // Totals are told all the same; a broker counts them for itself.
    let totals = Figures { ready: Some(2), unacknowledged: Some(0), ..Figures::default() };
    assert_eq!((q.figures, q.idle_seconds), (totals, None));
    let silent = watcher.of("worker-7").await;
    let of_queue = &silent.queues[0];
    assert_eq!((of_queue.consumers, &of_queue.tags), (None, &None));
    assert_eq!(silent.opinion, None, "nobody is said to be gone");
    let about = About::Queue("q".to_owned());
    let axis = desk.timeline(&about, Reach::Shift).await.expect("told");
    let known: BTreeSet<i64> = axis.queues[0].depths.iter().flatten().copied().collect();
    assert_eq!(known, [2].into(), "what waits is told, and nothing made up");
}

async fn told_by_pages(watcher: &Watcher) {
    let counter = Counter::open_before(&watcher.pool, Arc::new(watcher.desk())).await;
    let vhost = &watcher.vhost.name;
    for (address, words) in [
        (format!("/queues?broker=main&vhost={vhost}"), "reports no figures"),
        (format!("/queues/main/{vhost}/q"), "reports no figures"),
        (format!("/queues/main/{vhost}/q"), "<dd>not known</dd>"),
        ("/workers/worker-7".to_owned(), "consumers are not known"),
    ] {
        let answer = counter.get(&address).await;
        let page = answer.text().await.expect("text");
        assert!(page.contains(words), "{address}: {words}: {page}");
        assert!(!page.contains("0 consumers"), "{address}: {page}");
    }
    counter.close().await;
}

/// Such a broker answers 500 when it is asked for one exchange.
async fn asked_of_an_exchange(watcher: &Watcher) {
    let vhost = &watcher.vhost;
    let bench = Bench::new(&watcher.pool, &vhost.brokers, &vhost.name).await;
    let letter = bench.letter("q", b"one").await;
    let new = NewReplay {
        selection: Selection::of_ids(vec![letter]),
        target: Target::Exchange { exchange: "fan".to_owned(), routing_key: String::new() },
        dry_run: true,
        ..NewReplay::default()
    };
    let dry = bench.desk.plan_replay(&Actor("jonas".into()), &new).await;
    let mut dry = dry.expect("tried");
    let to = dry.destinations.remove(0);
    assert_eq!((to.exists, to.receivers), (Some(true), Some(vec!["dead".to_owned()])));
}

async fn set_without_figures(watcher: &Watcher) {
    let (desk, queue) = (watcher.desk(), watcher.queue("q"));
    let wanted =
        NewDeadLettering { dead_letter_queue: "dead".to_owned(), ..NewDeadLettering::default() };
    let anna = Actor("anna".into());
    let done = desk.set_dead_lettering(&anna, &queue, &wanted, None).await;
    assert!(done.expect("set").applied);
    watcher.finds_dead_letter_queue("q", "dead").await;
    let undone = desk.unset_dead_lettering(&anna, &queue, false).await;
    assert!(undone.expect("taken back").applied);
    until_within("it is taken back", Duration::from_secs(20), || async {
        watcher.look().await;
        let q = desk.queue("main", &watcher.vhost.name, "q").await;
        q.expect("there").policy.is_none()
    })
    .await;
}
