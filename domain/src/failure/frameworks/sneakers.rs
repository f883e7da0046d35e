//! Sneakers' `Maxretry`: a message of JSON around the one that failed, whose payload and properties are base64 within
//! it; newer versions keep the body and put a list of failures into the header `retry_info`.

use serde_json::Value;

use super::super::message::{member, time_of};
use super::super::{Circumstances, FailedMessage, Failure};
use crate::decoding::Envelope;

pub(super) fn read(told: &FailedMessage<'_>) -> Option<Failure> {
    let listed = told.json("retry_info").and_then(|info| match info {
        Value::Array(mut failures) => failures.pop(),
        _ => None,
    });
    let envelope = told.body.filter(|body| Envelope::of(body) == Some(Envelope::Sneakers));
    let failure = listed.as_ref().or(envelope)?;
    let of = |name| member(failure, &[name]);
    Some(Failure {
        told_by: Some("sneakers".to_owned()),
        error_class: of("error_class"),
        error_message: of("error_message").or_else(|| of("error")),
        stack_trace: failure.get("backtrace").and_then(stack),
        queue: told.queue_before(&["-error"]),
        circumstances: Circumstances {
            attempts: of("num_attempts").and_then(|count| count.parse().ok()),
            failed_at: of("failed_at").and_then(|at| time_of(&at)),
            ..Circumstances::default()
        },
        ..Failure::default()
    })
}

fn stack(backtrace: &Value) -> Option<String> {
    let lines: Vec<&str> = backtrace.as_array()?.iter().filter_map(Value::as_str).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
