use chrono::{DateTime, Utc};
use proptest::prelude::*;

use super::*;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + seconds, 0).expect("a time")
}

/// A watch that was looked at every second for so long.
fn looked_for(seconds: i64) -> Watch {
    (1..=seconds).fold(Watch::begun(at(0)), |watch, second| watch.looked(at(second)))
}

#[test]
fn a_worker_is_stale_after_three_intervals_and_not_before() {
    let interval = DEFAULT_INTERVAL;
    let silent = TimeDelta::seconds(30);
    let moment = TimeDelta::milliseconds(1);
    assert_eq!(judge(WorkerState::Active, interval, silent), Verdict::Keep);
    let verdict = judge(WorkerState::Active, interval, silent + moment);
    assert_eq!(verdict, Verdict::Stale);
}

#[test]
fn a_draining_worker_is_never_stale_and_stops_in_good_order() {
    let interval = DEFAULT_INTERVAL;
    for (seconds, wanted) in [(31, Verdict::Keep), (60, Verdict::Keep), (61, Verdict::Stopped)] {
        let silent = TimeDelta::seconds(seconds);
        assert_eq!(judge(WorkerState::Draining, interval, silent), wanted);
    }
    let long = TimeDelta::days(9);
    assert_eq!(judge(WorkerState::Stopped, interval, long), Verdict::Keep);
}

#[test]
fn time_in_which_nobody_looked_is_no_silence() {
    let heard = looked_for(60).reading(at(60));
    for gap in [120, 3_600, 86_400] {
        let back = looked_for(60).looked(at(60 + gap));
        assert_eq!(back.silence(heard), TimeDelta::zero(), "after {gap} s");
        let later = (1..=30).fold(back, |watch, second| watch.looked(at(60 + gap + second)));
        let silent = later.silence(heard);
        assert_eq!(judge(WorkerState::Active, DEFAULT_INTERVAL, silent), Verdict::Keep);
        let last = later.looked(at(60 + gap + 31)).silence(heard);
        assert_eq!(judge(WorkerState::Active, DEFAULT_INTERVAL, last), Verdict::Stale);
    }
}

#[test]
fn slow_looks_make_deaths_late_and_never_stop_them() {
    let slow = (1..=16).fold(Watch::begun(at(0)), |watch, n| watch.looked(at(n * 4)));
    let silent = slow.silence(0);
    assert_eq!(silent, LONGEST_STEP * 16);
    assert_eq!(judge(WorkerState::Active, DEFAULT_INTERVAL, silent), Verdict::Stale);
}

#[test]
fn a_clock_set_back_lets_the_watch_stand_for_one_look() {
    let watch = looked_for(60);
    let set_back = watch.looked(at(61 - 3_600));
    assert_eq!(set_back.heard_ms, watch.heard_ms);
    let next = set_back.looked(at(62 - 3_600));
    assert_eq!(next.heard_ms, watch.heard_ms + 1_000);
    assert_eq!(watch.reading(at(-3_600)), watch.heard_ms);
}

proptest! {
    /// A worker that beats whenever it can is never stale, whatever the clocks and pauses are.
    #[test]
    fn a_worker_that_beats_whenever_somebody_looks_is_never_stale(
        steps in proptest::collection::vec((-7_200_i64..7_200, 1_i64..9), 1..60),
    ) {
        let mut now = 0;
        let mut watch = Watch::begun(at(now));
        let mut heard = watch.reading(at(now));
        for (jump, seconds) in steps {
            // The clock jumps, then some seconds are looked at, then it beats.
            now += jump;
            for _ in 0..seconds {
                now += 1;
                watch = watch.looked(at(now));
                let silent = watch.silence(heard);
                let verdict = judge(WorkerState::Active, DEFAULT_INTERVAL, silent);
                prop_assert_eq!(verdict, Verdict::Keep);
            }
            heard = watch.reading(at(now));
        }
    }

    /// A dead one is found, however often the clock is set back in between.
    #[test]
    fn a_dead_worker_is_found_in_40_looks(back in proptest::collection::vec(0_i64..7_200, 8)) {
        let mut now = 0;
        let mut watch = Watch::begun(at(now));
        for look in 0..40_usize {
            now += 1;
            if look % 5 == 4 {
                now -= back[look / 5];
            }
            watch = watch.looked(at(now));
        }
        let verdict = judge(WorkerState::Active, DEFAULT_INTERVAL, watch.silence(0));
        prop_assert_eq!(verdict, Verdict::Stale);
    }

    /// Some of a UUID's parts look like words, such as `bcda` and `a716`.
    #[test]
    fn a_uuid_behind_a_name_is_one_random_part(uuid in proptest::array::uniform16(0_u8..)) {
        let uuid = uuid::Uuid::from_bytes(uuid);
        for (name, kind) in [
            (format!("worker-{uuid}"), "worker-*"),
            (format!("mail.{uuid}-3"), "mail.*"),
            (format!("{uuid}").to_uppercase(), "*"),
        ] {
            prop_assert_eq!(kind_of(&name), Kind { name: kind.to_owned(), is_autoscaled: true });
        }
    }

    #[test]
    fn any_name_is_folded_into_something(name in ".{1,80}") {
        let kind = kind_of(&name);
        prop_assert!(!kind.name.is_empty());
        prop_assert!(!kind.is_autoscaled || kind.name.ends_with('*'));
    }
}

