//! What dead-lettering may not be, on a real broker: a chain, whoever sets its parts and when, and more than
//! an operator allows.

use dlo_app::desk::{DeskError, TopologyDesk as _};
use dlo_domain::topology::{NewDeadLettering, Wish};
use serde_json::json;
use sqlx::PgPool;

use super::dead_lettering::{anna, to};
use crate::support::topology::{Watcher, quorum};

/// A broker tells some seconds late which policy applies, and two people may set something at once.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn no_chain_is_set_one_after_the_other_or_both_at_once(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    for queue in ["ch.a", "ch.b", "ch.c", "one", "two", "three"] {
        watcher.vhost.queue(queue, &quorum(Vec::new())).await;
    }
    let desk = watcher.desk();
    let wanted = NewDeadLettering { max_deliveries: Wish::Set(5), ..to("ch.b") };
    let first = watcher.queue("ch.a");
    let set = desk.set_dead_lettering(&anna(), &first, &wanted, None).await;
    assert!(set.expect("set").applied);
    let second = watcher.queue("ch.b");
    let chained = desk.set_dead_lettering(&anna(), &second, &to("ch.c"), None).await;
    match chained {
        Err(DeskError::Unfit { why, .. }) => {
            assert!(why.contains("is a dead-letter queue itself"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    let again = desk.preview_dead_lettering(&first, &to("ch.b")).await;
    let again = again.expect("planned");
    let limit = again.changes[0].lines.iter().find(|line| line.key == "delivery-limit");
    let limit = limit.expect("a limit");
    assert_eq!(
        (&limit.before, &limit.after),
        (&Some(json!(5)), &Some(json!(5))),
        "what is left out stays as it is"
    );
    let other = watcher.desk();
    let (one, two) = (watcher.queue("one"), watcher.queue("two"));
    let (to_two, to_three) = (to("two"), to("three"));
    let who = anna();
    let (left, right) = tokio::join!(
        desk.set_dead_lettering(&who, &one, &to_two, None),
        other.set_dead_lettering(&who, &two, &to_three, None),
    );
    let done = [&left, &right].map(|done| done.as_ref().is_ok_and(|done| done.applied));
    assert_eq!(done.iter().filter(|done| **done).count(), 1, "{left:?} {right:?}");
    watcher.end().await;
}

/// Of two limits the lesser applies: a longer one would be promised in vain.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_an_operator_forbids_is_refused(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    vhost.queue("work", &quorum(Vec::new())).await;
    vhost.queue("dead", &[]).await;
    vhost.operator_policy("few", "^work$", json!({"delivery-limit": 2})).await;
    vhost.operator_policy("short", "^dead$", json!({"message-ttl": 60_000})).await;
    let (desk, queue) = (watcher.desk(), watcher.queue("work"));
    let wanted = NewDeadLettering {
        max_deliveries: Wish::Set(9),
        retention_seconds: Wish::Set(86_400),
        ..to("dead")
    };
    let refused = desk.set_dead_lettering(&anna(), &queue, &wanted, None).await;
    match refused {
        Err(DeskError::Unfit { why, .. }) => {
            for said in [
                "the operator policy `few` lets a message come back to `work` 2 times at most",
                "the operator policy `short` lets messages stay in `dead` for 1 minute at most",
            ] {
                assert!(why.contains(said), "{why}");
            }
        }
        other => panic!("{other:?}"),
    }
    let within = NewDeadLettering {
        max_deliveries: Wish::Set(1),
        retention_seconds: Wish::Set(30),
        ..to("dead")
    };
    let set = desk.set_dead_lettering(&anna(), &queue, &within, None).await;
    assert!(set.expect("set").applied);
    watcher.end().await;
}
