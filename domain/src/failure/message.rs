//! What is looked into for a failure.

use chrono::{DateTime, NaiveDateTime, Utc};
use serde_json::Value;

use crate::arrival::Delivered;
use crate::decoding::{Contents, Values, at};
use crate::wire::{FieldTable, FieldValue};

/// A message that may tell of its failure.
#[derive(Debug, Clone, Copy)]
pub struct FailedMessage<'a> {
    /// Its headers.
    pub headers: &'a FieldTable,
    /// The exchange and the routing key that it reached its dead-letter queue by: frameworks name them after the
    /// queue that failed.
    pub delivered_to: [&'a str; 2],
    /// The outer values of its body, at least.
    pub body: Option<&'a Value>,
    /// The JSON that has all values of its body, where `body` does not.
    pub json: Option<&'a [u8]>,
}

impl<'a> FailedMessage<'a> {
    /// A message in whose body this is.
    #[must_use]
    pub fn new(delivered: &'a Delivered, contents: &'a Contents) -> Self {
        let values = contents.values.as_ref().filter(|_| contents.envelope.is_none());
        Self {
            headers: &delivered.headers,
            delivered_to: [&delivered.exchange, &delivered.routing_key],
            body: contents.envelope.as_ref().or(values.map(Values::outer)),
            json: values.and_then(|values| values.json(&delivered.body)),
        }
    }

    /// A header as text. Only strings count, except numbers that a person would read as one.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        text_of(self.headers.get(name)?)
    }

    /// What a source's settings name: a header, or, where it begins with `/`, a place in the body.
    pub(crate) fn named(&self, name: Option<&str>) -> Option<String> {
        let name = name?;
        if !name.starts_with('/') {
            return self.text(name);
        }
        match self.json {
            Some(json) => member(&at(json, name)?, &[]),
            None => member(self.body?.pointer(name)?, &[]),
        }
    }

    /// The first of these headers that is a text.
    pub(crate) fn first(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.text(name))
    }

    /// A header as a whole number, also one that is written as text.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.text(name)?.trim().parse().ok()
    }

    /// A header as a time.
    pub(super) fn time(&self, name: &str) -> Option<DateTime<Utc>> {
        match self.headers.get(name)? {
            FieldValue::Timestamp(seconds) => {
                DateTime::from_timestamp(i64::try_from(*seconds).ok()?, 0)
            }
            value => time_of(&text_of(value)?),
        }
    }

    /// A header that holds JSON.
    pub(super) fn json(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.headers.text(name)?).ok()
    }

    /// The queue after which the exchange or the key of the delivery is named, where it ends so.
    pub(super) fn queue_before(&self, endings: &[&str]) -> Option<String> {
        let names = self.delivered_to.into_iter();
        let mut queues =
            names.flat_map(|name| endings.iter().filter_map(|end| name.strip_suffix(end)));
        queues.find(|queue| !queue.is_empty()).map(str::to_owned)
    }
}

fn text_of(value: &FieldValue) -> Option<String> {
    match value {
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

/// A text or a number within a value, by its names from the outside in.
pub(super) fn member(value: &Value, path: &[&str]) -> Option<String> {
    let mut value = value;
    for name in path {
        value = value.get(name)?;
    }
    let text = match value {
        Value::String(text) => text.replace('\0', "\u{fffd}"),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// A time in one of the forms that frameworks write: RFC 3339, that of NServiceBus (`yyyy-MM-dd HH:mm:ss:ffffff Z`),
/// and milliseconds since 1970.
pub(crate) fn time_of(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    if let Ok(milliseconds) = text.parse() {
        return DateTime::from_timestamp_millis(milliseconds);
    }
    let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S:%6f Z");
    time.ok().map(|time| time.and_utc())
}