#[test]
fn names_are_folded_by_what_tells_workers_of_a_kind_apart() {
    for (name, kind, is_autoscaled) in [
        ("worker-7f9c-x2z", "worker-*", true),
        ("billing-5d4b8c7f9-bbxqz", "billing-*", true),
        ("0b9f3c1e-7a54-4d1c-9a5e-2f6d8b7c1a90", "*", true),
        ("celery@ip-4f2a9c1b", "celery@ip-*", true),
        ("4f2a9c1bd003", "*", true),
        ("worker-7", "worker-*", false),
        ("worker 7", "worker *", false),
        ("worker_12_3", "worker_*", false),
        ("node12", "node*", false),
        ("worker-eu1", "worker-eu*", false),
        ("order-service", "order-service", false),
        ("mailer-campaigns", "mailer-campaigns", false),
        ("größe", "größe", false),
        ("-", "-", false),
        ("7", "*", false),
    ] {
        let wanted = Kind { name: kind.to_owned(), is_autoscaled };
        assert_eq!(kind_of(name), wanted, "{name}");
    }
}

#[test]
fn null_says_as_little_as_nothing() {
    let text = r#"{"metadata": null, "state": null, "queue": null, "running": null}"#;
    let read: Heartbeat = serde_json::from_str(text).expect("readable");
    assert_eq!(read, Heartbeat::default());
}

