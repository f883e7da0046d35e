//! The watcher: whose turn it is, clocks that jump, and that nothing is forgotten or made up.

use chrono::TimeDelta;
use dlo_domain::topology::FindingScope;
use dlo_server::store::topology::{self as kept, Place};
use dlo_server::topology::look;
use lapin::BasicProperties;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::topology::{Watcher, dying};

impl Watcher {
    /// A queue as it was last read.
    async fn read(&self, queue: &str) -> dlo_domain::topology::Queue {
        let mut conn = self.pool.acquire().await.expect("a connection");
        let place = Place { broker: "main", vhost: &self.vhost.name };
        let read = kept::one(&mut conn, place).await.expect("read");
        let queues = read.expect("kept").vhost.queues;
        let mut queues = queues.into_iter();
        queues.find(|one| one.name == queue).expect("the queue")
    }

    /// For how long it has been idle, in seconds.
    pub async fn idle(&self, queue: &str) -> Option<u32> {
        self.read(queue).await.idle_seconds
    }

    /// Its consumers.
    pub async fn consumers(&self, queue: &str) -> Option<i64> {
        self.read(queue).await.figures.consumers
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn one_office_reads_at_a_time_and_a_clock_set_back_stops_nobody(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await.by_the_minute();
    watcher.look().await;
    let again = || async { look(&watcher.surveyor, "main").await.expect("looked") };
    assert!(!again().await, "another office read it just now");
    watcher.clock.advance(TimeDelta::seconds(59));
    assert!(!again().await);
    watcher.clock.advance(TimeDelta::seconds(1));
    assert!(again().await);
    watcher.clock.advance(TimeDelta::hours(-1));
    assert!(again().await, "what was written lies ahead");
    assert!(!again().await);
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_clock_that_jumps_makes_no_queue_idle(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await.by_the_minute();
    watcher.vhost.queue("idle", &[]).await;
    crate::support::until("it is told of", || async {
        watcher.look().await;
        watcher.idle("idle").await.is_some()
    })
    .await;
    let before = watcher.idle("idle").await.expect("idle");
    watcher.clock.advance(TimeDelta::hours(1));
    watcher.look().await;
    let after = watcher.idle("idle").await.expect("idle");
    assert!(after <= before + 120, "an hour forward counts two pauses: {before} {after}");
    watcher.clock.advance(TimeDelta::hours(-2));
    watcher.look().await;
    assert_eq!(watcher.idle("idle").await, Some(after), "back counts nothing");
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_finding_that_comes_back_is_another_one(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    vhost.queue("work", &dying("fan")).await;
    watcher.finds(&[("exchange_missing", "work")]).await;
    let first = watcher.kept(FindingScope::Open).await.remove(0);
    watcher.look().await;
    let again = watcher.kept(FindingScope::Open).await.remove(0);
    assert_eq!((first.id, first.first_seen_at), (again.id, again.first_seen_at));
    assert!(again.last_seen_at > first.last_seen_at);
    vhost.dead_letter_pair("fan", "dead").await;
    watcher.finds(&[]).await;
    vhost.delete_exchange("fan").await;
    watcher.finds(&[("exchange_missing", "work")]).await;
    let back = watcher.kept(FindingScope::All).await;
    assert_eq!(back.len(), 2);
    assert!(back[0].resolved_at.is_none() && back[0].id != first.id);
    assert_eq!(back[1].id, first.id);
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_vhost_that_is_deleted_is_forgotten_and_its_findings_end(pool: PgPool) {
    for tag in ["monitoring", "management"] {
        let watcher = Watcher::start(&pool, tag).await;
        watcher.vhost.queue("work", &dying("fan")).await;
        watcher.finds(&[("exchange_missing", "work")]).await;
        let (user, other) = (watcher.user.clone(), Vhost::create().await);
        watcher.vhost.delete_now().await;
        watcher.look().await;
        // A monitoring user is shown those of other tests too.
        let still_kept = async || {
            let mut conn = pool.acquire().await.expect("a connection");
            let broker = kept::brokers(&mut conn).await.expect("read").remove(0);
            assert_eq!(broker.trouble, None);
            let mut vhosts = broker.vhosts.into_iter();
            vhosts.find(|vhost| vhost.vhost == watcher.vhost.name)
        };
        if let Some(vhost) = still_kept().await {
            // RabbitMQ 4.3 says the same of one that its user may not read, unless the user sees all.
            let trouble = vhost.trouble.as_deref().unwrap_or_default();
            assert!(trouble.contains("if it was not deleted"), "{trouble}");
            assert_eq!((tag, vhost.findings), ("management", 1));
            watcher.clock.advance(chrono::TimeDelta::hours(25));
            watcher.look().await;
        }
        assert_eq!(watcher.open().await, [], "{tag}");
        assert_eq!(still_kept().await, None, "{tag}");
        other.remove_user(&user).await;
        other.delete().await;
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn depths_are_kept_of_queues_that_workers_name_and_that_dead_letter(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    vhost.dead_letter_pair("fan", "letters").await;
    vhost.queue("work", &dying("fan")).await;
    vhost.queue("of a worker", &[]).await;
    vhost.queue("of nobody", &[]).await;
    sqlx::query(
        "insert into workers (name, kind, is_autoscaled, state, state_since, first_seen_at,
             last_heartbeat_at, way, heard_ms, interval_ms, queue)
         values ('w', 'w', false, 'active', now(), now(), now(), 'http', 0, 10000, 'of a worker')",
    )
    .execute(&pool)
    .await
    .expect("a worker");
    for queue in ["work", "of a worker", "of nobody"] {
        for _ in 0..3 {
            vhost.publish(queue, BasicProperties::default(), b"{}").await;
        }
    }
    let kept = || async {
        watcher.clock.advance(TimeDelta::minutes(5));
        watcher.look().await;
        let kept: Vec<(String, i64)> = sqlx::query_as(
            "select queue, depth from queue_depths where vhost = $1
             and slot = (select max(slot) from queue_depths) order by queue",
        )
        .bind(&vhost.name)
        .fetch_all(&pool)
        .await
        .expect("read");
        kept
    };
    let wanted = [("of a worker".to_owned(), 3), ("work".to_owned(), 3)];
    crate::support::until("both are seen", || async { kept().await == wanted }).await;
    watcher.end().await;
}
