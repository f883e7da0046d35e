//! MassTransit: headers `MT-Fault-*` and `MT-Host-*`, and an envelope of JSON around each message
//! (masstransit.io, "Interoperability"; `src/MassTransit.Abstractions/MessageHeaders.cs`).

use serde_json::Value;

use super::super::message::member;
use super::super::{Circumstances, FailedMessage, Failure};

/// Queues that messages are moved to are named after the one that failed.
const ENDINGS: [&str; 2] = ["_error", "_skipped"];

pub(super) fn read(told: &FailedMessage<'_>) -> Option<Failure> {
    let envelope = told.body.filter(|body| is_envelope(body));
    let is_marked =
        told.first(&["MT-Fault-Message", "MT-Fault-ExceptionType", "MT-Reason"]).is_some();
    if !is_marked && envelope.is_none() {
        return None;
    }
    let exception = |name| member(envelope?.get("message")?.get("exceptions")?.get(0)?, &[name]);
    let host = |header, name| told.text(header).or_else(|| member(envelope?, &["host", name]));
    let retries = told.number("MT-Redelivery-Count").or_else(|| told.number("MT-Fault-RetryCount"));
    let address = || told.text("MT-Fault-InputAddress");
    let destination = || member(envelope?, &["destinationAddress"]);
    let queue = || told.queue_before(&ENDINGS).or_else(|| queue_of(&destination()?));
    Some(Failure {
        told_by: Some("masstransit".to_owned()),
        error_class: told.text("MT-Fault-ExceptionType").or_else(|| exception("exceptionType")),
        error_message: told
            .first(&["MT-Fault-Message"])
            .or_else(|| exception("message"))
            .or_else(|| told.text("MT-Reason")),
        stack_trace: told.text("MT-Fault-StackTrace").or_else(|| exception("stackTrace")),
        queue: address().and_then(|address| queue_of(&address)).or_else(queue),
        vhost: address().or_else(destination).and_then(|address| vhost_of(&address)),
        message_type: told
            .text("MT-Fault-MessageType")
            .map(|urn| type_of(&urn))
            .or_else(|| envelope.and_then(message_type)),
        circumstances: Circumstances {
            retries,
            failed_at: told.time("MT-Fault-Timestamp"),
            host: host("MT-Host-MachineName", "machineName"),
            process: host("MT-Host-ProcessName", "processName"),
            version: host("MT-Host-AssemblyVersion", "assemblyVersion"),
            ..Circumstances::default()
        },
        ..Failure::default()
    })
}

fn is_envelope(body: &Value) -> bool {
    body.get("messageType").is_some_and(Value::is_array) && body.get("message").is_some()
}

/// The first type in the envelope; that of a fault's own message where it is a fault.
fn message_type(envelope: &Value) -> Option<String> {
    let first = |types: &Value| types.get(0)?.as_str().map(type_of);
    let kind = first(envelope.get("messageType")?)?;
    if !kind.starts_with("MassTransit:Fault") {
        return Some(kind);
    }
    let of_fault = envelope.get("message").and_then(|fault| first(fault.get("faultMessageTypes")?));
    of_fault.or(Some(kind))
}

/// `urn:message:Namespace:Type` without what is the same in all.
fn type_of(urn: &str) -> String {
    urn.strip_prefix("urn:message:").unwrap_or(urn).to_owned()
}

/// The queue in an address: `rabbitmq://host/vhost/queue?options` or `queue:name`. What has a colon in it is the
/// exchange of a type.
fn queue_of(address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next()?;
    let queue = path.rsplit('/').next()?;
    let queue = queue.strip_prefix("queue:").unwrap_or(queue);
    let queue = percent_encoding::percent_decode_str(queue).decode_utf8().ok()?;
    (!queue.is_empty() && !queue.contains(':')).then(|| queue.into_owned())
}

/// The virtual host in an address: `rabbitmq://host/vhost/queue`. An address without one means `/`.
fn vhost_of(address: &str) -> Option<String> {
    let (scheme, rest) = address.split(['?', '#']).next()?.split_once("://")?;
    let mut parts = rest.split('/').skip(1);
    let (first, second) = (parts.next()?, parts.next());
    if !matches!(scheme, "rabbitmq" | "rabbitmqs" | "amqp" | "amqps") || first.is_empty() {
        return None;
    }
    let vhost = if second.is_some() { first } else { "/" };
    let vhost = percent_encoding::percent_decode_str(vhost).decode_utf8().ok()?;
    Some(vhost.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_virtual_host_or_means_the_default() {
        let of = |address| vhost_of(address).unwrap_or_default();
        assert_eq!(of("rabbitmq://mq.example/prod/ledger?durable=true"), "prod");
        assert_eq!(of("rabbitmqs://mq.example:5671/eu%2Fprod/ledger"), "eu/prod");
        assert_eq!(of("rabbitmq://mq.example/ledger"), "/");
        for other in
            ["queue:ledger", "sb://bus/ledger", "rabbitmq://mq.example", "rabbitmq://h//q", ""]
        {
            assert_eq!(vhost_of(other), None, "{other}");
        }
    }
}