#[test]
fn heartbeats_that_cannot_be_kept_are_refused() {
    let long = "x".repeat(256);
    for (name, text, wanted) in [
        ("", "{}", HeartbeatFault::Empty("worker")),
        ("  ", "{}", HeartbeatFault::Empty("worker")),
        (long.as_str(), "{}", HeartbeatFault::TooLong("worker", 255)),
        ("a\u{0}", "{}", HeartbeatFault::Control("worker")),
        ("a", r#"{"worker": "b"}"#, HeartbeatFault::OtherWorker),
        ("a", r#"{"interval_seconds": 0}"#, HeartbeatFault::Interval),
        ("a", r#"{"interval_seconds": 1e9}"#, HeartbeatFault::Interval),
        ("a", r#"{"running": 4294967295}"#, HeartbeatFault::TooLarge("running")),
        ("a", r#"{"probe_url": "file:///etc/passwd"}"#, HeartbeatFault::ProbeUrl),
        ("a", r#"{"metadata": {"a": [{"\u0000": 1}]}}"#, HeartbeatFault::Control("metadata")),
        ("a", r#"{"queue": ""}"#, HeartbeatFault::Empty("queue")),
        (".", "{}", HeartbeatFault::Direction),
        ("..", r#"{"worker": ".."}"#, HeartbeatFault::Direction),
        ("7", r#"{"worker": 8}"#, HeartbeatFault::OtherWorker),
        ("a", r#"{"metadata": {"x": "\u0000"}}"#, HeartbeatFault::Control("metadata")),
    ] {
        assert_eq!(beat(text).check(name), Err(wanted), "{name} {text}");
    }
    let much = format!(r#"{{"metadata": {{"x": "{}"}}}}"#, "x".repeat(MOST_METADATA));
    let fault = HeartbeatFault::TooLong("metadata", MOST_METADATA);
    assert_eq!(beat(&much).check("a"), Err(fault));
}

fn beat(text: &str) -> Heartbeat {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn an_address_is_probed_that_names_a_host_and_nobody() {
    for (url, wanted) in [
        ("localhost", Err(HeartbeatFault::ProbeUrl)),
        ("", Err(HeartbeatFault::ProbeUrl)),
        ("http://", Err(HeartbeatFault::ProbeUrl)),
        ("http:///healthz", Err(HeartbeatFault::ProbeUrl)),
        ("http://:80/", Err(HeartbeatFault::ProbeUrl)),
        ("http://?host", Err(HeartbeatFault::ProbeUrl)),
        ("http://\\@host", Err(HeartbeatFault::ProbeUrl)),
        ("https://", Err(HeartbeatFault::ProbeUrl)),
        ("httpss://host/", Err(HeartbeatFault::ProbeUrl)),
        ("https://host/healthz", Ok(())),
        ("ftp://host/", Err(HeartbeatFault::ProbeUrl)),
        ("http://user:pw@host/", Err(HeartbeatFault::ProbeSecret)),
        ("http://user@", Err(HeartbeatFault::ProbeSecret)),
        ("http://host/?who=a@b", Ok(())),
        ("HTTP://[fd00::1]:8080/healthz", Ok(())),
    ] {
        let beat = Heartbeat { probe_url: Some(url.to_owned()), ..Heartbeat::default() };
        assert_eq!(beat.check("a"), wanted, "{url}");
    }
}

#[test]
fn a_heartbeat_is_an_object_and_its_name_may_be_a_number() {
    for text in ["[]", r#"["a", 10]"#, "3", "null", r#""a""#, r#"{"worker": 1.5}"#] {
        assert!(serde_json::from_str::<Heartbeat>(text).is_err(), "{text}");
    }
    let said = beat(r#"{"worker": 79}"#);
    assert_eq!(said.worker.as_deref(), Some("79"));
    assert_eq!(said.check("79"), Ok(()));
    let said = beat(r#"{"worker": "79", "state": "draining", "metadata": {"a": 1}}"#);
    let written = serde_json::to_string(&said).expect("JSON");
    assert_eq!(beat(&written), said);
    // A backslash and five letters are a text like any other.
    let said = beat(r#"{"metadata": {"path": "c:\\u0000"}}"#);
    assert_eq!(said.check("a"), Ok(()));
}

#[test]
fn what_a_heartbeat_leaves_out_is_as_the_one_before_said() {
    let first = beat(
        r#"{"state": "draining", "queue": "q", "version": "1", "running": 2, "capacity": 9,
            "interval_seconds": 60, "probe_url": "http://a/", "metadata": {"zone": 1}}"#,
    );
    let both = Heartbeat::default().after(&first);
    assert_eq!(both.running, None, "that is of the moment");
    assert_eq!(Heartbeat { running: Some(2), ..both }, first);
    let last = beat(r#"{"state": "active", "queue": "r", "metadata": {"zone": 2}}"#);
    let both = last.clone().after(&first);
    assert_eq!(
        (both.state, &both.queue, &both.metadata),
        (last.state, &last.queue, &last.metadata)
    );
    let stopped = beat(r#"{"state": "stopped"}"#);
    let both = Heartbeat::default().after(&stopped);
    assert_eq!(both.state, Some(WorkerState::Active), "it lives");
}

#[test]
fn a_heartbeat_needs_nothing_and_unknown_members_are_ignored() {
    let beat: Heartbeat = serde_json::from_str(r#"{"at": "2026-11-21", "mood": 3}"#).expect("JSON");
    assert_eq!(beat.check("a"), Ok(()));
    assert_eq!(beat.interval(), DEFAULT_INTERVAL);
    let quick: Heartbeat = serde_json::from_str(r#"{"interval_seconds": 0.25}"#).expect("JSON");
    assert_eq!(quick.interval(), TimeDelta::milliseconds(250));
}

#[test]
fn words_come_back_as_they_were_written() {
    for condition in Condition::ALL {
        assert_eq!(condition.as_str().parse(), Ok(condition));
        assert_eq!(Condition::ALL[usize::from(condition.rank())], condition);
        let name = "größe 7".to_owned();
        let cursor = WorkerCursor { condition, name };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
    }
    assert!("alive".parse::<Condition>().is_err());
    for text in ["", "!", "CXdvcmtlcg", "AAA", "AA"] {
        assert!(text.parse::<WorkerCursor>().is_err(), "{text}");
    }
    assert!("alive".parse::<WorkerState>().is_err());
}
