//! Everything that intake reads out of a delivery, in one pass. It never fails: what cannot be
//! read becomes a note, and the bytes are kept whatever happens.

use serde_json::Value;
use uuid::Uuid;

use crate::arrival::Delivered;
use crate::death::{Death, read_deaths};
use crate::decoding::{Contents, MessageTypes};
use crate::failure::{FailedMessage, Failure, HeaderMap, read_failure};
use crate::ids::{LetterId, ReplayId};
use crate::origin::Origin;
use crate::relations::Relations;
use crate::republish;
use crate::wire::{FieldTable, WireFault, WireText};

/// The longest error message that is kept beside the letter, in bytes. The headers have it whole.
pub const MOST_MESSAGE_BYTES: usize = 4 * 1024;

/// The longest name (queue, exchange, class, type) that is kept beside the letter, in bytes.
pub const MOST_NAME_BYTES: usize = 512;

const TELLS_NOTHING: &str = "Nothing in the message says where it died.";
const TELLS_ROUTE_ALONE: &str =
    "The message says how it was published, but not in which queue it died.";

/// What a delivery says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The death history.
    pub deaths: Vec<Death>,
    /// Where it died.
    pub origin: Origin,
    /// What the application says.
    pub failure: Failure,
    /// The message's type.
    pub message_type: Option<String>,
    /// The sender's message id.
    pub message_id: Option<String>,
    /// The letter and the replay that it says it comes back from. Not checked yet.
    pub returns_from: Option<ReturnsFrom>,
    /// What could not be read.
    pub notes: Vec<String>,
    /// What it has in common with other messages.
    pub relations: Relations,
    /// What is in the body.
    pub contents: Contents,
}

impl Reading {
    /// Notes where the message says that it failed in another virtual host than its source's.
    pub fn compare_vhost(&mut self, own: &str) {
        let Some(vhost) = self.failure.vhost.as_deref().filter(|vhost| *vhost != own) else {
            return;
        };
        let note = format!(
            "The message says that it failed in the virtual host `{vhost}`, and its source is in `{own}`: \
             queues of the same name may be others there."
        );
        self.notes.push(note.replace('\0', "\u{fffd}"));
    }
}

/// The marks that our own replay left on a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReturnsFrom {
    /// The letter.
    pub letter_id: LetterId,
    /// The replay.
    pub replay_id: ReplayId,
}

/// Reads a delivery, with these message types known.
#[must_use]
pub fn read(delivered: &Delivered, names: &HeaderMap, types: &MessageTypes) -> Reading {
    let history = read_deaths(&delivered.headers);
    let mut notes = history.notes;
    let mut contents = Contents::of(delivered, types);
    let mut failure = read_failure(&FailedMessage::new(delivered, &contents), names);
    let relations = Relations::of(delivered, names, &contents);
    limit(&mut failure);
    let died = Origin::of(&history.deaths).or_else(|| Origin::of_first_death(&delivered.headers));
    let mut origin = died.unwrap_or_else(Origin::unknown).with_what_is_told(&failure);
    for name in [&mut origin.queue, &mut origin.exchange, &mut origin.routing_key] {
        *name = name.take().map(|text| cut(&text, MOST_NAME_BYTES));
    }
    if history.deaths.is_empty() && origin.queue.is_none() {
        let tells_route = origin.exchange.is_some() || origin.routing_key.is_some();
        notes.push(if tells_route { TELLS_ROUTE_ALONE } else { TELLS_NOTHING }.to_owned());
    }
    notes.extend(WireFault::notes(&delivered.faults));
    notes.append(&mut contents.remarks);
    let returns_from = returns_from(&delivered.headers, &mut notes);
    // They quote what stands in the message: it is as long as it likes, and Postgres keeps no NUL in a text.
    let kept = |note: String| cut(&note.replace('\0', "\u{fffd}"), MOST_MESSAGE_BYTES);
    let notes = notes.into_iter().map(kept).collect();
    Reading {
        message_type: message_type(delivered, &failure, &contents),
        message_id: delivered.properties.message_id.as_ref().map(name),
        returns_from,
        deaths: history.deaths,
        origin,
        failure,
        notes,
        relations,
        contents,
    }
}

