//! Every rule that an office comes with fires at its threshold, and is over below it.

use dlo_domain::alert::BuiltIn;
use dlo_domain::severity::Severity;
use sqlx::PgPool;

use super::Office;

/// What is not well, from when on that is told, and how it becomes well. The clock begins at noon.
#[derive(Clone)]
struct Threshold {
    rule: BuiltIn,
    /// Just within the limit.
    within: &'static str,
    /// Beyond it.
    beyond: &'static str,
    /// After so many seconds it fires, and not ten seconds before.
    fires_after: i64,
    /// Well again.
    well: &'static str,
    /// After so many seconds it is over.
    over_after: i64,
    name: &'static str,
    severity: Severity,
}

const SOURCE: &str = "insert into sources
    (id, broker, vhost, queue, name, mode, configured, condition, condition_since, created_at)
    values ('019a0f3e-5a4b-7c2d-8e1f-000000000001', 'main', '/', 'dead', 'the dead', 'take', false, 'running',
        '2026-11-21T12:00:00Z', '2026-11-21T12:00:00Z')";

const WELL_AGAIN: &str =
    "update sources set condition = 'running', condition_since = '2026-11-21T12:00:00Z'";

/// The limits, the way back, and what is told of it.
fn of(
    rule: BuiltIn,
    (within, beyond, fires_after): (&'static str, &'static str, i64),
    (well, over_after): (&'static str, i64),
    (name, severity): (&'static str, Severity),
) -> Threshold {
    Threshold { rule, within, beyond, fires_after, well, over_after, name, severity }
}

fn of_letters() -> Vec<Threshold> {
    vec![
        of(
            BuiltIn::DeadLetterRate,
            (
                "insert into death_counts values ('2026-11-21T12:00:00Z', 'normal', 10)",
                "insert into death_counts values ('2026-11-21T12:00:00Z', 'low', 1)",
                // Pending for half a minute.
                40,
            ),
            // The minute is over, another has passed, and it clears for a minute.
            ("select 1", 140),
            ("", Severity::High),
        ),
        of(
            BuiltIn::Depth,
            (
                "insert into letter_counts values
                     ('019a0f3e-5a4b-7c2d-8e1f-000000000001', 'held', 'normal', 60),
                     ('019a0f3e-5a4b-7c2d-8e1f-000000000001', 'discarded', 'normal', 60);
                 insert into queue_depths values ('2026-11-21T12:00:00Z', 'dead', 'main', '/', 90, 40)",
                "insert into letter_counts values
                     ('019a0f3e-5a4b-7c2d-8e1f-000000000001', 'held', 'high', 1)",
                40,
            ),
            ("update queue_depths set waiting = 0", 70),
            ("the dead", Severity::High),
        ),
        of(
            BuiltIn::RetriesExhausted,
            (
                "insert into letters (id, source_id, state, severity, reason, size_bytes, arrivals,
                     first_arrived_at, last_arrived_at)
                 values (gen_random_uuid(), '019a0f3e-5a4b-7c2d-8e1f-000000000001', 'held', 'high', 'rejected',
                     0, 1, now(), now())",
                "update letters set exhausted_at = now(),
                     exhausted_by = '019a0f3e-5a4b-7c2d-8e1f-000000000002'",
                // The obituary is told at once.
                10,
            ),
            ("update letters set state = 'discarded'", 70),
            ("", Severity::High),
        ),
    ]
}

fn of_work() -> Vec<Threshold> {
    vec![
        of(
            BuiltIn::ExecutionTimeouts,
            (
                "insert into execution_minutes (minute, part, timeouts) values ('2026-11-21T12:00:00Z', 0, 10)",
                "insert into execution_minutes (minute, part, timeouts) values ('2026-11-21T12:00:00Z', 1, 1)",
                40,
            ),
            ("select 1", 140),
            ("", Severity::High),
        ),
        of(
            BuiltIn::NoActiveWorker,
            (
                "insert into workers (name, kind, is_autoscaled, state, state_since, first_seen_at,
                     last_heartbeat_at, way, heard_ms, interval_ms)
                 select name, 'worker', false, state, now(), now(), now(), 'http', 0, 1000
                 from (values ('a', 'active'), ('b', 'draining')) as these (name, state)",
                "update workers set silent_since = now() where name = 'a'",
                40,
            ),
            ("update workers set silent_since = null", 70),
            ("", Severity::Critical),
        ),
        of(
            BuiltIn::StuckExecutions,
            (
                "select 1",
                "insert into executions (id, key, state, state_since, first_seen_at)
                 values ('one', gen_random_uuid(), 'scheduled', '2026-11-21T12:00:00Z', '2026-11-21T12:00:00Z')",
                // Five minutes, and half a minute.
                340,
            ),
            ("update executions set state = 'running'", 70),
            ("", Severity::High),
        ),
    ]
}

