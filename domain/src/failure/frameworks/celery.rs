//! Celery: message protocol 2 has its task in headers, protocol 1 in the body (docs.celeryq.dev, "Message Protocol").

use serde_json::Value;

use super::super::message::member;
use super::super::{Circumstances, FailedMessage, Failure, plain};

pub(super) fn read(told: &FailedMessage<'_>) -> Option<Failure> {
    let of_headers = || {
        told.headers.get("argsrepr").or_else(|| told.headers.get("retries"))?;
        Some((told.text("task")?, told.number("retries")))
    };
    let of_body = || {
        let body = told.body?;
        body.get("args").filter(|args| args.is_array())?;
        body.get("kwargs").filter(|args| args.is_object())?;
        body.get("id").filter(|id| id.is_string())?;
        let retries = body.get("retries").and_then(Value::as_u64);
        Some((member(body, &["task"])?, retries.and_then(|retries| u32::try_from(retries).ok())))
    };
    let (task, retries) = of_headers().or_else(of_body)?;
    let headers = plain::read(told);
    Some(Failure {
        told_by: Some("celery".to_owned()),
        message_type: Some(task),
        circumstances: Circumstances { retries, ..Circumstances::default() },
        ..headers
    })
}
