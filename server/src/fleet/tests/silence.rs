//! Who is held for silent, and who never is.

use chrono::TimeDelta;
use dlo_app::desk::{FleetDesk as _, TriageDesk as _};
use dlo_domain::worker::{Condition, Heartbeat};
use sqlx::PgPool;

use super::workforce::{Workforce, alive};

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_worker_falls_silent_once_and_comes_back_once(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("a", alive()).await;
    let last = force.report("a").await.worker.last_heartbeat_at;
    force.pass(30).await;
    assert_eq!(force.condition("a").await, Condition::Fresh);
    force.pass(1).await;
    let report = force.report("a").await;
    assert_eq!(report.worker.condition, Condition::Stale);
    assert_eq!(report.worker.silent_since, Some(last));
    assert_eq!(report.worker.silent_ms, 31_000);
    force.pass(60).await;
    assert_eq!(force.report("a").await.downtimes.len(), 1, "told once");
    force.beat("a", alive()).await;
    force.pass(20).await;
    let report = force.report("a").await;
    assert_eq!(report.worker.condition, Condition::Fresh);
    assert_eq!(report.worker.down_today_seconds, 91);
    let [away] = report.downtimes[..] else { panic!("{:?}", report.downtimes) };
    assert_eq!(away.since, last);
    assert_eq!(away.found_at - away.since, TimeDelta::seconds(31));
    assert_eq!(away.until, Some(last + TimeDelta::seconds(91)));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn several_offices_find_a_silence_once_and_its_end_once(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    for name in ["a", "b", "c"] {
        force.beat(name, alive()).await;
    }
    force.pass(30).await;
    let mut others = [force.other_monitor(), force.other_monitor()];
    for round in 0..20 {
        force.clock.advance(TimeDelta::milliseconds(500));
        if round == 10 {
            force.beat("a", alive()).await;
        }
        let [one, two] = &mut others;
        let looked = tokio::join!(force.monitor.look(), one.look(), two.look());
        looked.0.expect("looked");
        looked.1.expect("looked");
        looked.2.expect("looked");
    }
    let told: Vec<(String, bool)> = sqlx::query_as(
        "select worker, until is not null from worker_downtimes order by worker, since",
    )
    .fetch_all(&pool)
    .await
    .expect("read");
    let told: Vec<_> = told.iter().map(|(name, over)| (name.as_str(), *over)).collect();
    assert_eq!(told, [("a", true), ("b", false), ("c", false)]);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn time_in_which_nobody_looked_kills_nobody(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("a", alive()).await;
    force.beat("dead", alive()).await;
    force.pass(9).await;
    for gap in [120, 3_600, 90_000] {
        force.jump(gap);
        force.look().await;
        assert_eq!(force.condition("a").await, Condition::Fresh, "after {gap} s");
        // It was about to beat when everything stood still, and needs some time to find back.
        force.pass(29).await;
        assert_eq!(force.condition("a").await, Condition::Fresh, "after {gap} s");
        force.beat("a", alive()).await;
    }
    force.pass(2).await;
    assert_eq!(force.condition("a").await, Condition::Fresh);
    assert_eq!(force.condition("dead").await, Condition::Stale);
    assert!(force.report("a").await.downtimes.is_empty());
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_clock_that_is_set_kills_nobody_and_hides_nobody(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("dead", alive()).await;
    for step in [3_600, -3_600, -3_600, 3_600] {
        for _ in 0..2 {
            force.beat("a", alive()).await;
            force.pass(10).await;
            assert_eq!(force.condition("a").await, Condition::Fresh, "step {step}");
        }
        force.jump(step);
        force.look().await;
        assert_eq!(force.condition("a").await, Condition::Fresh, "step {step}");
        let silent = force.report("a").await.worker.silent_ms;
        assert!((0..=13_000).contains(&silent), "{silent} ms after {step}");
    }
    assert!(force.report("a").await.downtimes.is_empty());
    force.pass(31).await;
    assert_eq!(force.condition("dead").await, Condition::Stale);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_worker_that_comes_back_while_the_clock_is_set_back_is_back(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("a", alive()).await;
    force.pass(40).await;
    assert_eq!(force.condition("a").await, Condition::Stale);
    force.jump(-3_600);
    force.beat("a", alive()).await;
    force.pass(2).await;
    let report = force.report("a").await;
    assert_eq!(report.worker.condition, Condition::Fresh);
    let away = report.downtimes[0];
    assert_eq!(away.until, Some(away.since), "not over before it began");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn while_nobody_can_hear_nobody_is_silent(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("a", alive()).await;
    force.monitor = crate::fleet::Monitor::new(
        pool.clone(),
        force.clock.clone(),
        crate::fleet::Part { hears_http: false, judges: true },
    );
    force.pass(30).await;
    assert!(force.desk.troubles().await.is_empty(), "a moment");
    force.pass(300).await;
    assert_eq!(force.condition("a").await, Condition::Fresh);
    let troubles = force.desk.troubles().await;
    let [trouble] = &troubles[..] else { panic!("{troubles:?}") };
    assert!(trouble.what.starts_with("Heartbeats by http are not received"));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn each_worker_has_its_own_interval(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    for (name, seconds) in [("quick", 2.0), ("slow", 60.0)] {
        let beat = Heartbeat { interval_seconds: Some(seconds), ..Heartbeat::default() };
        force.beat(name, beat).await;
    }
    force.pass(7).await;
    assert_eq!(force.condition("quick").await, Condition::Stale);
    force.pass(173).await;
    assert_eq!(force.condition("slow").await, Condition::Fresh);
    force.pass(1).await;
    assert_eq!(force.condition("slow").await, Condition::Stale);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn silent_workers_with_random_names_are_forgotten_soon(pool: PgPool) {
    let mut force = Workforce::open(&pool).await;
    force.beat("worker-7f9c-x2z", alive()).await;
    force.beat("worker-7", alive()).await;
    force.pass(40).await;
    // The watch goes on as if somebody had looked for an hour.
    let look_back = "update fleet_watches set heard_ms = heard_ms + $1";
    let later = |hours: i64| sqlx::query(look_back).bind(hours * 3_600_000).execute(&pool);
    later(1).await.expect("set");
    force.pass(61).await;
    assert!(force.desk.worker("worker-7f9c-x2z").await.is_err());
    assert_eq!(force.condition("worker-7").await, Condition::Stale);
    later(24 * 7).await.expect("set");
    force.pass(61).await;
    assert!(force.desk.worker("worker-7").await.is_err());
}
