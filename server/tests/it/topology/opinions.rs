//! What a broker says of workers, beside their heartbeats; and vhosts that it does not show any more.

use dlo_domain::worker::Opinion;
use dlo_server::store::topology as kept;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::topology::{Watcher, dying, worker};
use crate::support::until;

impl Watcher {
    async fn says(&self, name: &str, wanted: Option<Opinion>) {
        until("the broker says so", || async {
            self.look().await;
            let told = self.of(name).await;
            !told.queues.is_empty() && told.opinion == wanted
        })
        .await;
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn silent_workers_are_held_against_the_consumers_of_their_queue(pool: PgPool) {
    let watcher = Watcher::start(&pool, "monitoring").await;
    watcher.vhost.queue("q", &[]).await;
    worker(&watcher, "worker-7", "q", true).await;
    worker(&watcher, "worker-70", "q", false).await;
    watcher.says("worker-7", Some(Opinion::SilentAndGone)).await;
    watcher.says("worker-70", Some(Opinion::BeatsButConsumesNothing)).await;
    let other = watcher.vhost.consume("q", "ctag.worker-70").await;
    watcher.says("worker-7", Some(Opinion::SilentOthersConsume)).await;
    watcher.says("worker-70", None).await;
    let own = watcher.vhost.consume("q", "worker-7/\u{1}<b>").await;
    watcher.says("worker-7", Some(Opinion::SilentButConsumes)).await;
    let told = watcher.of("worker-7").await;
    assert_eq!(told.queues[0].consumers, Some(2));
    let tags = told.queues[0].tags.as_deref().expect("told");
    assert!(tags.contains(&"worker-7/\u{fffd}<b>".to_owned()), "{tags:?}");
    assert!(told.worker.silent_since.is_some(), "it is as stale as before");
    drop((own, other));
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_old_read_is_no_opinion_and_a_queue_that_is_gone_neither(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    watcher.vhost.queue("q", &[]).await;
    worker(&watcher, "w", "q", true).await;
    worker(&watcher, "without", "none of these", true).await;
    watcher.says("w", Some(Opinion::SilentAndGone)).await;
    let none = watcher.of("without").await;
    assert_eq!((none.queues.len(), none.opinion), (0, None));
    watcher.clock.advance(chrono::TimeDelta::minutes(6));
    let old = watcher.of("w").await;
    assert_eq!((old.queues.len(), old.opinion), (0, None));
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_vhost_that_may_not_be_read_any_more_says_so_and_keeps_what_was_read(pool: PgPool) {
    for tag in ["management", "monitoring"] {
        let watcher = Watcher::start(&pool, tag).await;
        watcher.vhost.queue("work", &dying("fan")).await;
        watcher.finds(&[("exchange_missing", "work")]).await;
        // A user who may read nothing is not let in at all.
        let second = Vhost::create().await;
        second.grant(&watcher.user).await;
        watcher.vhost.withdraw(&watcher.user).await;
        watcher.look().await;
        let told = async || {
            let mut conn = pool.acquire().await.expect("a connection");
            let brokers = kept::brokers(&mut conn).await.expect("read");
            assert_eq!(brokers[0].trouble, None, "{tag}: the broker is well");
            let mut vhosts = brokers.into_iter().flat_map(|broker| broker.vhosts);
            vhosts.find(|one| one.vhost == watcher.vhost.name).expect("still known")
        };
        let vhost = told().await;
        let trouble = vhost.trouble.expect("a trouble");
        assert!(trouble.contains("give the user"), "{tag}: {trouble}");
        assert_eq!((vhost.queues, vhost.findings), (1, 1), "{tag}: what was read stays");
        let since = vhost.trouble_since;
        watcher.look().await;
        assert_eq!(told().await.trouble_since, since, "{tag}: since when stays");
        watcher.vhost.grant(&watcher.user).await;
        watcher.look().await;
        assert_eq!(told().await.trouble, None, "{tag}");
        second.delete().await;
        watcher.end().await;
        sqlx::query("truncate topology_brokers, topology_vhosts, topology_findings")
            .execute(&pool)
            .await
            .expect("begun anew");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn consumers_that_are_not_shown_are_counted_and_nobody_is_said_to_be_gone(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    watcher.vhost.queue("q", &[]).await;
    worker(&watcher, "worker-7", "q", true).await;
    let own = watcher.vhost.consume("q", "worker-7").await;
    watcher.says("worker-7", Some(Opinion::SilentOthersConsume)).await;
    drop(own);
    watcher.end().await;
}
