//! Laravel: a job is JSON, its attempts are in the header `laravel.attempts` (vyuldashev/laravel-queue-rabbitmq).
//! Nothing tells what killed it.

use super::super::message::member;
use super::super::{Circumstances, FailedMessage, Failure};
use crate::wire::FieldValue;

pub(super) fn read(told: &FailedMessage<'_>) -> Option<Failure> {
    let body = told.body?;
    let job = member(body, &["job"])?;
    let command = member(body, &["data", "commandName"]);
    let name = member(body, &["displayName"]).or(command)?;
    let attempts = match told.headers.get("laravel") {
        Some(FieldValue::Table(table)) => table.get("attempts").and_then(FieldValue::as_integer),
        _ => None,
    };
    let number = |value: i64| u32::try_from(value).ok();
    Some(Failure {
        told_by: Some("laravel".to_owned()),
        message_type: Some(if name.is_empty() { job } else { name }),
        circumstances: Circumstances {
            attempts: attempts.and_then(number),
            most_attempts: body
                .get("maxTries")
                .and_then(serde_json::Value::as_i64)
                .and_then(number),
            ..Circumstances::default()
        },
        ..Failure::default()
    })
}
