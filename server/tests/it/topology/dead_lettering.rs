//! Dead-lettering set here, on a real broker: messages really die into the queue that was named, the
//! policy that applied keeps applying, and all of it can be taken back.

use dlo_app::desk::{DeskError, TopologyDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::topology::{NewDeadLettering, Wish};
use lapin::BasicProperties;
use lapin::options::{BasicGetOptions, BasicRejectOptions};
use serde_json::json;
use sqlx::PgPool;

use crate::support::topology::{Watcher, dying, quorum};
use crate::support::until;

pub(super) fn anna() -> Actor {
    Actor("anna".into())
}

impl Watcher {
    /// Publishes a message to a queue and rejects it.
    pub(super) async fn die(&self, queue: &str) {
        let properties = BasicProperties::default();
        self.vhost.publish(queue, properties, b"a message").await;
        until("it can be taken", || self.reject(queue, false)).await;
    }

    /// Takes a message and rejects it. Tells whether there was one.
    pub(super) async fn reject(&self, queue: &str, requeue: bool) -> bool {
        let options = BasicGetOptions::default();
        let got = self.vhost.channel.basic_get(queue.into(), options).await;
        let Some(got) = got.expect("asked") else {
            return false;
        };
        let reject = BasicRejectOptions { requeue };
        got.acker.reject(reject).await.expect("rejected");
        true
    }

    async fn arrives(&self, queue: &str, count: u32) {
        until(&format!("{count} letters in {queue}"), || async {
            self.vhost.depth(queue).await == count
        })
        .await;
    }
}

pub(super) fn to(queue: &str) -> NewDeadLettering {
    NewDeadLettering { dead_letter_queue: queue.to_owned(), ..NewDeadLettering::default() }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn messages_die_into_the_queue_that_was_named_and_no_more_when_it_is_taken_back(
    pool: PgPool,
) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    for queue in ["work.a", "workxa", "dead"] {
        vhost.queue(queue, &[]).await;
    }
    // What applies keeps applying: at most two messages.
    vhost.policy("limits", "^work", 3, json!({"max-length": 2})).await;
    let (desk, queue) = (watcher.desk(), watcher.queue("work.a"));
    let wanted = NewDeadLettering { retention_seconds: Wish::Set(3_600), ..to("dead") };
    let preview = desk.preview_dead_lettering(&queue, &wanted).await.expect("planned");
    assert_eq!(preview.refusals, [""; 0]);
    assert_eq!(preview.changes[0].base.as_deref(), Some("limits"));
    assert!(!preview.applied);
    watcher.die("work.a").await;
    assert_eq!(vhost.depth("dead").await, 0, "a preview changes nothing");
    let stale = desk.set_dead_lettering(&anna(), &queue, &wanted, Some("other")).await;
    assert!(matches!(stale, Err(DeskError::Conflict(_))), "{stale:?}");
    let plan = Some(preview.plan.as_str());
    let done = desk.set_dead_lettering(&anna(), &queue, &wanted, plan).await.expect("set");
    assert!(done.applied);
    watcher.die("work.a").await;
    watcher.arrives("dead", 1).await;
    watcher.die("workxa").await;
    assert_eq!(vhost.depth("dead").await, 1, "a neighbour's letters do not come");
    for _ in 0..3 {
        vhost.publish("work.a", BasicProperties::default(), b"one").await;
    }
    // The oldest of three did not fit any more.
    watcher.arrives("dead", 2).await;
    watcher.finds_dead_letter_queue("work.a", "dead").await;
    vhost.take_bodies("work.a").await;
    let undone = desk.unset_dead_lettering(&anna(), &queue, false).await.expect("unset");
    assert!(undone.applied);
    until("letters are dropped again", || async {
        let before = vhost.depth("dead").await;
        watcher.die("work.a").await;
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        vhost.depth("dead").await == before
    })
    .await;
    let told: i64 = sqlx::query_scalar(
        "select count(*) from audit where action = 'queue.dead_lettering' and actor = 'anna'",
    )
    .fetch_one(&pool)
    .await
    .expect("audited");
    assert_eq!(told, 4, "two policies set, and both taken away");
    watcher.has_policy("dead", None).await;
    let again = desk.unset_dead_lettering(&anna(), &queue, false).await;
    assert!(matches!(again, Err(DeskError::Unfit { .. })), "{again:?}");
    watcher.end().await;
}

impl Watcher {
    /// Reads until this is the policy that applies to a queue.
    async fn has_policy(&self, queue: &str, policy: Option<&str>) {
        until(&format!("{policy:?} applies to {queue}"), || async {
            self.look().await;
            let found = self.desk().queue("main", &self.vhost.name, queue).await;
            found.expect("there").policy.as_deref() == policy
        })
        .await;
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_retention_stays_as_long_as_another_queue_dead_letters_there(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    for queue in ["one", "two", "dead"] {
        watcher.vhost.queue(queue, &[]).await;
    }
    let desk = watcher.desk();
    let wanted = NewDeadLettering { retention_seconds: Wish::Set(3_600), ..to("dead") };
    for queue in ["one", "two"] {
        let queue = watcher.queue(queue);
        let set = desk.set_dead_lettering(&anna(), &queue, &wanted, None).await;
        assert!(set.expect("set").applied);
        watcher.finds_dead_letter_queue(&queue.name, "dead").await;
    }
    let first = watcher.queue("one");
    let seen = desk.unset_dead_lettering(&anna(), &first, true).await;
    let seen = seen.expect("planned");
    let done = desk.unset_dead_lettering(&anna(), &first, false).await;
    let done = done.expect("unset");
    assert_eq!((seen.plan, &seen.stays), (done.plan, &done.stays));
    assert_eq!(done.changes.len(), 1);
    assert!(
        done.stays[0].contains("`dead`, 1 hour, stays: `two` dead-letters there"),
        "{:?}",
        done.stays
    );
    watcher.has_policy("one", None).await;
    watcher.has_policy("dead", Some("dlo-dead")).await;
    watcher.die("two").await;
    watcher.arrives("dead", 1).await;
    let second = watcher.queue("two");
    let done = desk.unset_dead_lettering(&anna(), &second, false).await;
    let done = done.expect("unset");
    assert_eq!((done.changes.len(), done.stays.len()), (2, 0));
    watcher.has_policy("dead", None).await;
    assert_eq!(watcher.vhost.depth("dead").await, 1, "its letter stays");
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_quorum_queue_lets_a_message_die_after_its_deliveries(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    vhost.queue("work", &quorum(Vec::new())).await;
    vhost.queue("dead", &[]).await;
    let (desk, queue) = (watcher.desk(), watcher.queue("work"));
    let wanted = NewDeadLettering {
        max_deliveries: Wish::Set(2),
        at_least_once: Wish::Set(true),
        ..to("dead")
    };
    let done = desk.set_dead_lettering(&anna(), &queue, &wanted, None).await;
    assert!(done.expect("set").applied);
    vhost.publish("work", BasicProperties::default(), b"it fails").await;
    // A quorum queue takes a policy up a moment later, which some more deliveries outlast.
    until("it died", || async {
        watcher.reject("work", true).await;
        vhost.depth("dead").await == 1
    })
    .await;
    assert_eq!(vhost.depth("work").await, 0);
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_cannot_be_set_is_refused_and_nothing_is_changed(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    vhost.dead_letter_pair("fan", "dead").await;
    vhost.queue("declared", &dying("fan")).await;
    vhost.queue("free", &[]).await;
    let desk = watcher.desk();
    for (name, wanted, why) in [
        ("declared", to("free"), "arguments win over policies"),
        ("dead", to("free"), "is a dead-letter queue itself"),
        ("free", to("declared"), "has a dead-letter exchange itself"),
        ("free", to("none"), "there is no queue `none`"),
    ] {
        let queue = watcher.queue(name);
        let refused = desk.set_dead_lettering(&anna(), &queue, &wanted, None).await;
        match refused {
            Err(DeskError::Unfit { why: said, .. }) => assert!(said.contains(why), "{said}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    watcher.look().await;
    let free = desk.queue("main", &vhost.name, "free").await.expect("there");
    assert_eq!(free.policy, None);
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_user_who_may_set_no_policies_is_told_so(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    watcher.vhost.queue("work", &[]).await;
    watcher.vhost.queue("dead", &[]).await;
    let (desk, queue) = (watcher.desk(), watcher.queue("work"));
    let refused = desk.set_dead_lettering(&anna(), &queue, &to("dead"), None).await;
    match refused {
        Err(DeskError::Unfit { why, .. }) => assert!(why.contains("`policymaker`"), "{why}"),
        other => panic!("{other:?}"),
    }
    watcher.end().await;
}
