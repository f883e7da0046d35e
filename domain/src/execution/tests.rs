use crate::decoding::MessageTypes;
use chrono::TimeDelta;
use serde_json::json;

use super::*;
use crate::arrival::Delivered;
use crate::failure::HeaderMap;
use crate::reading;
use crate::wire::{FieldValue, Properties};

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn in_state(state: ExecutionState) -> Execution {
    Execution::begun(&Report::of("7", state), at(0))
}

fn on(worker: &str, report: Report) -> Report {
    Report { worker: Some(worker.to_owned()), ..report }
}

#[test]
fn an_attempt_goes_forward_only_and_what_is_over_stays() {
    for from in ExecutionState::ALL {
        for to in ExecutionState::ALL {
            let told = in_state(from).told(&Report::of("7", to), at(9));
            if from == to {
                assert_eq!(told, Ok(None), "{from}: said again");
                continue;
            }
            let moved = told.is_ok();
            assert_eq!(moved, from.may_become(to), "{from} → {to}");
            if let Ok(next) = told {
                let next = next.expect("a change");
                assert_eq!((next.state, next.state_since), (to, at(9)));
                assert_eq!(next.ended_at.is_some(), to.is_terminal());
            }
        }
    }
    assert!(ExecutionState::ALL.is_sorted());
}

#[test]
fn a_refusal_says_what_is() {
    let done = in_state(ExecutionState::Completed);
    let why = done.told(&Report::of("7", ExecutionState::Running), at(9)).expect_err("over");
    let said = "execution `7` is completed since 1970-01-01T00:00:00.000Z: it is over, and cannot \
                become running";
    assert_eq!(why.to_string(), said);
}

#[test]
fn a_worker_that_lost_it_does_not_speak_for_it() {
    let report = on("a", Report::of("7", ExecutionState::Scheduled));
    let scheduled = Execution::begun(&report, at(0));
    let other = on("b", Report::of("7", ExecutionState::Running));
    assert!(matches!(scheduled.told(&other, at(1)), Err(Refusal::Worker { .. })));
    let own = on("a", Report::of("7", ExecutionState::Running));
    let next = scheduled.told(&own, at(1)).expect("told").expect("moved");
    assert_eq!(next.running_at, Some(at(1)));
}

#[test]
fn a_later_attempt_begins_anew_and_an_earlier_one_is_refused() {
    let first = Execution::begun(
        &Report { max_attempts: Some(3), ..on("a", Report::of("7", ExecutionState::Running)) },
        at(0),
    );
    assert!(first.has_attempts_left());
    let second = Report { attempt: Some(2), ..on("b", Report::of("7", ExecutionState::Scheduled)) };
    let next = first.told(&second, at(5)).expect("told").expect("moved");
    assert_eq!((next.state, next.attempt), (ExecutionState::Scheduled, 2));
    assert_eq!(next.worker.as_deref(), Some("b"));
    let late = Report { attempt: Some(1), ..on("a", Report::of("7", ExecutionState::Completed)) };
    assert!(matches!(next.told(&late, at(6)), Err(Refusal::Attempt { .. })));
}

/// Its message was replayed: a worker begins anew what nobody took, and says which attempt that is.
#[test]
fn a_later_attempt_begins_what_had_failed_and_nothing_else_that_is_over() {
    for over in ExecutionState::ALL {
        let over = Execution {
            error: Some("its message expired".to_owned()),
            failed_by: Some(HANDLER.to_owned()),
            ..in_state(over)
        };
        let again =
            Report { attempt: Some(2), ..on("b", Report::of("7", ExecutionState::Running)) };
        let told = over.told(&again, at(9));
        if matches!(over.state, ExecutionState::Completed | ExecutionState::Cancelled) {
            assert!(matches!(told, Err(Refusal::Over { .. })), "{}", over.state);
            continue;
        }
        let next = told.expect("taken").expect("a change");
        assert_eq!((next.state, next.attempt), (ExecutionState::Running, 2));
        assert_eq!((next.ended_at, next.error, next.failed_by), (None, None, None));
        assert_eq!((next.worker.as_deref(), next.max_attempts), (Some("b"), 2));
    }
}

#[test]
fn reports_are_bounded() {
    let fine = Report::of("7", ExecutionState::Running);
    assert_eq!(fine.check(), Ok(()));
    for bad in ["", "a\0b", "a\nb", &"x".repeat(MOST_NAME_BYTES + 1)] {
        assert!(Report::of(bad, ExecutionState::Running).check().is_err());
        assert!(on(bad, fine.clone()).check().is_err());
    }
    let with = |change: &dyn Fn(&mut Report)| {
        let mut report = fine.clone();
        change(&mut report);
        report.check()
    };
    assert!(with(&|r| r.attempt = Some(0)).is_err());
    assert!(with(&|r| r.max_attempts = Some(1_001)).is_err());
    assert!(with(&|r| r.error = Some("x".repeat(MOST_ERROR_BYTES + 1))).is_err());
    assert!(with(&|r| r.result = Some(json!("x".repeat(MOST_RESULT_BYTES)))).is_err());
    assert!(with(&|r| r.result = Some(json!({"a": "\0"}))).is_err());
    assert!(with(&|r| r.result = Some(json!({"a": [1]}))).is_ok());
}

