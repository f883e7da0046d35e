//! What a replay sends: the arrival's message less what would harm, plus our marks.

mod difference;
mod headers;
mod known;

use crate::death::read_deaths;
use crate::delivery_limit::COUNTS;
use crate::ids::{LetterId, ReplayId};
use crate::wire::{FieldTable, FieldValue, Properties, WireText};

pub use difference::{between_arrivals, difference};
use headers::Changed;
pub use headers::{BadHeaders, HeaderChanges, MOST_SET_BYTES};
pub use known::{KnownHeader, Travelling, largest};

/// Header: the letter's id.
pub const LETTER: &str = "x-dlo-letter";
/// Header: the replay's id.
pub const REPLAY: &str = "x-dlo-replay";
/// Header: which try of this letter it is, from 1.
pub const ATTEMPT: &str = "x-dlo-attempt";

/// The most that properties and headers may take, in bytes. AMQP never splits them, and above
/// the frame size (131,072 unless it was negotiated otherwise) the whole connection dies.
pub const MOST_HEADER_BYTES: usize = 120_000;

/// The largest body that any RabbitMQ can be configured to take, in bytes. Each has a limit of its
/// own below it (128 MiB up to 3.13, 16 MiB from 4.0, unless configured otherwise), which no client
/// is told: the broker itself refuses what is above it, and names it.
pub const MOST_BODY_BYTES: usize = 512 * 1024 * 1024;

/// The delivery mode of messages that a restart of the broker loses.
const TRANSIENT: u8 = 1;
/// The delivery mode of messages that a durable queue keeps over a restart.
const PERSISTENT: u8 = 2;

/// The message of a letter, ready to be published.
#[derive(Debug, Clone, PartialEq)]
pub struct Republished {
    /// Basic properties.
    pub properties: Properties,
    /// Headers, marks included.
    pub headers: FieldTable,
    /// What both take in a frame, in bytes: so much or a little less.
    pub header_bytes: usize,
    /// What its sender had put there and was left off, by the names of AMQP. The history that
    /// brokers wrote is left off from every letter, and not named.
    pub stripped: Vec<String>,
    /// Headers that were set, each with its value and the one before, in words.
    pub set: Vec<String>,
    /// Whether its sender had sent it as a transient message.
    pub made_persistent: bool,
}

/// Why a letter is not published. The letter is held, its bytes are untouched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotRepublish {
    /// The headers would break the connection.
    #[error("properties and headers have about {0} bytes; a broker takes {MOST_HEADER_BYTES}")]
    HeadersTooLarge(usize),
    /// The body is larger than any broker takes.
    #[error("the body has {0} bytes; no broker takes more than {MOST_BODY_BYTES}")]
    BodyTooLarge(usize),
    /// A header that RabbitMQ answers with a closed connection.
    #[error("the header `{0}` is a short string, which RabbitMQ refuses in headers")]
    ShortStringHeader(String),
    /// A time to live that RabbitMQ answers with a closed channel.
    #[error("its expiration `{0}` is not a number of milliseconds, which RabbitMQ refuses")]
    BadExpiration(String),
    /// A name that no client can encode.
    #[error("the header or property `{0}` is longer than 255 bytes or no UTF-8")]
    BadShortString(String),
}

/// What a replay says of each of its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms<'a> {
    /// The letter, the replay, and which try of the letter it is.
    pub marks: (LetterId, ReplayId, i32),
    /// Whether the time to live that the sender gave it stays.
    pub keep_expiration: bool,
    /// The headers that are left out or set.
    pub headers: &'a HeaderChanges,
}

/// Makes the message that a replay sends.
///
/// # Errors
/// `CannotRepublish` when a broker would refuse it or break: then nothing is sent.
pub fn republish(
    mut properties: Properties,
    mut headers: FieldTable,
    body_bytes: usize,
    terms: Terms<'_>,
) -> Result<Republished, CannotRepublish> {
    // A broker takes it off when the message dies, and writes it down in the first death.
    let expiration = properties.expiration.clone().or_else(|| {
        let mut deaths = read_deaths(&headers).deaths.into_iter().rev();
        let first = deaths.find_map(|death| death.original_expiration)?;
        Some(first.as_str().into())
    });
    let Changed { left_out: mut stripped, set } = clean(&mut headers, terms.headers);
    let made_persistent = is_transient(&properties);
    strip_properties(&mut properties, &mut stripped);
    if terms.keep_expiration
        && let Some(expiration) = expiration
    {
        check_expiration(&expiration)?;
        stripped.retain(|name| name != "expiration");
        properties.expiration = Some(expiration);
    }
    let (letter, replay, attempt) = terms.marks;
    headers.set(LETTER, FieldValue::LongString(letter.to_string().into()));
    headers.set(REPLAY, FieldValue::LongString(replay.to_string().into()));
    headers.set(ATTEMPT, FieldValue::LongInt(attempt));
    if body_bytes > MOST_BODY_BYTES {
        return Err(CannotRepublish::BodyTooLarge(body_bytes));
    }
    check_table(&headers)?;
    let size = size_of_properties(&properties)? + size_of_table(&headers);
    if size > MOST_HEADER_BYTES {
        return Err(CannotRepublish::HeadersTooLarge(size));
    }
    Ok(Republished { properties, headers, header_bytes: size, stripped, set, made_persistent })
}