fn limit(failure: &mut Failure) {
    let names = [
        &mut failure.error_class,
        &mut failure.queue,
        &mut failure.vhost,
        &mut failure.exchange,
        &mut failure.routing_key,
        &mut failure.message_type,
    ];
    let circumstances = &mut failure.circumstances;
    let told = [
        &mut circumstances.host,
        &mut circumstances.process,
        &mut circumstances.version,
        &mut circumstances.traceparent,
    ];
    for field in names.into_iter().chain(told) {
        *field = field.take().map(|text| cut(&text, MOST_NAME_BYTES));
    }
    failure.error_message = failure.error_message.take().map(|text| cut(&text, MOST_MESSAGE_BYTES));
}

/// Cuts a text to at most so many bytes, at a character, with a mark where it was cut.
#[must_use]
pub fn cut(text: &str, most_bytes: usize) -> String {
    if text.len() <= most_bytes {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most_bytes.saturating_sub('…'.len_utf8()));
    format!("{}…", &text[..end])
}

fn name(text: &WireText) -> String {
    cut(&text.to_display(), MOST_NAME_BYTES)
}

fn message_type(delivered: &Delivered, failure: &Failure, contents: &Contents) -> Option<String> {
    let property = delivered.properties.kind.as_ref().map(name);
    // What AMQP 1.0 clients' messages carry here names the encoding, not the message.
    let property = property.filter(|kind| !kind.is_empty() && kind != "amqp-1.0");
    // An envelope's own type stands in the property, that of what is inside is told by its framework.
    let (told, named) = match failure.told_by.as_deref() {
        Some("headers") | None => (None, failure.message_type.clone()),
        _ => (failure.message_type.clone(), None),
    };
    let in_body = || type_in_body(contents.values.as_ref()?.outer());
    let known = || contents.message_type.clone();
    told.or(property).or(named).or_else(in_body).or_else(known)
}

/// The type that an envelope names, in the spellings that are in use, or as CloudEvents has it.
fn type_in_body(body: &Value) -> Option<String> {
    const NAMES: [&str; 4] = ["message_type", "messageType", "event_type", "eventType"];
    let kind = NAMES.into_iter().find_map(|name| body.get(name)?.as_str());
    let event = || body.get("specversion").and_then(|_| body.get("type")?.as_str());
    let kind = kind.or_else(event)?;
    let kind = kind.replace('\0', "\u{fffd}");
    (!kind.is_empty()).then(|| cut(&kind, MOST_NAME_BYTES))
}

