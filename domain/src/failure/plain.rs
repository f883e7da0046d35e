//! The header names of the frameworks.
//!
//! Sources: Spring AMQP `RepublishMessageRecoverer`; MassTransit `MT-Fault-*` and `MT-Host-*`;
//! NServiceBus `NServiceBus.ExceptionInfo.*` and `NServiceBus.FailedQ`; Celery message protocol 2.

use super::{Failure, HeaderMap};
use crate::wire::{FieldTable, FieldValue};

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

/// A header as text. Only strings count, except numbers that a person would read as one.
fn text(headers: &FieldTable, name: &str) -> Option<String> {
    match headers.get(name)? {
        FieldValue::LongString(text) | FieldValue::ShortString(text) => {
            Some(text.to_display().into_owned())
        }
        FieldValue::ByteArray(bytes) => {
            Some(String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}"))
        }
        value => value.as_integer().map(|n| n.to_string()),
    }
    .filter(|text| !text.is_empty())
}

fn first(headers: &FieldTable, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| text(headers, name))
}

pub(super) fn custom(headers: &FieldTable, names: &HeaderMap) -> Failure {
    let read = |name: &Option<String>| name.as_deref().and_then(|name| text(headers, name));
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

pub(super) fn recognise(headers: &FieldTable) -> Failure {
    mass_transit(headers)
        .or_else(|| nservicebus(headers))
        .or_else(|| spring(headers))
        .or_else(|| celery(headers))
        .unwrap_or_else(|| plain(headers))
}

fn mass_transit(headers: &FieldTable) -> Option<Failure> {
    let known = ["MT-Fault-Message", "MT-Fault-ExceptionType", "MT-Reason"];
    first(headers, &known)?;
    Some(Failure {
        told_by: Some("masstransit".to_owned()),
        error_class: text(headers, "MT-Fault-ExceptionType"),
        error_message: first(headers, &["MT-Fault-Message", "MT-Reason"]),
        stack_trace: text(headers, "MT-Fault-StackTrace"),
        queue: text(headers, "MT-Fault-InputAddress").and_then(|address| queue_of(&address)),
        message_type: text(headers, "MT-Fault-MessageType"),
        ..Failure::default()
    })
}

/// The queue in a MassTransit address: `rabbitmq://host/vhost/queue?options`.
fn queue_of(address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next()?;
    let queue = path.rsplit('/').next()?;
    (!queue.is_empty()).then(|| queue.to_owned())
}

fn nservicebus(headers: &FieldTable) -> Option<Failure> {
    let known = ["NServiceBus.ExceptionInfo.Message", "NServiceBus.FailedQ"];
    first(headers, &known)?;
    Some(Failure {
        told_by: Some("nservicebus".to_owned()),
        error_class: text(headers, "NServiceBus.ExceptionInfo.ExceptionType"),
        error_message: text(headers, "NServiceBus.ExceptionInfo.Message"),
        stack_trace: text(headers, "NServiceBus.ExceptionInfo.StackTrace"),
        // `queue@machine` where the transport writes the machine too
        queue: text(headers, "NServiceBus.FailedQ")
            .map(|failed| failed.split('@').next().unwrap_or(&failed).to_owned()),
        message_type: text(headers, "NServiceBus.EnclosedMessageTypes")
            .map(|types| types.split([';', ',']).next().unwrap_or(&types).trim().to_owned()),
        ..Failure::default()
    })
}

fn spring(headers: &FieldTable) -> Option<Failure> {
    let stack = text(headers, "x-exception-stacktrace");
    let routed = first(headers, &["x-original-exchange", "x-original-routingKey"]);
    if stack.is_none() && routed.is_none() {
        return None;
    }
    let told_class = first(headers, &CLASSES);
    Some(Failure {
        told_by: Some("spring".to_owned()),
        error_class: told_class.or_else(|| stack.as_deref().and_then(class_of_stack)),
        error_message: first(headers, &MESSAGES),
        stack_trace: stack,
        queue: text(headers, "x-original-queue"),
        exchange: text(headers, "x-original-exchange"),
        routing_key: text(headers, "x-original-routingKey"),
        message_type: text(headers, "__TypeId__"),
    })
}

/// The innermost class of a Java stack trace: its last `Caused by:`, else its first line.
fn class_of_stack(stack: &str) -> Option<String> {
    let line = stack
        .lines()
        .rev()
        .find_map(|line| line.trim().strip_prefix("Caused by: "))
        .or_else(|| stack.lines().next())?;
    let class = line.split([':', ' ', '\t']).next()?;
    class.contains('.').then(|| class.to_owned())
}

fn celery(headers: &FieldTable) -> Option<Failure> {
    let task = text(headers, "task")?;
    headers.get("argsrepr").or_else(|| headers.get("retries"))?;
    Some(Failure { told_by: Some("celery".to_owned()), message_type: Some(task), ..plain(headers) })
}

fn plain(headers: &FieldTable) -> Failure {
    let mut failure = Failure {
        error_class: first(headers, &CLASSES),
        error_message: first(headers, &MESSAGES),
        stack_trace: first(headers, &STACKS),
        message_type: first(
            headers,
            &["x-message-type", "message-type", "__TypeId__", "cloudEvents:type"],
        ),
        ..Failure::default()
    };
    if failure != Failure::default() {
        failure.told_by = Some("headers".to_owned());
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::super::{HeaderMap, read_failure};
    use super::*;

    fn headers(fields: &[(&str, &str)]) -> FieldTable {
        let mut table = FieldTable::default();
        for (name, value) in fields {
            table.set(name, FieldValue::LongString((*value).into()));
        }
        table
    }

    fn read(fields: &[(&str, &str)]) -> Failure {
        read_failure(&headers(fields), &HeaderMap::default())
    }

    #[test]
    fn spring_tells_the_innermost_cause_and_where_it_came_from() {
        let failure = read(&[
            ("x-exception-message", "amount is negative"),
            ("x-original-exchange", "orders"),
            ("x-original-routingKey", "orders.new"),
            (
                "x-exception-stacktrace",
                "org.spring.ListenerException: failed\n\tat a.B.c(B.java:1)\nCaused by: shop.BadAmount: amount\n\tat x",
            ),
        ]);
        assert_eq!(failure.told_by.as_deref(), Some("spring"));
        assert_eq!(failure.error_class.as_deref(), Some("shop.BadAmount"));
        assert_eq!(failure.error_message.as_deref(), Some("amount is negative"));
        assert_eq!(failure.exchange.as_deref(), Some("orders"));
        assert_eq!(failure.routing_key.as_deref(), Some("orders.new"));
    }

    #[test]
    fn mass_transit_tells_the_queue_in_its_input_address() {
        let failure = read(&[
            ("MT-Fault-ExceptionType", "System.InvalidOperationException"),
            ("MT-Fault-Message", "No stock"),
            ("MT-Fault-InputAddress", "rabbitmq://host/vhost/submit-order?durable=true"),
        ]);
        assert_eq!(failure.told_by.as_deref(), Some("masstransit"));
        assert_eq!(failure.queue.as_deref(), Some("submit-order"));
        assert_eq!(failure.error_message.as_deref(), Some("No stock"));
    }

    #[test]
    fn nservicebus_tells_the_failed_queue_without_its_machine() {
        let failure = read(&[
            ("NServiceBus.FailedQ", "Sales@HOST7"),
            ("NServiceBus.ExceptionInfo.ExceptionType", "System.Exception"),
            ("NServiceBus.EnclosedMessageTypes", "Sales.PlaceOrder, Sales, Version=1"),
        ]);
        assert_eq!(failure.queue.as_deref(), Some("Sales"));
        assert_eq!(failure.message_type.as_deref(), Some("Sales.PlaceOrder"));
    }

    #[test]
    fn a_celery_task_is_the_message_type() {
        let failure = read(&[("task", "mail.send"), ("argsrepr", "()")]);
        assert_eq!(failure.told_by.as_deref(), Some("celery"));
        assert_eq!(failure.message_type.as_deref(), Some("mail.send"));
    }

    #[test]
    fn invented_names_are_read_too_and_the_sources_own_names_win() {
        let headers = headers(&[("x-error", "from x-error"), ("oops", "from oops")]);
        let plain = read_failure(&headers, &HeaderMap::default());
        assert_eq!(plain.error_message.as_deref(), Some("from x-error"));
        let names = HeaderMap { error_message: Some("oops".into()), ..HeaderMap::default() };
        let custom = read_failure(&headers, &names);
        assert_eq!(custom.error_message.as_deref(), Some("from oops"));
        assert_eq!(custom.told_by.as_deref(), Some("custom"));
    }

    #[test]
    fn headers_that_tell_nothing_give_nothing() {
        assert_eq!(read(&[("tenant", "acme")]), Failure::default());
    }

    #[test]
    fn a_header_of_another_type_is_no_text() {
        let mut headers = FieldTable::default();
        headers.set("x-error", FieldValue::Table(FieldTable::default()));
        assert_eq!(read_failure(&headers, &HeaderMap::default()), Failure::default());
    }
}