/// Takes off what is never sent, and changes what is asked to be changed.
fn clean(headers: &mut FieldTable, changes: &HeaderChanges) -> Changed {
    headers.strip(|name| is_history(name) || is_of_interceptor(name));
    // Marks of a replay before, of this letter or of the one that a worker made it from. A name may be there
    // twice, and the last one would win.
    headers.strip(|name| matches!(name, LETTER | REPLAY | ATTEMPT));
    let mut left_out = headers.strip(copies_elsewhere);
    let Changed { left_out: asked, set } = changes.apply(headers);
    left_out.extend(asked);
    Changed { left_out, set }
}

/// Whether its sender had it lost when the broker restarts. It is replayed as a persistent message: a letter
/// that was confirmed, and was lost with a restart, would be called replayed for ever.
#[must_use]
pub fn is_transient(properties: &Properties) -> bool {
    properties.delivery_mode == Some(TRANSIENT)
}

/// RabbitMQ closes the channel of who publishes a time to live that is no number of milliseconds.
fn check_expiration(expiration: &WireText) -> Result<(), CannotRepublish> {
    let is_number = expiration.as_str().is_some_and(|text| text.parse::<u32>().is_ok());
    if is_number {
        Ok(())
    } else {
        let text = expiration.to_display().into_owned();
        Err(CannotRepublish::BadExpiration(text))
    }
}

/// Headers of the death history and of delivery counting: they would resume counts, or have the
/// broker drop the replay as a cycle.
fn is_history(name: &str) -> bool {
    name == "x-death"
        || name.starts_with("x-first-death-")
        || name.starts_with("x-last-death-")
        || COUNTS.contains(&name)
}

/// Headers that a broker's own interceptors put on what is published (`message_interceptors` of its
/// configuration): when, by which node, by which MQTT client. They are of the publish before, and would tell
/// of this one what is not so.
fn is_of_interceptor(name: &str) -> bool {
    matches!(
        name,
        "timestamp_in_ms"
            | "x-opt-rabbitmq-received-time"
            | "x-opt-rabbitmq-sent-time"
            | "x-routed-by"
            | "x-opt-mqtt-client-id"
    )
}

/// Headers that copy the message to other queues.
fn copies_elsewhere(name: &str) -> bool {
    matches!(name, "CC" | "BCC")
}

fn strip_properties(properties: &mut Properties, stripped: &mut Vec<String>) {
    if properties.expiration.take().is_some() {
        stripped.push("expiration".to_owned());
    }
    if properties.user_id.take().is_some() {
        stripped.push("user-id".to_owned());
    }
    let pseudo = |text: &WireText| text.as_bytes() == b"amq.rabbitmq.reply-to";
    if properties.reply_to.as_ref().is_some_and(pseudo) {
        properties.reply_to = None;
        stripped.push("reply-to".to_owned());
    }
    properties.delivery_mode = Some(PERSISTENT);
}

fn check_table(table: &FieldTable) -> Result<(), CannotRepublish> {
    for field in &table.0 {
        let name = || field.name.to_display().into_owned();
        if field.name.as_bytes().len() > 255 || field.name.as_str().is_none() {
            return Err(CannotRepublish::BadShortString(name()));
        }
        check_value(&field.value, &name)?;
    }
    Ok(())
}

fn check_value(value: &FieldValue, name: &dyn Fn() -> String) -> Result<(), CannotRepublish> {
    match value {
        FieldValue::ShortString(_) => Err(CannotRepublish::ShortStringHeader(name())),
        FieldValue::Array(values) => values.iter().try_for_each(|value| check_value(value, name)),
        FieldValue::Table(table) => check_table(table),
        _ => Ok(()),
    }
}

fn size_of_properties(properties: &Properties) -> Result<usize, CannotRepublish> {
    let texts = [
        ("content-type", &properties.content_type),
        ("content-encoding", &properties.content_encoding),
        ("correlation-id", &properties.correlation_id),
        ("reply-to", &properties.reply_to),
        ("message-id", &properties.message_id),
        ("type", &properties.kind),
        ("app-id", &properties.app_id),
        ("cluster-id", &properties.cluster_id),
    ];
    let mut size = 32;
    for (name, text) in texts {
        let Some(text) = text else { continue };
        if text.as_bytes().len() > 255 || text.as_str().is_none() {
            return Err(CannotRepublish::BadShortString(name.to_owned()));
        }
        size += 1 + text.as_bytes().len();
    }
    Ok(size)
}

fn size_of_table(table: &FieldTable) -> usize {
    let fields = table.0.iter();
    4 + fields
        .map(|field| 1 + field.name.as_bytes().len() + size_of_value(&field.value))
        .sum::<usize>()
}

fn size_of_value(value: &FieldValue) -> usize {
    1 + match value {
        FieldValue::LongString(text) => 4 + text.as_bytes().len(),
        FieldValue::ByteArray(bytes) => 4 + bytes.len(),
        FieldValue::Array(values) => 4 + values.iter().map(size_of_value).sum::<usize>(),
        FieldValue::Table(table) => size_of_table(table),
        FieldValue::Deep(octets) => octets.len(),
        _ => 8,
    }
}

#[cfg(test)]
mod tests;
