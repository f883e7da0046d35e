//! Spring AMQP's `RepublishMessageRecoverer`: `x-exception-*` and `x-original-*`. From 4.0.5 on it sends no stack
//! unless it is told to, and then nothing tells the class.

use super::super::plain::{CLASSES, MESSAGES};
use super::super::{FailedMessage, Failure, exception};

pub(super) fn read(told: &FailedMessage<'_>) -> Option<Failure> {
    let stack = told.text("x-exception-stacktrace");
    let routed = told.first(&["x-original-exchange", "x-original-routingKey"]);
    if stack.is_none() && routed.is_none() {
        return None;
    }
    let told_class = told.first(&CLASSES);
    Some(Failure {
        told_by: Some("spring".to_owned()),
        error_class: told_class.or_else(|| stack.as_deref().and_then(exception::innermost_class)),
        error_message: told.first(&MESSAGES),
        stack_trace: stack,
        queue: told.text("x-original-queue"),
        exchange: told.text("x-original-exchange"),
        routing_key: told.text("x-original-routingKey"),
        message_type: told.text("__TypeId__"),
        ..Failure::default()
    })
}
