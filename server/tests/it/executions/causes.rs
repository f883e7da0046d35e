//! What the first page counts beside the letters.

use std::time::Duration;

use dlo_app::desk::{CauseDesk as _, DeskError, TriageDesk as _};
use dlo_domain::causes::{Causes, StandingReplays};
use dlo_domain::execution::ExecutionState;
use dlo_domain::ids::{GroupId, ReplayId};
use dlo_domain::severity::Severity;
use dlo_domain::timeline::{About, Reach};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::yard::Yard;

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

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_office_in_which_all_is_well_counts_nothing(pool: PgPool) {
    let yard = Yard::open(&pool);
    yard.worker("fresh", None).await;
    finding(&yard, "no_consumer", "normal", 1, false).await;
    finding(&yard, "unbound", "critical", -1, true).await;
    let causes = causes(&yard).await;
    assert_eq!((causes.stale_workers, causes.stuck_executions), (0, 0));
    assert_eq!(causes.queues_without_consumers, 0);
    assert_eq!(causes.findings, Severity::ALL.map(|severity| (severity, 0)));
    assert_eq!((causes.worst_worker, causes.paused_replays), (None, None));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
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
    let worst = causes.worst_worker.as_ref().expect("the silent one");
    assert_eq!((&*worst.name, worst.letters), ("silent", 0));
    assert_eq!(causes.queues_without_consumers, 2);
    assert_eq!(causes.findings.iter().map(|one| one.1).sum::<i64>(), 3);
    assert!(causes.findings.contains(&(Severity::Critical, 1)));
}

