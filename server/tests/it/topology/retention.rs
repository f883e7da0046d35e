//! Retentions on a real broker: one that was set here is what somebody asked for.

use dlo_app::desk::TopologyDesk as _;
use dlo_domain::severity::Severity;
use dlo_domain::topology::{FindingScope, NewDeadLettering, Wish};
use dlo_server::clock::Clock as _;
use serde_json::json;
use sqlx::PgPool;

use super::dead_lettering::anna;
use crate::support::topology::Watcher;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_retention_that_was_set_here_is_told_with_who_set_it(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    for queue in ["work", "dead", "other", "theirs"] {
        watcher.vhost.queue(queue, &[]).await;
    }
    let desk = watcher.desk();
    for (queue, dead, retention_seconds) in
        [("work", "dead", Wish::Set(3_600)), ("other", "theirs", Wish::AsItIs)]
    {
        let wanted = NewDeadLettering {
            dead_letter_queue: dead.to_owned(),
            retention_seconds,
            ..NewDeadLettering::default()
        };
        let queue = watcher.queue(queue);
        let set = desk.set_dead_lettering(&anna(), &queue, &wanted, None).await;
        assert!(set.expect("set").applied);
    }
    let hour = json!({"message-ttl": 3_600_000});
    watcher.vhost.policy("short", "^theirs$", 0, hour).await;
    watcher.finds(&[("letters_expire", "dead"), ("letters_expire", "theirs")]).await;
    let found = watcher.kept(FindingScope::Open).await;
    let of = |subject: &str| {
        let one = found.iter().find(|one| one.finding.subject == subject);
        one.expect("found").finding.clone()
    };
    let (ours, theirs) = (of("dead"), of("theirs"));
    assert_eq!((ours.severity, theirs.severity), (Severity::Low, Severity::High));
    let today = watcher.clock.now().format("%Y-");
    let said = format!("This retention was set here by anna on {today}");
    assert!(ours.lost.starts_with(&said), "{}", ours.lost);
    assert!(ours.lost.contains("letters of `work`"), "{}", ours.lost);
    let undone = desk.unset_dead_lettering(&anna(), &watcher.queue("work"), false).await;
    assert!(undone.expect("unset").applied);
    watcher.finds(&[("letters_expire", "theirs")]).await;
    watcher.end().await;
}
