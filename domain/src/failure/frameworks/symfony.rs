//! Symfony Messenger: a header `X-Message-Stamp-<class>` for each kind of stamp, a list of JSON that grows with every
//! failure. The last entry is the newest.

use std::fmt::Write as _;

use serde_json::Value;

use super::super::message::{member, time_of};
use super::super::{Circumstances, FailedMessage, Failure};

const STAMPS: &str = "X-Message-Stamp-Symfony\\Component\\Messenger\\Stamp\\";

pub(super) fn read(told: &FailedMessage<'_>) -> Option<Failure> {
    let newest = |stamp: &str| match told.json(&format!("{STAMPS}{stamp}"))? {
        Value::Array(mut stamps) => stamps.pop(),
        _ => None,
    };
    let error = newest("ErrorDetailsStamp");
    let failed = newest("SentToFailureTransportStamp");
    let again = newest("RedeliveryStamp");
    if error.is_none() && failed.is_none() && again.is_none() {
        return None;
    }
    let of = |stamp: &Option<Value>, name| member(stamp.as_ref()?, &[name]);
    Some(Failure {
        told_by: Some("symfony".to_owned()),
        error_class: of(&error, "exceptionClass"),
        error_message: of(&error, "exceptionMessage"),
        stack_trace: error.as_ref().and_then(stack),
        queue: of(&failed, "originalReceiverName"),
        message_type: told.text("type"),
        circumstances: Circumstances {
            retries: of(&again, "retryCount").and_then(|count| count.parse().ok()),
            failed_at: of(&again, "redeliveredAt").and_then(|at| time_of(&at)),
            ..Circumstances::default()
        },
        ..Failure::default()
    })
}

/// The trace in a stamp as PHP writes one: `#0 file(line): class->function()`.
fn stack(error: &Value) -> Option<String> {
    let trace = error.get("flattenException")?.get("trace")?.as_array()?;
    let mut text = String::new();
    for (place, call) in trace.iter().enumerate() {
        let of = |name| member(call, &[name]).unwrap_or_default();
        let (file, line) = (of("file"), of("line"));
        let place = if file.is_empty() {
            format!("#{place} [internal]")
        } else {
            format!("#{place} {file}({line})")
        };
        let class = of("class");
        let arrow = if class.is_empty() { "" } else { "->" };
        let _ = writeln!(text, "{place}: {class}{arrow}{}()", of("function"));
    }
    (!text.is_empty()).then(|| text.trim_end().to_owned())
}
