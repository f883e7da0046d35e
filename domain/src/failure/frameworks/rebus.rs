//! Rebus: headers `rbs2-*`; all failures of a message stand in one text, `rbs2-error-details`.

use super::super::{Circumstances, FailedMessage, Failure, exception};
use super::without_assembly;

pub(super) fn read(told: &FailedMessage<'_>) -> Option<Failure> {
    let details = told.text("rbs2-error-details");
    let kind = told.text("rbs2-msg-type");
    if details.is_none() && kind.is_none() {
        return None;
    }
    let newest = details.as_deref().map(newest).unwrap_or_default();
    Some(Failure {
        told_by: Some("rebus".to_owned()),
        stack_trace: newest.stack_trace,
        error_class: newest.error_class,
        error_message: newest.error_message,
        queue: told.text("rbs2-source-queue"),
        message_type: kind.map(|kind| without_assembly(&kind)),
        circumstances: Circumstances {
            attempts: details.as_deref().and_then(count),
            ..Circumstances::default()
        },
        ..Failure::default()
    })
}

/// `6 unhandled exceptions: …`
fn count(details: &str) -> Option<u32> {
    details.split_once(" unhandled exception")?.0.trim().parse().ok()
}

/// The last of several failures, each after its time: `11/20/2026 2:00:01 AM +00:00: Class: message`, then its
/// stack. One without a stack is given that of an earlier failure of its class.
fn newest(details: &str) -> Failure {
    let details = match details.split_once(" unhandled exceptions: ") {
        Some((count, rest)) if count.trim().parse::<u32>().is_ok() => rest,
        _ => details,
    };
    let mut failures: Vec<Failure> = Vec::new();
    let mut text = String::new();
    for line in details.lines() {
        if let Some(exception) = behind_time(line) {
            if !text.is_empty() {
                failures.push(exception::read(&text));
            }
            exception.clone_into(&mut text);
        } else if !text.is_empty() {
            text.push('\n');
            text.push_str(line);
        }
    }
    if text.is_empty() {
        return exception::read(details);
    }
    let mut newest = exception::read(&text);
    if newest.stack_trace.is_none() {
        let mut alike =
            failures.into_iter().rev().filter(|one| one.error_class == newest.error_class);
        newest.stack_trace = alike.find_map(|one| one.stack_trace);
    }
    newest
}

/// What stands behind the time with which a line begins: in any culture, that is digits, with a zone at its end.
fn behind_time(line: &str) -> Option<&str> {
    if !line.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let zone = line.find(" +").or_else(|| line.find(" -"))?;
    let (zone, rest) = line[zone + 1..].split_once(": ")?;
    let is_zone = zone.len() <= 6 && zone[1..].chars().all(|c| c.is_ascii_digit() || c == ':');
    is_zone.then_some(rest)
}