fn returns_from(headers: &FieldTable, notes: &mut Vec<String>) -> Option<ReturnsFrom> {
    let letter = headers.get(republish::LETTER)?;
    let id = |value: Option<&crate::wire::FieldValue>| -> Option<Uuid> {
        Uuid::parse_str(value?.as_text()?.as_str()?).ok()
    };
    let ids = (id(Some(letter)), id(headers.get(republish::REPLAY)));
    let (Some(letter), Some(replay)) = ids else {
        notes.push(format!(
            "{} and {} should hold the ids of a letter and a replay, and do not.",
            republish::LETTER,
            republish::REPLAY
        ));
        return None;
    };
    Some(ReturnsFrom { letter_id: LetterId(letter), replay_id: ReplayId(replay) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::death::Reason;
    use crate::wire::FieldValue;

    fn with_headers(fields: &[(&str, &str)]) -> Delivered {
        let mut delivered = Delivered::default();
        for (name, value) in fields {
            delivered.headers.set(name, FieldValue::LongString((*value).into()));
        }
        delivered
    }

    fn read_plain(delivered: &Delivered) -> Reading {
        read(delivered, &HeaderMap::default(), &MessageTypes::default())
    }

    #[test]
    fn a_bare_message_is_read_with_a_note() {
        let reading = read_plain(&Delivered::default());
        assert_eq!(reading.origin, Origin::unknown());
        assert_eq!(reading.notes.len(), 1);
    }

    #[test]
    fn a_frameworks_queue_is_the_origin_where_there_is_no_death_history() {
        let reading = read_plain(&with_headers(&[
            ("MT-Fault-Message", "No stock"),
            ("MT-Fault-InputAddress", "rabbitmq://h/submit-order"),
        ]));
        assert_eq!(reading.origin.queue.as_deref(), Some("submit-order"));
        assert_eq!(reading.origin.reason, Reason::Rejected);
        assert!(reading.notes.is_empty());
    }

    #[test]
    fn the_first_death_is_the_origin_where_the_history_cannot_be_read() {
        let reading = read_plain(&with_headers(&[
            ("x-death", "junk"),
            ("x-first-death-queue", "orders.work"),
            ("x-first-death-reason", "expired"),
            ("x-first-death-exchange", "orders"),
        ]));
        assert_eq!(reading.origin.queue.as_deref(), Some("orders.work"));
        assert_eq!(reading.origin.exchange.as_deref(), Some("orders"));
        assert_eq!(reading.origin.reason, Reason::Expired);
        assert_eq!(reading.notes.len(), 1, "of the junk: {:?}", reading.notes);
    }

    #[test]
    fn a_note_that_quotes_the_message_can_be_kept() {
        let reason = format!("\0{}", "x".repeat(2 * MOST_MESSAGE_BYTES));
        let mut death = FieldTable::default();
        death.set("reason", FieldValue::LongString(reason.as_str().into()));
        let mut delivered = Delivered::default();
        let deaths = FieldValue::Array(vec![FieldValue::Table(death)]);
        delivered.headers.set("x-death", deaths);
        let notes = read_plain(&delivered).notes;
        let quoted = notes.iter().find(|note| note.contains("xxx"));
        let quoted = quoted.expect("a note about the reason");
        assert!(quoted.len() <= MOST_MESSAGE_BYTES && !quoted.contains('\0'), "{quoted}");
    }

    #[test]
    fn what_a_sender_says_wrongly_of_its_body_is_noted() {
        let mut delivered = with_headers(&[("x-first-death-queue", "orders.work")]);
        delivered.properties.content_encoding = Some("gzip".into());
        delivered.properties.content_type = Some("text/plain; charset=klingon".into());
        assert_eq!(read_plain(&delivered).notes.len(), 2);
    }

    #[test]
    fn an_envelope_names_its_type() {
        let mut delivered = Delivered {
            body: br#"{"payload": {"a": [1]}, "message_type": "ExecutionRequested"}"#.to_vec(),
            ..Delivered::default()
        };
        let kind = |d: &Delivered| read_plain(d).message_type;
        assert_eq!(kind(&delivered).as_deref(), Some("ExecutionRequested"));
        delivered.properties.kind = Some("amqp-1.0".into());
        assert_eq!(kind(&delivered).as_deref(), Some("ExecutionRequested"));
        delivered.properties.kind = Some("Own".into());
        assert_eq!(kind(&delivered).as_deref(), Some("Own"));
    }

    #[test]
    fn our_own_marks_are_read_and_forged_ones_noted() {
        let id = "01900000-0000-7000-8000-000000000001";
        let reading = read_plain(&with_headers(&[("x-dlo-letter", id), ("x-dlo-replay", id)]));
        assert!(reading.returns_from.is_some());
        let forged = read_plain(&with_headers(&[("x-dlo-letter", "1; drop table")]));
        assert_eq!(forged.returns_from, None);
        assert_eq!(forged.notes.len(), 2);
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let long = "é".repeat(MOST_MESSAGE_BYTES);
        let reading = read_plain(&with_headers(&[("x-error", &long)]));
        let message = reading.failure.error_message.expect("a message");
        assert!(message.len() <= MOST_MESSAGE_BYTES && message.ends_with('…'));
    }
}