#[test]
fn the_watch_begins_anew_after_whatever_it_could_not_see() {
    let limit = TimeDelta::seconds(300);
    let mut watch = Watch::begun(at(0));
    assert_eq!(watch.cutoff(limit), None);
    for second in (5..=300).step_by(5) {
        let seen;
        (watch, seen) = watch.looked(at(second));
        assert_eq!(seen, Seen::Steadily);
    }
    assert_eq!(watch.cutoff(limit), Some(at(0)));
    // A database that hung for two minutes, and a clock that was set by an hour, either way.
    for (now, wanted) in [
        (at(420), Seen::AfterAGap),
        (at(300 + 3_600), Seen::AfterAGap),
        (at(300 - 3_600), Seen::SetBack),
    ] {
        let (after, seen) = watch.looked(now);
        assert_eq!((seen, after), (wanted, Watch::begun(now)));
        assert_eq!(after.cutoff(limit), None);
    }
    let (after, seen) = watch.looked(at(299) + TimeDelta::milliseconds(500));
    assert_eq!((seen, after), (Seen::Steadily, watch));
}

fn naming(path: Option<&str>, header: Option<&str>) -> ExecutionNaming {
    ExecutionNaming {
        path: path.map(ToOwned::to_owned),
        header: header.map(ToOwned::to_owned),
        ..ExecutionNaming::default()
    }
}

fn body(json: &str) -> Delivered {
    Delivered { body: json.as_bytes().to_vec(), ..Delivered::default() }
}

/// The execution that a message names.
fn named_by(naming: &ExecutionNaming, delivered: &Delivered) -> Option<String> {
    let types = MessageTypes::default();
    naming.read(delivered, &reading::read(delivered, &HeaderMap::default(), &types), &types)
}

