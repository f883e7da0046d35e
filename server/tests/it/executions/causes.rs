//! What the first page counts beside the letters.

use std::time::Duration;

use dlo_app::desk::CauseDesk as _;
use dlo_domain::causes::Causes;
use dlo_domain::execution::ExecutionState;
use dlo_domain::severity::Severity;
use sqlx::PgPool;

use super::yard::Yard;

async fn causes(yard: &Yard) -> Causes {
    yard.desk.causes().await.expect("counted")
}

/// A finding, open unless its hours say until when it is muted, or that it is gone.
async fn finding(yard: &Yard, kind: &str, severity: &str, muted_hours: i32, is_gone: bool) {
    sqlx::query(
        "insert into topology_findings (id, broker, vhost, kind, subject, other, severity, finding,
             first_seen_at, last_seen_at, resolved_at, muted_until)
         values (gen_random_uuid(), 'main', '/', $1, gen_random_uuid()::text, '', $2, '{}', $5, $5,
             case when $4 then $5 end, $5 + make_interval(hours => $3))",
    )
    .bind(kind)
    .bind(severity)
    .bind(muted_hours)
    .bind(is_gone)
    .bind(dlo_server::clock::Clock::now(&*yard.clock))
    .execute(&yard.pool)
    .await
    .expect("a finding");
}

#[sqlx::test(migrations = "../migrations")]
async fn an_office_in_which_all_is_well_counts_nothing(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.worker("fresh", None).await;
    finding(&yard, "no_consumer", "normal", 1, false).await;
    finding(&yard, "unbound", "critical", -1, true).await;
    let causes = causes(&yard).await;
    assert_eq!((causes.stale_workers, causes.stuck_executions), (0, 0));
    assert_eq!(causes.queues_without_consumers, 0);
    assert_eq!(causes.findings, Severity::ALL.map(|severity| (severity, 0)));
}

#[sqlx::test(migrations = "../migrations")]
async fn what_is_not_well_is_counted_as_its_lists_show_it(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.worker("silent", Some(Duration::from_secs(40))).await;
    yard.worker("fresh", None).await;
    yard.worker("ended", Some(Duration::from_secs(40))).await;
    sqlx::query("update workers set state = 'stopped' where name = 'ended'")
        .execute(&yard.pool)
        .await
        .expect("stopped");
    yard.watch_for(5).await;
    yard.scheduled(3, "silent").await;
    yard.watch_for(295).await;
    yard.told("late", ExecutionState::Scheduled, "fresh").await;
    yard.watch_for(6).await;
    finding(&yard, "no_consumer", "low", -1, false).await;
    finding(&yard, "no_consumer", "normal", -1, false).await;
    finding(&yard, "unbound", "critical", -1, false).await;
    let causes = causes(&yard).await;
    assert_eq!((causes.stale_workers, causes.stuck_executions), (1, 3));
    assert!(!causes.stuck_is_least);
    assert_eq!(causes.queues_without_consumers, 2);
    assert_eq!(causes.findings.iter().map(|one| one.1).sum::<i64>(), 3);
    assert!(causes.findings.contains(&(Severity::Critical, 1)));
}
