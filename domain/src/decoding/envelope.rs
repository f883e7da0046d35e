//! Envelopes around messages: those that frameworks put around a message that failed, which are opened to read it, and
//! those that workers expect.

mod inside;
mod written;

use serde_json::Value;

pub use inside::{Inside, open_envelope};

use super::formats::php;
use super::step::{Evidence, Format, Step};

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

/// Takes the command of a Laravel job apart, which is serialised PHP within JSON. Returns the step; `None` if there is
/// none that can be read.
pub fn take_apart_command(value: &mut Value) -> Option<Step> {
    value.get("job").filter(|job| job.is_string())?;
    let command = value.get_mut("data")?.get_mut("command")?;
    let text = command.as_str().filter(|text| php::may_begin(text.as_bytes()))?;
    let mut step = Step::new(Format::Php, Evidence::Shape, text.len());
    step.detail = Some("data.command".to_owned());
    *command = php::read(text.as_bytes()).ok()?;
    Some(step)
}

#[cfg(test)]
mod tests;
