//! The names that people invent, and those that a source's settings name.

use super::{FailedMessage, Failure, HeaderMap};

/// Headers that people use for an error's message when no framework does.
pub const MESSAGES: [&str; 6] = [
    "x-exception-message",
    "x-error-message",
    "x-error",
    "error-message",
    "error_message",
    "error",
];

/// Headers that people use for an error's class when no framework does.
pub const CLASSES: [&str; 7] = [
    "x-exception-type",
    "x-exception-class",
    "x-error-class",
    "x-error-type",
    "exception-type",
    "error-type",
    "error_class",
];

const STACKS: [&str; 4] = ["x-exception-stacktrace", "x-stack-trace", "x-stacktrace", "stack"];

/// What a source's own names tell: of headers, or of the body where they are JSON pointers.
pub(super) fn custom(told: &FailedMessage<'_>, names: &HeaderMap) -> Failure {
    let read = |name: &Option<String>| told.named(name.as_deref());
    let mut failure = Failure {
        error_class: read(&names.error_class),
        error_message: read(&names.error_message),
        stack_trace: read(&names.stack_trace),
        queue: read(&names.queue),
        message_type: read(&names.message_type),
        ..Failure::default()
    };
    if failure != Failure::default() {
        failure.told_by = Some("custom".to_owned());
    }
    failure
}

/// What headers tell by names that many use.
pub(super) fn read(told: &FailedMessage<'_>) -> Failure {
    const TYPES: [&str; 6] = [
        "x-message-type",
        "message-type",
        "__TypeId__",
        "cloudEvents:type",
        "cloudEvents_type",
        "ce-type",
    ];
    let mut failure = Failure {
        error_class: told.first(&CLASSES),
        error_message: told.first(&MESSAGES),
        stack_trace: told.first(&STACKS),
        message_type: told.first(&TYPES),
        ..Failure::default()
    };
    if failure != Failure::default() {
        failure.told_by = Some("headers".to_owned());
    }
    failure
}
