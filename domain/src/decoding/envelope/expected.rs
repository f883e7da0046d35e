//! What is inside of envelopes that workers expect.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::inside::{Inside, base64};
use super::{Envelope, change_of, written};
use crate::failure::time_of;
use crate::wire::{FieldTable, FieldValue, Properties, WireText};

/// The parts of envelopes that are sent as they are written there.
#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow)]
    before: Option<&'a RawValue>,
    #[serde(borrow)]
    after: Option<&'a RawValue>,
}

const JSON: &str = "application/json";

pub(super) fn of_mass_transit(value: &Value, bytes: &[u8]) -> Option<Inside> {
    let parts: Parts<'_> = serde_json::from_slice(bytes).ok()?;
    let text = |name| value.get(name)?.as_str().map(WireText::from);
    Some(Inside {
        envelope: Envelope::MassTransit,
        body: parts.message?.get().as_bytes().to_vec(),
        properties: Properties {
            content_type: Some(JSON.into()),
            message_id: text("messageId"),
            correlation_id: text("correlationId"),
            ..Properties::default()
        },
        headers: value.get("headers").map(written::table).unwrap_or_default(),
        damage: None,
    })
}

/// An event as the binding to AMQP has it in binary mode: the data are the body, all else are headers.
pub(super) fn of_event(value: &Value, bytes: &[u8]) -> Option<Inside> {
    let parts: Parts<'_> = serde_json::from_slice(bytes).ok()?;
    let text = |name| value.get(name).and_then(Value::as_str);
    let kind = text("datacontenttype").unwrap_or(JSON);
    let body = match (text("data_base64"), parts.data) {
        (Some(packed), _) => base64(packed)?,
        // What is not JSON is a text in the place of its values.
        (None, Some(data)) if !kind.contains("json") => match text("data") {
            Some(plain) => plain.as_bytes().to_vec(),
            None => data.get().as_bytes().to_vec(),
        },
        (None, data) => data?.get().as_bytes().to_vec(),
    };
    let mut headers = FieldTable::default();
    let attributes = value
        .as_object()?
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "data" | "data_base64" | "datacontenttype"));
    for (name, value) in attributes {
        headers.set(&format!("cloudEvents:{name}"), written::field(value));
    }
    Some(Inside {
        envelope: Envelope::CloudEvents,
        body,
        properties: Properties { content_type: Some(kind.into()), ..Properties::default() },
        headers,
        damage: None,
    })
}

/// A change of a row as Debezium's own `ExtractNewRecordState` sends it: the row after it, or before it where that was
/// removed; which change of which table it was are headers.
pub(super) fn of_change(value: &Value, bytes: &[u8]) -> Option<Inside> {
    let parts: Parts<'_> = serde_json::from_slice(bytes).ok()?;
    let within: Option<Parts<'_>> = match parts.payload {
        Some(payload) => serde_json::from_str(payload.get()).ok(),
        None => None,
    };
    let Parts { before, after, .. } = within.unwrap_or(parts);
    let is_row = |row: &&RawValue| row.get() != "null";
    let row = after.filter(is_row).or(before.filter(is_row))?;
    let change = change_of(value)?;
    let mut headers = FieldTable::default();
    let told = [("__op", change.get("op")), ("__table", change.pointer("/source/table"))];
    for (name, text) in told.into_iter().filter_map(|(name, value)| Some((name, value?.as_str()?)))
    {
        headers.set(name, FieldValue::LongString(text.into()));
    }
    Some(Inside {
        envelope: Envelope::Debezium,
        body: row.get().as_bytes().to_vec(),
        properties: Properties { content_type: Some(JSON.into()), ..Properties::default() },
        headers,
        damage: None,
    })
}

pub(super) fn of_attune(value: &Value, bytes: &[u8]) -> Option<Inside> {
    let parts: Parts<'_> = serde_json::from_slice(bytes).ok()?;
    let text = |name| value.get(name)?.as_str();
    let sent_at = text("timestamp").and_then(time_of);
    Some(Inside {
        envelope: Envelope::Attune,
        body: parts.payload?.get().as_bytes().to_vec(),
        properties: Properties {
            content_type: Some(JSON.into()),
            message_id: text("message_id").map(WireText::from),
            correlation_id: text("correlation_id").map(WireText::from),
            kind: text("message_type").map(WireText::from),
            timestamp: sent_at.and_then(|at| u64::try_from(at.timestamp()).ok()),
            ..Properties::default()
        },
        headers: value.get("headers").map(written::table).unwrap_or_default(),
        damage: None,
    })
}

/// The command of a job, as PHP's `serialize` wrote it.
pub(super) fn of_job(value: &Value) -> Option<Inside> {
    let text = |place: &str| value.pointer(place).and_then(Value::as_str);
    let name = text("/data/commandName").or_else(|| text("/displayName"));
    Some(Inside {
        envelope: Envelope::Laravel,
        body: text("/data/command")?.as_bytes().to_vec(),
        properties: Properties {
            content_type: Some("application/vnd.php.serialized".into()),
            message_id: text("/uuid").or_else(|| text("/id")).map(WireText::from),
            kind: name.map(WireText::from),
            ..Properties::default()
        },
        headers: FieldTable::default(),
        damage: None,
    })
}
