//! What cannot be known is said, and nothing is forgotten meanwhile.

use std::sync::Arc;

use dlo_domain::topology::{FindingKind, Gap};
use dlo_server::broker::Brokers;
use dlo_server::store::topology as kept;
use dlo_server::topology::{Deps, look};
use sqlx::PgPool;

use super::{Watcher, dying};

/// What is said of the broker after a look with another management address.
async fn said(watcher: &Watcher, management: Option<&str>) -> Option<String> {
    let amqp = &watcher.vhost.brokers.get("main").expect("main").amqp;
    let deps = Deps {
        brokers: Arc::new(Brokers::main(amqp, management)),
        ..watcher.deps.clone()
    };
    watcher.clock.advance(chrono::TimeDelta::minutes(1));
    assert!(look(&deps, "main").await.expect("looked"));
    let mut conn = watcher.pool.acquire().await.expect("a connection");
    let mut brokers = kept::brokers(&mut conn).await.expect("read");
    let broker = brokers.remove(0);
    assert_eq!(broker.trouble.is_some(), broker.trouble_since.is_some());
    broker.trouble
}

#[sqlx::test(migrations = "../migrations")]
async fn a_management_api_that_does_not_answer_is_said_and_what_was_read_stays(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    watcher.vhost.queue("work", &dying("fan")).await;
    watcher.finds(&[("exchange_missing", "work")]).await;
    let none = said(&watcher, None).await.expect("a trouble");
    assert!(none.contains("DLO_MANAGEMENT_URL"), "{none}");
    let secret = "http://someone:secret@127.0.0.1:1";
    let away = said(&watcher, Some(secret)).await.expect("a trouble");
    assert!(
        away.contains("did not answer") && !away.contains("secret"),
        "{away}"
    );
    assert_eq!(watcher.open().await.len(), 1, "nothing is taken for mended");
    watcher.look().await;
    let mut conn = pool.acquire().await.expect("a connection");
    let broker = kept::brokers(&mut conn).await.expect("read").remove(0);
    assert_eq!((broker.trouble, broker.trouble_since), (None, None));
    watcher.end().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_user_without_rights_is_told_which_ones_it_needs(pool: PgPool) {
    let untagged = Watcher::start(&pool, "").await;
    untagged.look().await;
    let mut conn = pool.acquire().await.expect("a connection");
    let broker = kept::brokers(&mut conn).await.expect("read").remove(0);
    let trouble = broker.trouble.expect("it may see nothing");
    assert!(trouble.contains("`monitoring`"), "{trouble}");
    let wrong = format!(
        "http://{}:wrong@{}",
        untagged.user,
        untagged.vhost.management_host()
    );
    let told = said(&untagged, Some(&wrong)).await.expect("a trouble");
    assert!(told.contains("refuses (401)"), "{told}");
    untagged.end().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn policies_that_may_not_be_read_are_a_gap_that_is_said(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    watcher.vhost.queue("work", &[]).await;
    watcher.look().await;
    let mut conn = pool.acquire().await.expect("a connection");
    let broker = kept::brokers(&mut conn).await.expect("read").remove(0);
    let vhost = &broker.vhosts[0];
    assert_eq!(vhost.queues, 1);
    assert_eq!(vhost.gaps.len(), vhost.notes.len());
    for gap in &vhost.gaps {
        // Whatever this version hides from this user: nothing that hangs on it is found or ended.
        assert!(
            matches!(gap, Gap::Policies | Gap::OperatorPolicies | Gap::Figures),
            "{gap:?}"
        );
    }
    let told = FindingKind::PolicyShadowed.can_be_told(&vhost.gaps);
    assert_eq!(told, !vhost.gaps.contains(&Gap::Policies));
    watcher.end().await;
}
