//! Envelopes around messages: those that frameworks put around a message that failed, which are opened to read it, and
//! those that workers expect.

mod inside;
mod packed;
mod written;

use serde_json::Value;

pub use inside::{Inside, open_envelope};
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
        (has_types && value.get("message").is_some()).then_some(Self::MassTransit)
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
        }
    }
}

#[cfg(test)]
mod tests;
