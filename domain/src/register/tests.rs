use serde_json::json;

use super::*;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + seconds, 0).expect("a time")
}

#[test]
fn rows_that_are_no_workers_are_refused() {
    let beat = "2026-11-21T12:00:00+00:00";
    let long = "x".repeat(MOST_ROW_BYTES);
    for row in [
        json!({}),
        json!([]),
        json!({"name": "a"}),
        json!({"last_heartbeat": beat}),
        json!({"name": null, "last_heartbeat": beat}),
        json!({"name": 1.5, "last_heartbeat": beat}),
        json!({"name": "", "last_heartbeat": beat}),
        json!({"name": "a\u{1b}[2J", "last_heartbeat": beat}),
        json!({"name": "a"}),
        json!({"name": "", "last_heartbeat": null}),
        // What a column without a time zone comes as, and what has no place in a calendar.
        json!({"name": "a", "last_heartbeat": "2026-11-21T12:00:00"}),
        json!({"name": "a", "last_heartbeat": "infinity"}),
        json!({"name": "a", "last_heartbeat": 1_700_000_000}),
        json!({"name": "a", "last_heartbeat": beat, "state": "busy"}),
        json!({"name": "a", "last_heartbeat": beat, "running": -1}),
        json!({"name": "a", "last_heartbeat": beat, "interval_seconds": 0}),
        json!({"name": "a", "last_heartbeat": beat, "metadata": "text"}),
        json!({"name": "a", "last_heartbeat": beat, "queue": "q".repeat(256)}),
        json!({"name": "a", "last_heartbeat": beat, "other": long}),
    ] {
        assert!(read_worker(&row.to_string()).is_err(), "{row:.80}");
    }
    assert!(read_worker("{\"name\": \"cut of").is_err());
}

#[test]
fn a_worker_is_read_by_its_columns_and_others_are_ignored() {
    let row = json!({
        "name": 7, "last_heartbeat": "2026-11-21T12:00:00.5+02:00", "state": "draining",
        "queue": "q", "running": 3, "interval_seconds": 30, "metadata": {"zone": "a"},
        "version": null, "id": 12, "meta": {"x": 1},
    });
    let read = read_worker(&row.to_string()).expect("readable");
    let read = read.expect("a worker");
    assert_eq!(read.name, "7");
    assert_eq!(read.beat_at.to_rfc3339(), "2026-11-21T10:00:00.500+00:00");
    assert_eq!(read.heartbeat.state, Some(WorkerState::Draining));
    assert_eq!(read.heartbeat.interval(), TimeDelta::seconds(30));
    assert_eq!(read.heartbeat.metadata["zone"], "a");
    assert_eq!(read.heartbeat.probe_url, None);
    let unheard = json!({"name": "new", "last_heartbeat": null});
    assert_eq!(read_worker(&unheard.to_string()), Ok(None), "no fault");
}

#[test]
fn rows_that_are_no_executions_are_refused() {
    for row in [
        json!({}),
        json!({"id": 42}),
        json!({"id": null, "state": "running"}),
        json!({"id": "", "state": "running"}),
        json!({"id": {}, "state": "running"}),
        json!({"id": 42, "state": "RUNNING"}),
        json!({"id": 42, "state": "busy"}),
        json!({"id": 42, "state": "running", "worker": ""}),
        json!({"id": 42, "state": "running", "attempt": 0}),
        json!({"id": 42, "state": "running", "since": "yesterday"}),
        json!({"id": 42, "state": "failed", "error": "x".repeat(5_000)}),
    ] {
        assert!(read_execution(&row.to_string()).is_err(), "{row:.80}");
    }
    let row = json!({"id": 42, "state": "scheduled", "worker": 7, "since": null});
    let read = read_execution(&row.to_string()).expect("an execution");
    assert_eq!((read.report.id.as_str(), read.since), ("42", None));
    assert_eq!(read.report.worker.as_deref(), Some("7"));
}

fn worker(name: &str, beat: i64) -> ReadWorker {
    ReadWorker { name: name.to_owned(), beat_at: at(beat), heartbeat: Heartbeat::default() }
}

fn known(beat: i64) -> BTreeMap<String, Known> {
    let known = Known { beat_at: at(beat), state: WorkerState::Active };
    [("a".to_owned(), known)].into()
}

/// How long ago `a` gave a sign of life, in seconds; nothing when it gave none.
fn age(read: ReadWorker, before: &BTreeMap<String, Known>, now: i64) -> Option<i64> {
    let since = Some(TimeDelta::seconds(10));
    let signs = signs(vec![read], before, at(now), since);
    signs.first().map(|sign| sign.age.num_seconds())
}

#[test]
fn a_sign_of_life_is_a_heartbeat_that_changed() {
    assert_eq!(age(worker("a", 0), &known(0), 5), None);
    assert_eq!(age(worker("a", 4), &known(0), 5), Some(1));
    let mut drains = worker("a", 0);
    drains.heartbeat.state = Some(WorkerState::Draining);
    assert_eq!(age(drains, &known(0), 5), Some(5));
}

#[test]
fn a_clock_that_is_set_over_there_makes_nobody_silent_and_nobody_alive() {
    // An hour forward: what did not change is no sign, what did change came since the last read.
    assert_eq!(age(worker("a", 0), &known(0), 3_600), None);
    assert_eq!(age(worker("a", 8), &known(0), 3_608), Some(10));
    // An hour back: the heartbeat lies ahead, or is before the one that was known.
    assert_eq!(age(worker("a", 0), &known(0), -3_600), None);
    assert_eq!(age(worker("a", -3_599), &known(0), -3_598), Some(1));
    assert_eq!(age(worker("a", 5), &known(0), -3_600), Some(0));
}

#[test]
fn a_worker_that_is_new_is_as_old_as_the_register_says_and_a_forgotten_one_stays_so() {
    let nobody = BTreeMap::new();
    assert_eq!(age(worker("b", -50), &nobody, 0), Some(50));
    assert_eq!(age(worker("b", -8 * 86_400), &nobody, 0), None);
    assert_eq!(age(worker("pod-7f9c4d-x2z4k", -7_200), &nobody, 0), None);
    assert_eq!(age(worker("b", -7_200), &nobody, 0), Some(7_200));
}

#[test]
fn of_two_rows_of_one_name_the_newer_counts() {
    let rows = vec![worker("a", 3), worker("a", 9), worker("a", 5)];
    let signs = signs(rows, &known(0), at(10), None);
    assert_eq!((signs.len(), signs[0].age.num_seconds()), (1, 1));
}
