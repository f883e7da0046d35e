//! What an operator sets, and limits that only some queues have, on a real broker.

use dlo_domain::severity::Severity;
use dlo_domain::topology::{FindingScope, KeptFinding};
use lapin::types::AMQPValue;
use serde_json::json;
use sqlx::PgPool;

use crate::support::topology::{Watcher, dying, quorum, text};
use crate::support::until;

impl Watcher {
    /// The one finding that is open.
    async fn only(&self) -> KeptFinding {
        let mut found = self.kept(FindingScope::Open).await;
        assert_eq!(found.len(), 1, "{found:#?}");
        found.remove(0)
    }

    /// Looks until this is the one finding that is open. While a broker takes up a policy it tells of none for a
    /// moment, or of the one before.
    async fn comes_to_tell(&self, title: &str) {
        until(title, || async {
            self.look().await;
            let found = self.kept(FindingScope::Open).await;
            found.len() == 1 && found[0].finding.title == title
        })
        .await;
    }
}

/// A policy and an operator's both apply, key by key: of two limits the lesser, and neither shadows the
/// other.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_an_operator_sets_is_found_as_theirs_and_shadows_no_policy(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    vhost.queue("work", &dying("fan")).await;
    vhost.dead_letter_pair("fan", "dead").await;
    let hour = json!({"message-ttl": 3_600_000});
    vhost.policy("letters", "^dead$", 1, hour).await;
    watcher.finds(&[("letters_expire", "dead")]).await;
    let found = watcher.only().await.finding;
    assert_eq!(found.title, "`dead` forgets after 1 hour");
    assert!(found.fix.contains("the policy `letters`"), "{}", found.fix);
    let minute = json!({"message-ttl": 60_000});
    vhost.operator_policy("guard", "^dead$", minute).await;
    watcher.comes_to_tell("`dead` forgets after 1 minute").await;
    let found = watcher.only().await.finding;
    assert!(
        found
            .lost
            .starts_with("By the operator policy `guard` this dead-letter queue has a message-ttl"),
        "{}",
        found.lost
    );
    assert!(found.fix.starts_with("Have the broker's operator"), "{}", found.fix);
    // The policy's own limit is the lesser now.
    let second = json!({"message-ttl": 1_000});
    vhost.policy("letters", "^dead$", 1, second).await;
    watcher.comes_to_tell("`dead` forgets after 1 second").await;
    watcher.end().await;
}

/// The whole queue goes when nobody uses it, with its letters; by an argument, a policy or an operator.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn dead_letter_queues_that_are_deleted_when_unused_are_found(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    let hour = ("x-expires", AMQPValue::LongInt(3_600_000));
    for (dead, arguments) in [("declared", vec![hour]), ("set", vec![]), ("guarded", vec![])] {
        let to = [("x-dead-letter-exchange", text("")), ("x-dead-letter-routing-key", text(dead))];
        vhost.queue(&format!("work.{dead}"), &to).await;
        vhost.queue(dead, &arguments).await;
    }
    let limit = json!({"expires": 7_200_000});
    vhost.policy("short", "^set$", 0, limit.clone()).await;
    vhost.operator_policy("guard", "^guarded$", limit).await;
    watcher
        .finds(&[
            ("letters_expire", "declared"),
            ("letters_expire", "guarded"),
            ("letters_expire", "set"),
        ])
        .await;
    let found = watcher.kept(FindingScope::Open).await;
    for (subject, by) in [
        ("declared", "By its arguments the queue is deleted"),
        ("set", "By the policy `short` the queue is deleted"),
        ("guarded", "By the operator policy `guard` the queue is deleted"),
    ] {
        let one = found.iter().find(|one| one.finding.subject == subject);
        let one = &one.expect("found").finding;
        assert_eq!((&*one.other, one.severity), ("expires", Severity::High));
        assert!(one.lost.starts_with(by), "{}", one.lost);
    }
    watcher.end().await;
}