#[test]
fn an_execution_is_named_by_a_path_or_a_header() {
    let path = naming(Some("/payload/execution_id"), None);
    let named = |json: &str| named_by(&path, &body(json));
    assert_eq!(named(r#"{"payload":{"execution_id":42}}"#).as_deref(), Some("42"));
    assert_eq!(named(r#"{"payload":{"execution_id":"e-1"}}"#).as_deref(), Some("e-1"));
    for odd in [
        "",
        "{",
        "[]",
        r#"{"payload":{}}"#,
        r#"{"payload":{"execution_id":null}}"#,
        r#"{"payload":{"execution_id":""}}"#,
        r#"{"payload":{"execution_id":1.5}}"#,
        r#"{"payload":{"execution_id":"a\u0000b"}}"#,
        r#"{"payload":{"execution_id":["42"]}}"#,
    ] {
        assert_eq!(named(odd), None, "{odd}");
    }
    let mut delivered = body(r#"{"id":"body"}"#);
    delivered.headers.set("x-execution", FieldValue::LongString("header".into()));
    let both = naming(Some("/id"), Some("x-execution"));
    assert_eq!(named_by(&both, &delivered).as_deref(), Some("header"));
    assert_eq!(named_by(&both, &body(r#"{"id":"body"}"#)).as_deref(), Some("body"));
    assert_eq!(named_by(&ExecutionNaming::default(), &delivered), None);
    let empty = FieldValue::LongString("".into());
    delivered.headers.set("x-execution", empty);
    assert_eq!(named_by(&both, &delivered).as_deref(), Some("body"));
}

#[test]
fn a_packed_body_names_its_execution_as_if_it_were_not() {
    use std::io::Write as _;
    let path = naming(Some("/payload/execution_id"), None);
    let pack = |bytes: &[u8]| {
        let level = flate2::Compression::fast();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), level);
        gzip.write_all(bytes).expect("a Vec takes every write");
        gzip.finish().expect("a Vec takes every write")
    };
    let packed = |bytes: &[u8]| Delivered {
        properties: Properties { content_encoding: Some("gzip".into()), ..Properties::default() },
        body: pack(bytes),
        ..Delivered::default()
    };
    let plain = br#"{"payload":{"execution_id":42}}"#;
    assert_eq!(named_by(&path, &packed(plain)).as_deref(), Some("42"));
    let mut bomb = plain.to_vec();
    bomb.resize(64 << 20, b' ');
    assert_eq!(named_by(&path, &packed(&bomb)), None);
    let mut unpacked = packed(plain);
    unpacked.body = plain.to_vec();
    assert_eq!(named_by(&path, &unpacked).as_deref(), Some("42"), "gzip is a wrong name for it");
}

#[test]
fn reports_name_by_texts_or_whole_numbers_one_or_several() {
    let read = |text: &str| serde_json::from_str::<Reports>(text);
    for text in [
        r#"{"reports":[{"id":79,"state":"running","worker":7}]}"#,
        r#"{"id":"79","state":"running","worker":"7"}"#,
    ] {
        let reports = read(text).expect(text).reports;
        let [report] = &reports[..] else { panic!("{reports:?}") };
        assert_eq!((&*report.id, report.worker.as_deref()), ("79", Some("7")));
        assert_eq!(report.check(), Ok(()));
    }
    for (text, why) in [
        (r#"{"reports":[],"id":"1"}"#, "unknown field `id`"),
        (r#"{"reports":{}}"#, "`reports`: "),
        (r#"{"id":1.5,"state":"running"}"#, "a text or a whole number"),
        (r#"{"id":null,"state":"running"}"#, "a name is null"),
        (r#"{"id":1,"state":"asleep"}"#, "asleep"),
        (r#"{"id":1,"state":"running","x":1}"#, "unknown field `x`"),
        ("[]", "expected a map"),
        ("{}", "missing field `state`"),
    ] {
        let told = read(text).expect_err(text).to_string();
        assert!(told.contains(why), "{text}: {told}");
    }
    for id in ["", ".", "..", "a\u{0}"] {
        let report = Report::of(id, ExecutionState::Running);
        assert_eq!(report.check(), Err(ReportFault::Name("id")), "{id:?}");
    }
    let written = json!({"c:\\u0000": "\\u0000"});
    let fits = Report { result: Some(written), ..Report::of("1", ExecutionState::Completed) };
    assert_eq!(fits.check(), Ok(()));
    for odd in [json!("\u{0}"), json!([{"\u{0}": 1}])] {
        let odd = Report { result: Some(odd), ..fits.clone() };
        assert_eq!(odd.check(), Err(ReportFault::Result));
    }
}

#[test]
fn only_messages_of_the_named_type_are_about_executions() {
    let mut requested = naming(Some("/id"), None);
    requested.message_type = Some("ExecutionRequested".to_owned());
    let named = |text: &str| named_by(&requested, &body(text));
    assert_eq!(named(r#"{"id":1,"message_type":"ExecutionRequested"}"#).as_deref(), Some("1"));
    assert_eq!(named(r#"{"id":1,"message_type":"Other"}"#), None);
    assert_eq!(named(r#"{"id":1}"#), None);
}

#[test]
fn a_naming_that_finds_nothing_is_refused() {
    for path in ["", "payload", "/a~2", "/a~", &format!("/{}", "x".repeat(300))] {
        assert_eq!(naming(Some(path), None).check(), Err(NamingFault::Path), "{path}");
    }
    assert_eq!(naming(Some("/a~1b~0"), None).check(), Ok(()));
    assert!(naming(None, Some("")).check().is_err());
    let nowhere = ExecutionNaming {
        reschedule_on: vec![crate::death::Reason::Expired],
        ..ExecutionNaming::default()
    };
    assert_eq!(nowhere.check(), Err(NamingFault::Nowhere));
    assert_eq!(ExecutionNaming::default().check(), Ok(()));
}

#[test]
fn an_end_of_ours_names_who_and_why() {
    let report = on("a", Report::of("42", ExecutionState::Scheduled));
    let failed = Execution::begun(&report, at(0)).ended_by(
        ExecutionState::Failed,
        (MONITOR, "not begun in time"),
        at(301),
    );
    assert_eq!((failed.state, failed.ended_at), (ExecutionState::Failed, Some(at(301))));
    let message = failed.completed_message();
    let wanted = json!({
        "message_type": "ExecutionCompleted",
        "payload": {
            "execution_id": 42,
            "status": "failed",
            "result": {"error": "not begun in time", "failed_by": "execution_timeout_monitor"},
        },
    });
    assert_eq!(message, wanted);
    for id in ["042", "+42", "e-1", "99999999999999999999"] {
        let named = Execution { id: id.to_owned(), ..failed.clone() };
        assert_eq!(named.completed_message()["payload"]["execution_id"], id);
    }
}

#[test]
fn another_worker_gets_the_next_attempt() {
    let report =
        Report { max_attempts: Some(2), ..on("a", Report::of("42", ExecutionState::Running)) };
    let again = Execution::begun(&report, at(0)).rescheduled("b", at(9));
    assert_eq!((again.state, again.attempt), (ExecutionState::Scheduled, 2));
    assert_eq!(again.worker.as_deref(), Some("b"));
    assert!(!again.has_attempts_left());
}