fn of_intake() -> Vec<Threshold> {
    vec![
        of(
            BuiltIn::QueueWithoutConsumer,
            (
                "select 1",
                "insert into topology_findings (id, broker, vhost, kind, subject, other, severity, finding,
                     first_seen_at, last_seen_at)
                 values (gen_random_uuid(), 'main', '/', 'no_consumer', 'orders', '', 'normal', '{}',
                     '2026-11-21T12:00:00Z', '2026-11-21T12:00:00Z')",
                10,
            ),
            ("update topology_findings set resolved_at = now()", 70),
            ("orders", Severity::High),
        ),
        of(
            BuiltIn::IntakeStalled,
            ("select 1", "update sources set condition = 'queue_missing'", 70),
            (WELL_AGAIN, 70),
            ("the dead", Severity::Critical),
        ),
        of(
            BuiltIn::UndecodableHead,
            ("select 1", "update sources set condition = 'undecodable_head'", 20),
            (WELL_AGAIN, 70),
            ("the dead", Severity::Critical),
        ),
        of(
            BuiltIn::SourceTakesNothing,
            ("select 1", "update sources set condition = 'delivery_limit'", 70),
            (WELL_AGAIN, 70),
            ("the dead", Severity::High),
        ),
        of(
            BuiltIn::BrokerAway,
            ("select 1", "update sources set condition = 'broker_away'", 40),
            (WELL_AGAIN, 70),
            ("main", Severity::Critical),
        ),
        of(
            BuiltIn::ChannelFailing,
            (
                "insert into channels (id, name, kind, address, route, enabled, created_at, changed_by, changed_at,
                     due_at)
                 values (gen_random_uuid(), 'on call', 'slack', 'http://x', '{}', true, now(), 'x', now(), now())",
                "update channels set failures = 1, failing_since = '2026-11-21T12:00:00Z'",
                70,
            ),
            ("update channels set failures = 0, failing_since = null", 70),
            ("on call", Severity::High),
        ),
    ]
}

fn of_groups() -> Vec<Threshold> {
    vec![
        of(
            BuiltIn::NewGroup,
            (
                "insert into groups (id, state, state_since, title, why, created_at)
                 values ('019a0f3e-5a4b-7c2d-8e1f-000000000003', 'open', '2026-11-21T12:00:01Z', 'no route',
                     '{}', '2026-11-21T12:00:01Z');
                 insert into group_totals (group_id, letters, waiting, critical, high, normal, low, arrivals, impact)
                 values ('019a0f3e-5a4b-7c2d-8e1f-000000000003', 3, 0, 0, 0, 0, 0, 3, 0)",
                "update group_totals set waiting = 3, normal = 2, low = 1",
                10,
            ),
            ("update group_totals set waiting = 0, normal = 0, low = 0", 10),
            ("no route", Severity::Normal),
        ),
        of(
            BuiltIn::RegressedGroup,
            (
                "insert into groups (id, state, state_since, title, why, created_at)
                 values ('019a0f3e-5a4b-7c2d-8e1f-000000000003', 'resolved', '2026-11-20T12:00:00Z', 'no route',
                     '{}', '2026-11-20T12:00:00Z');
                 insert into group_totals (group_id, letters, waiting, critical, high, normal, low, arrivals, impact)
                 values ('019a0f3e-5a4b-7c2d-8e1f-000000000003', 3, 1, 1, 0, 0, 0, 3, 0)",
                "update groups set state = 'regressed', state_since = '2026-11-21T12:00:01Z'",
                10,
            ),
            ("update groups set state = 'resolved'", 10),
            ("no route", Severity::Critical),
        ),
    ]
}

/// The tables that a threshold wrote, as they were.
const CLEAN: &str = "truncate alert_events, alerts, sources, letter_counts, queue_depths, death_counts,
    execution_minutes, workers, executions, letters, topology_findings, groups, group_totals cascade";

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn every_rule_fires_beyond_its_threshold_and_is_over_within_it(pool: PgPool) {
    let thresholds = [of_letters(), of_work(), of_intake(), of_groups()].concat();
    let mut covered: Vec<BuiltIn> = thresholds.iter().map(|one| one.rule).collect();
    covered.sort();
    let mut all = BuiltIn::ALL.to_vec();
    all.sort();
    assert_eq!(covered, all, "each rule has its row");
    for one in thresholds {
        sqlx::raw_sql(CLEAN).execute(&pool).await.expect("cleaned");
        sqlx::raw_sql("truncate alert_rules cascade").execute(&pool).await.expect("cleaned");
        let office = Office::open(&pool).await;
        office.run(SOURCE).await;
        let rule = one.rule;
        office.run(one.within).await;
        office.evaluator.look().await.expect("looked");
        assert_eq!(office.open_alerts().await, [], "{rule:?} within its limit");
        office.run(one.beyond).await;
        office.pass(one.fires_after - 10).await;
        assert_eq!(office.firing().await, [], "{rule:?} before its time");
        office.pass(10).await;
        assert_eq!(office.firing().await, [(rule, one.name.to_owned())], "{rule:?}");
        assert_eq!(office.open_alerts().await[0].severity, one.severity, "{rule:?}");
        office.run(one.well).await;
        office.pass(one.over_after - 10).await;
        if one.over_after > 10 {
            assert_eq!(office.firing().await.len(), 1, "{rule:?} is not over too early");
        }
        office.pass(10).await;
        assert_eq!(office.open_alerts().await, [], "{rule:?} is over");
        let events = office.count("select count(*) from alert_events").await;
        assert_eq!(events, 2, "{rule:?}: it fired, and was over");
    }
}
