//! Every finding on queues of a real broker, and that it goes when what it says was done.

use dlo_domain::severity::Severity;
use dlo_domain::topology::FindingScope;
use lapin::types::AMQPValue;
use serde_json::json;
use sqlx::PgPool;

use crate::support::topology::worker;
use crate::support::topology::{Watcher, dying, quorum, text};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn routes_that_end_are_found_and_go_when_they_are_mended(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    vhost.queue("nowhere", &dying("missing")).await;
    vhost.queue("unbound", &dying("bare")).await;
    vhost.queue("literal", &dying("letters")).await;
    vhost.queue("sound", &dying("fan")).await;
    vhost.dead_letter_pair("fan", "dead").await;
    vhost.direct("bare", &[]).await;
    vhost.direct("letters", &[("dead", "#")]).await;
    watcher
        .finds(&[
            ("exchange_missing", "nowhere"),
            ("literal_hash", "literal"),
            ("unbound", "unbound"),
        ])
        .await;
    // What the fixes say is what mends it.
    vhost.dead_letter_pair("missing", "dead").await;
    vhost.bind("bare", "dead", "unbound").await;
    vhost.bind("letters", "dead", "literal").await;
    watcher.finds(&[]).await;
    let gone = watcher.kept(FindingScope::All).await;
    assert_eq!(gone.len(), 3);
    assert!(gone.iter().all(|one| one.resolved_at.is_some()));
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn dead_letter_queues_that_lose_letters_are_found(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    let to = |queue: &str| {
        vec![("x-dead-letter-exchange", text("")), ("x-dead-letter-routing-key", text(queue))]
    };
    for (work, dead) in [("a", "chained"), ("b", "short"), ("c", "small"), ("d", "later")] {
        vhost.queue(work, &to(dead)).await;
    }
    vhost.queue("chained", &to("end")).await;
    vhost.queue("end", &[]).await;
    vhost.queue("short", &[("x-message-ttl", AMQPValue::LongInt(60_000))]).await;
    vhost.queue("small", &[("x-max-length", AMQPValue::LongInt(10))]).await;
    // It waits here for a second and goes back: a retry queue, and no loss.
    let mut back = to("d");
    back.push(("x-message-ttl", AMQPValue::LongInt(1_000)));
    vhost.queue("later", &back).await;
    watcher
        .finds(&[("chain", "chained"), ("letters_expire", "short"), ("letters_overflow", "small")])
        .await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn quorum_queues_that_lose_messages_are_found(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    let limit = |limit: i32| ("x-delivery-limit", AMQPValue::LongInt(limit));
    vhost.dead_letter_pair("fan", "dead").await;
    vhost.queue("limited", &quorum(vec![limit(3)])).await;
    vhost.queue("amo-quorum", &quorum(dying("fan"))).await;
    vhost.queue("amo-classic", &dying("fan")).await;
    let mut safe = dying("fan");
    safe.push(("x-dead-letter-strategy", text("at-least-once")));
    safe.push(("x-overflow", text("reject-publish")));
    vhost.queue("safe", &quorum(safe)).await;
    vhost.queue("usual", &quorum(Vec::new())).await;
    let mut wanted = vec![
        ("at_most_once", "amo-classic"),
        ("at_most_once", "amo-quorum"),
        ("deliveries_end", "limited"),
    ];
    if !vhost.version().await.starts_with('3') {
        // Since 4.0 there is a limit where nobody sets one.
        wanted.push(("deliveries_end", "usual"));
    }
    watcher.finds(&wanted).await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_policy_that_keeps_another_from_applying_is_found(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    vhost.dead_letter_pair("fan", "dead").await;
    vhost.queue("orders", &[]).await;
    let letters = json!({"dead-letter-exchange": "fan"});
    vhost.policy("letters", "^orders", 1, letters).await;
    watcher.finds(&[]).await;
    vhost.policy("limits", "orders$", 5, json!({"max-length": 9})).await;
    watcher.finds(&[("policy_shadowed", "letters")]).await;
    let found = watcher.kept(FindingScope::Open).await.remove(0);
    assert_eq!(found.finding.other, "limits");
    let merged = json!({"max-length": 9, "dead-letter-exchange": "fan"});
    vhost.policy("limits", "orders$", 5, merged).await;
    watcher.finds(&[]).await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_a_policy_sets_is_found_as_what_an_argument_sets(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    vhost.queue("work", &[]).await;
    vhost.dead_letter_pair("fan", "dead").await;
    // The pattern that everybody writes first: it matches the dead-letter queue too.
    let wide = json!({"dead-letter-exchange": "fan", "message-ttl": 60_000});
    vhost.policy("wide", ".*", 0, wide).await;
    watcher.finds(&[("chain", "dead"), ("letters_expire", "dead")]).await;
    let found = watcher.kept(FindingScope::Open).await;
    let said = found.iter().find(|one| one.finding.kind.as_str() == "letters_expire");
    let said = said.expect("found");
    assert!(said.finding.lost.contains("policy `wide`"), "{}", said.finding.lost);
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_queue_without_consumers_is_found_after_15_minutes(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await.by_the_minute();
    let vhost = &watcher.vhost;
    vhost.queue("idle", &[]).await;
    vhost.queue("busy", &[]).await;
    let _worker = vhost.consume("busy", "worker").await;
    // The broker tells of consumers some seconds late.
    crate::support::until("the consumer is told of", || async {
        watcher.look().await;
        watcher.consumers("busy").await == Some(1)
    })
    .await;
    let idle_before = watcher.idle("idle").await.expect("it has no consumer");
    for _ in 0..(900 - idle_before.min(900)).div_ceil(60).saturating_sub(1) {
        watcher.look().await;
        assert_eq!(watcher.open().await, [], "{:?}", watcher.idle("idle").await);
    }
    watcher.finds(&[("no_consumer", "idle")]).await;
    let severity = async || {
        watcher.look().await;
        watcher.kept(FindingScope::Open).await[0].finding.severity
    };
    assert_eq!(severity().await, Severity::Low, "it is empty");
    let plain = lapin::BasicProperties::default();
    vhost.publish("idle", plain, b"it waits").await;
    crate::support::until("the message is told of", || async {
        severity().await == Severity::Normal
    })
    .await;
    let _late = vhost.consume("idle", "late").await;
    watcher.finds(&[]).await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_workers_queue_from_which_nothing_comes_here_is_found_until_it_is_mended(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    vhost.dead_letter_pair("fan", "dead").await;
    let ttl = || ("x-message-ttl", AMQPValue::LongInt(60_000));
    let both = |mut arguments: Vec<(&'static str, AMQPValue)>| {
        arguments.push(ttl());
        arguments
    };
    for (queue, arguments) in [
        ("w.1", vec![]),
        ("w.2", dying("fan")),
        ("w.3", vec![ttl()]),
        ("w.4", both(dying("fan"))),
        ("w.5", vec![]),
        ("shared", vec![]),
    ] {
        vhost.queue(queue, &arguments).await;
    }
    for (name, queue) in [
        ("worker-1", "w.1"),
        ("worker-2", "w.2"),
        ("worker-3", "w.3"),
        ("worker-4", "w.4"),
        ("a-service", "w.5"),
        ("crew-1", "shared"),
        ("crew-2", "shared"),
        ("worker-6", "no such queue"),
    ] {
        worker(&watcher, name, queue, false).await;
    }
    watcher.finds(&[("stranded", "w.1"), ("stranded", "w.2"), ("stranded", "w.3")]).await;
    let found = watcher.kept(FindingScope::Open).await;
    let second = found.iter().find(|one| one.finding.subject == "w.2");
    let command = second.expect("found").finding.command.as_deref();
    assert!(command.expect("a command").contains(r"^w\.2\z"), "{command:?}");
    // What the command does.
    let policy = json!({"message-ttl": 300_000});
    vhost.policy("ttl-w.2", r"^w\.2\z", 1, policy).await;
    vhost.policy("mend-w.3", r"^w\.3\z", 1, json!({"dead-letter-exchange": "fan"})).await;
    let whole = json!({"dead-letter-exchange": "fan", "message-ttl": 300_000});
    vhost.policy("mend-w.1", r"^w\.1\z", 1, whole).await;
    watcher.finds(&[]).await;
    watcher.end().await;
}
