//! What is warned of, and in which words.

use super::*;
use crate::replay::{Destination, WorkersThere};

fn to_queue(letters: i64) -> Destination {
    Destination {
        broker: "main".into(),
        vhost: "/".into(),
        queue: Some("work".into()),
        exchange: None,
        routing_key: None,
        letters,
        exists: Some(true),
        internal: None,
        receivers: None,
        overflows: Vec::new(),
        keeping_unknown: false,
        consumers: Some(1),
        workers: None,
    }
}

fn to_exchange() -> Destination {
    Destination {
        queue: None,
        exchange: Some("orders".into()),
        routing_key: Some("created".into()),
        internal: Some(false),
        receivers: Some(vec!["work".into()]),
        consumers: None,
        ..to_queue(3)
    }
}

fn told(destination: &Destination) -> Option<(WarningKind, bool)> {
    let warnings = ReplayWarning::of_destination(destination, 3);
    assert!(warnings.len() < 2, "{warnings:?}");
    let first = warnings.first()?;
    Some((first.kind, first.will_fail))
}

#[test]
fn a_destination_that_is_well_has_no_warning_and_what_is_unknown_has_none() {
    let unasked = Destination { exists: None, consumers: None, ..to_queue(3) };
    for well in [to_queue(3), unasked, to_exchange()] {
        assert_eq!(told(&well), None, "{well:?}");
    }
}

#[test]
fn what_is_wrong_with_a_destination_is_told_and_whether_it_must_fail() {
    let silent = Some(WorkersThere { stale: 1, ..WorkersThere::default() });
    let gone = Some(false);
    for (destination, kind, will_fail) in [
        (
            Destination { exists: gone, consumers: None, ..to_queue(3) },
            WarningKind::QueueGone,
            true,
        ),
        (Destination { consumers: Some(0), ..to_queue(3) }, WarningKind::NoConsumer, false),
        (Destination { workers: silent, ..to_queue(3) }, WarningKind::WorkersAway, false),
        (
            Destination { exists: gone, receivers: None, ..to_exchange() },
            WarningKind::ExchangeGone,
            true,
        ),
        (
            Destination { internal: Some(true), ..to_exchange() },
            WarningKind::ExchangeInternal,
            true,
        ),
        (
            Destination { receivers: Some(Vec::new()), ..to_exchange() },
            WarningKind::NoQueueBound,
            true,
        ),
    ] {
        assert_eq!(told(&destination), Some((kind, will_fail)));
    }
}

#[test]
fn a_warning_says_how_many_letters_and_what_to_do() {
    let silent = WorkersThere { stale: 2, ..WorkersThere::default() };
    let destination = Destination { consumers: Some(0), workers: Some(silent), ..to_queue(2) };
    let warnings = ReplayWarning::of_destination(&destination, 3);
    assert_eq!(
        warnings[0].message,
        "Nobody consumes from work (all of its 2 workers are silent): 2 of the 3 letters would \
         wait there until a consumer is back. Start one first, or choose another target."
    );
    assert!(warnings[0].wants_worker());
}

#[test]
fn a_group_still_dies_for_a_minute_after_its_last_death() {
    let now = DateTime::from_timestamp(1_790_000_000, 0).expect("in range");
    let after = |seconds| ReplayWarning::still_dying(now - TimeDelta::seconds(seconds), now, 3);
    assert!(after(4).expect("a warning").message.contains("came in 4 s ago"));
    assert!(after(-4).expect("a warning").message.contains("0 s ago"));
    assert_eq!(after(61), None);
}

#[test]
fn policies_that_retry_letters_are_named() {
    for (policies, says) in [
        (&[][..], "A retry policy has 2 of the 3 letters"),
        (&["night".to_owned()], "The retry policy “night” has 2"),
        (&["a".to_owned(), "b".to_owned()], "The retry policies “a”, “b” have 2"),
    ] {
        let message = ReplayWarning::retried(policies, 2, 3).message;
        assert!(message.starts_with(says), "{message}");
    }
}