/// Two groups with letters: of the first, two that died in `a`, one in `b` and one in no queue.
async fn letters(pool: &PgPool) {
    for sql in [
        "insert into sources (id, broker, vhost, queue, name, mode, configured, condition_since,
             created_at)
         values (gen_random_uuid(), 'main', '/', 'dead', 'dead', 'take', false, now(), now())",
        "insert into groups (id, state, state_since, title, why, created_at)
         select lpad(id::text, 32, '0')::uuid, 'open', now(), '', '{}', now()
         from generate_series(1, 2) as id",
        "insert into signatures (id, version, content, sample_letter_id, first_seen_at, position,
             group_id)
         select decode(lpad(id::text, 32, '0'), 'hex'), 1, '{}', gen_random_uuid(), now(), id,
             lpad(id::text, 32, '0')::uuid
         from generate_series(1, 2) as id",
        "insert into letters (id, source_id, state, severity, queue, reason, size_bytes, arrivals,
             replays, first_arrived_at, last_arrived_at, signature)
         select lpad(letter.id::text, 32, '0')::uuid, s.id, 'held', 'normal', letter.queue,
             'rejected', 1, 1, 0, now(), now(), decode(lpad(letter.of::text, 32, '0'), 'hex')
         from sources s, (values (1, 'a', 1), (2, 'a', 1), (3, 'b', 1), (4, null, 1), (5, 'a', 2))
             as letter (id, queue, of)",
        // The first letter named one execution twice.
        "insert into letter_executions
         select lpad(id::text, 32, '0')::uuid, now() + make_interval(secs => second), execution
         from (values (1, 0, '42'), (1, 1, '42'), (2, 0, '43'), (3, 0, '43'), (5, 0, '44'))
             as named (id, second, execution)",
        "update workers set queue = case name when 'idle' then null when 'w-b' then 'b' else 'a' end",
    ] {
        sqlx::query(sql).execute(pool).await.expect("written");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_worst_worker_is_the_one_behind_which_most_letters_died(pool: PgPool) {
    let yard = Yard::open(&pool);
    for name in ["idle", "w-b", "w-1"] {
        yard.worker(name, Some(Duration::from_secs(40))).await;
    }
    letters(&pool).await;
    // The letters arrived by Postgres's clock, the office's stands elsewhere.
    for sql in [
        "insert into queue_deaths values ($1, 'b', 1), ($1, 'a', 3), ($1, 'nobody works on it', 9)",
        "update workers set silent_since = least($1, now()) - interval '1 hour'",
    ] {
        let now = dlo_server::clock::Clock::now(&*yard.clock);
        sqlx::query(sql).bind(now).execute(&pool).await.expect("written");
    }
    let causes = causes(&yard).await;
    assert_eq!(causes.stale_workers, 3);
    let worst = causes.worst_worker.expect("one of them");
    assert_eq!((&*worst.name, worst.letters, worst.letters_are_least), ("w-1", 3, false));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn replays_that_wait_for_somebody_are_counted_with_their_letters(pool: PgPool) {
    let yard = Yard::open(&pool);
    let add = async |id: u128, state: &str, pending: i64| {
        let sql = "insert into replays (id, state, target, created_by, created_at, total, pending)
             values ($1, $2, '{}', 'anna', now() + make_interval(secs => $3::bigint), 50, $3)";
        let new = sqlx::query(sql).bind(Uuid::from_u128(id)).bind(state).bind(pending);
        new.execute(&pool).await.expect("written");
    };
    add(1, "paused", 48).await;
    add(2, "paused", 7).await;
    add(3, "running", 9).await;
    add(4, "awaiting_approval", 50).await;
    let causes = causes(&yard).await;
    let of = |replays, letters, oldest| StandingReplays {
        replays,
        letters,
        oldest: ReplayId(Uuid::from_u128(oldest)),
    };
    assert_eq!(causes.paused_replays, Some(of(2, 55, 2)));
    assert_eq!(causes.replays_to_approve, Some(of(1, 50, 4)));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_group_tells_who_stands_behind_its_letters(pool: PgPool) {
    let yard = Yard::open(&pool);
    for name in ["w-b", "w-1", "w-2", "idle"] {
        yard.worker(name, None).await;
    }
    letters(&pool).await;
    let group = |id| GroupId(Uuid::from_u128(id));
    let nobody = yard.desk.behind_group(group(9)).await;
    assert!(matches!(nobody, Err(DeskError::NotFound(_))), "{nobody:?}");
    let behind = yard.desk.behind_group(group(1)).await.expect("counted");
    assert_eq!(behind.letters, 4);
    let of = |name: &str, letters| (name.to_owned(), letters);
    assert_eq!(behind.workers, [of("w-1", 2), of("w-2", 2), of("w-b", 1)]);
    assert_eq!(behind.executions, [of("43", 2), of("42", 1)]);

    let report = yard.desk.group_report(group(1), Reach::Day).await.expect("read");
    assert_eq!(report.behind, behind, "the same as by itself");
    let alone = yard.desk.timeline(&About::Group(group(1)), Reach::Day).await.expect("read");
    assert_eq!(report.timeline, alone);
    assert_eq!(report.breakdown, yard.desk.group_breakdown(group(1)).await.expect("read"));
    let nobody = yard.desk.group_report(group(9), Reach::Day).await;
    assert!(matches!(nobody, Err(DeskError::NotFound(_))), "{nobody:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_timeline_is_about_the_queues_and_workers_of_what_it_is_asked_for(pool: PgPool) {
    let yard = Yard::open(&pool);
    for name in ["w-b", "w-1", "idle"] {
        yard.worker(name, Some(Duration::from_mins(10))).await;
    }
    letters(&pool).await;
    let now = dlo_server::clock::Clock::now(&*yard.clock);
    for sql in [
        "insert into worker_downtimes (worker, since, found_at)
         select name, silent_since, $1 from workers",
        "insert into queue_depths values ($1, 'a', 'main', '/', 7), ($1, 'c', 'main', '/', 9)",
        "insert into queue_deaths values ($1, 'a', 3), ($1, 'b', 1)",
        // The letters arrived by Postgres's clock, the office's stands elsewhere.
        "update signature_changes set last_arrived_at = $1",
    ] {
        let written = sqlx::query(sql).bind(now).execute(&pool).await;
        written.expect("written");
    }
    let mut transaction = pool.begin().await.expect("a transaction");
    let folded = dlo_server::store::groups::totals::fold(&mut transaction, now).await;
    folded.expect("folded");
    transaction.commit().await.expect("committed");
    let nobody = About::Worker("nobody".to_owned());
    let nobody = yard.desk.timeline(&nobody, Reach::Shift).await;
    assert!(matches!(nobody, Err(DeskError::NotFound(_))), "{nobody:?}");
    let group = About::Group(GroupId(Uuid::from_u128(1)));
    for (about, deaths, workers, queues) in [
        (group, 4, "w-1 w-b", "a"),
        (About::Worker("w-1".to_owned()), 3, "w-1", "a"),
        (About::Worker("idle".to_owned()), 0, "idle", ""),
        (About::Queue("b".to_owned()), 1, "w-b", ""),
        (About::Everything, 0, "idle w-1 w-b", "c a"),
    ] {
        let told = yard.desk.timeline(&about, Reach::Shift).await.expect("told");
        let named: Vec<&str> = told.workers.iter().map(|one| one.worker.as_str()).collect();
        let filled: Vec<&str> = told.queues.iter().map(|one| one.queue.as_str()).collect();
        let sum: i64 = told.deaths.iter().sum();
        assert_eq!(
            (sum, named.join(" "), filled.join(" ")),
            (deaths, workers.to_owned(), queues.to_owned()),
            "{about:?}"
        );
    }
}
