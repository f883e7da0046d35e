//! Envelopes around messages: those that frameworks put around a message that failed, which are opened to read it, and
//! those that workers expect.

mod expected;
mod inside;
mod packed;
mod written;

use serde_json::Value;

pub use inside::{Inside, failure_envelope, open_envelope};
pub use packed::{PackedMember, take_apart};

/// Whose an envelope is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Envelope {
    /// Sneakers' `Maxretry`: payload and properties are base64.
    Sneakers,
    /// EasyNetQ's `EasyNetQ.SystemMessages.Error`: the message is a text.
    EasyNetQ,
    /// MassTransit's own: the message is JSON.
    MassTransit,
    /// CloudEvents' structured mode: the data are JSON, a text or base64.
    CloudEvents,
    /// A change of a row, with its schema or without: the row before and after it is JSON.
    Debezium,
    /// Attune's own: the payload is JSON.
    Attune,
    /// A job of Laravel: its command is serialised PHP.
    Laravel,
}

impl Envelope {
    /// Recognises an envelope by its members.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        let has = |name| value.get(name).is_some_and(Value::is_string);
        if has("payload")
            && has("failed_at")
            && value.get("num_attempts").is_some_and(Value::is_u64)
        {
            return Some(Self::Sneakers);
        }
        let is_error = has("Exception") && has("Message") && has("RoutingKey");
        if is_error && value.get("BasicProperties").is_some() {
            return Some(Self::EasyNetQ);
        }
        let is_event = ["specversion", "id", "source", "type"].into_iter().all(has);
        if is_event && (value.get("data").is_some() || has("data_base64")) {
            return Some(Self::CloudEvents);
        }
        let has_types = value.get("messageType").is_some_and(Value::is_array);
        if has_types && value.get("message").is_some() {
            return Some(Self::MassTransit);
        }
        if change_of(value).is_some() {
            return Some(Self::Debezium);
        }
        if has("message_id") && has("message_type") && value.get("payload").is_some() {
            return Some(Self::Attune);
        }
        let is_command = value.pointer("/data/command").is_some_and(Value::is_string);
        (has("job") && is_command).then_some(Self::Laravel)
    }

    /// Whether it was put around a message because that failed: a worker is not made for it.
    #[must_use]
    pub fn is_of_failure(self) -> bool {
        matches!(self, Self::Sneakers | Self::EasyNetQ)
    }

    /// Whose it is.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sneakers => "Sneakers",
            Self::EasyNetQ => "EasyNetQ",
            Self::MassTransit => "MassTransit",
            Self::CloudEvents => "CloudEvents",
            Self::Debezium => "Debezium",
            Self::Attune => "Attune",
            Self::Laravel => "Laravel",
        }
    }
}

/// The change of a row that a value is, as Debezium's connectors write it, with a schema beside it or without.
fn change_of(value: &Value) -> Option<&Value> {
    let change = value.get("payload").filter(|_| value.get("schema").is_some()).unwrap_or(value);
    let is_operation = matches!(change.get("op")?.as_str()?, "c" | "r" | "u" | "d");
    let is_told = change.pointer("/source/connector").is_some_and(Value::is_string);
    (is_operation && is_told && change.get("after").is_some()).then_some(change)
}

#[cfg(test)]
mod tests;