/// With at-least-once nothing is dropped where the route ends: it stays, and the queue fills.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_route_that_ends_is_less_bad_where_letters_wait_for_it(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    let kept = |exchange: &str| {
        let mut arguments = dying(exchange);
        arguments.push(("x-dead-letter-strategy", text("at-least-once")));
        arguments.push(("x-overflow", text("reject-publish")));
        quorum(arguments)
    };
    vhost.queue("no-exchange", &kept("missing")).await;
    vhost.direct("bare", &[]).await;
    vhost.queue("not-bound", &kept("bare")).await;
    // It only asks for it: without reject-publish the broker does not do it.
    let mut half = dying("missing");
    half.push(("x-dead-letter-strategy", text("at-least-once")));
    vhost.queue("only-asks", &quorum(half)).await;
    watcher
        .finds(&[
            ("exchange_missing", "no-exchange"),
            ("exchange_missing", "only-asks"),
            ("unbound", "not-bound"),
        ])
        .await;
    let found = watcher.kept(FindingScope::Open).await;
    let of = |subject: &str| {
        let mut all = found.iter();
        let one = all.find(|one| one.finding.subject == subject);
        let one = &one.expect("found").finding;
        (one.severity, one.lost.contains("so nothing is lost"))
    };
    assert_eq!(of("no-exchange"), (Severity::High, true));
    assert_eq!(of("not-bound"), (Severity::High, true));
    assert_eq!(of("only-asks"), (Severity::Critical, false));
    // What the finding says is what the broker does: one keeps its message, and the other has lost it.
    for queue in ["no-exchange", "only-asks"] {
        watcher.die(queue).await;
    }
    until("the one is counted, and the other is gone", || async {
        let counts = ["no-exchange", "only-asks"].map(|queue| vhost.messages(queue));
        let [kept, lost] = counts;
        (kept.await, lost.await) == (1, 0)
    })
    .await;
    watcher.end().await;
}

/// Of two policies with one priority the broker takes either; and a queue that asks for at-least-once
/// without what it needs does at-most-once.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_applies_by_chance_or_only_seems_to_is_found(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    vhost.dead_letter_pair("fan", "dead").await;
    let mut half = dying("fan");
    half.push(("x-dead-letter-strategy", text("at-least-once")));
    vhost.queue("amo-half", &quorum(half)).await;
    vhost.queue("orders", &[]).await;
    let limit = |most: i64| json!({"max-length": most});
    vhost.policy("one", "^orders", 4, limit(9)).await;
    vhost.policy("two", "orders$", 4, limit(7)).await;
    until("both are found", || async {
        watcher.look().await;
        watcher.kept(FindingScope::Open).await.len() == 2
    })
    .await;
    let found = watcher.kept(FindingScope::Open).await;
    let of = |kind: &str| {
        let one = found.iter().find(|one| one.finding.kind.as_str() == kind);
        one.expect("found").finding.clone()
    };
    let (chance, half) = (of("policy_shadowed"), of("at_most_once"));
    assert_eq!((chance.severity, half.severity), (Severity::Normal, Severity::Normal));
    assert!(chance.lost.contains("so which one applies is chance"), "{}", chance.lost);
    assert!(half.lost.contains("falls back"), "{}", half.lost);
    let ours = json!({"overflow": "reject-publish"});
    vhost.policy("whole", "^amo-half$", 0, ours).await;
    vhost.policy("two", "orders$", 5, limit(7)).await;
    watcher.finds(&[]).await;
    watcher.end().await;
}

/// Limits in bytes lose letters as well; a queue that refuses says so.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn dead_letter_queues_with_little_room_are_found_by_either_limit(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    vhost.queue("work", &dying("fan")).await;
    vhost.dead_letter_pair("fan", "dead").await;
    let bytes = json!({"max-length-bytes": 1_000, "overflow": "reject-publish"});
    vhost.policy("small", "^dead$", 0, bytes).await;
    watcher.finds(&[("letters_overflow", "dead")]).await;
    let found = watcher.only().await.finding;
    assert_eq!(found.title, "`dead` holds only 1000 bytes");
    assert!(found.lost.contains("refuses the next"), "{}", found.lost);
    vhost.operator_policy("guard", "^dead$", json!({"max-length": 5})).await;
    until("the other limit is told", || async {
        watcher.look().await;
        let found = watcher.kept(FindingScope::Open).await;
        found.iter().any(|one| one.finding.title == "`dead` holds only 5 letters")
    })
    .await;
    watcher.end().await;
}
