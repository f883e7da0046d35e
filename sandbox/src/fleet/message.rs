//! Messages as the fleet sees them: [`Publication`] is one that is about to be sent,
//! [`Reading`] one that a worker has in its hands. Must not touch the network.

use flate2::read::GzDecoder;
use lapin::{
    BasicProperties,
    types::{AMQPValue, FieldTable},
};
use serde_json::{Map, Value};
use std::io::Read as _;

/// The header that a replay of Dead Letter Office carries.
const REPLAY_HEADER: &str = "x-dlo-letter";
/// The header that says which replay of its letter a message is.
pub(super) const REPLAY_ATTEMPT_HEADER: &str = "x-dlo-attempt";
/// Bytes that a worker unpacks at most: fleet bodies are far smaller.
const UNPACK_LIMIT: u64 = 4 << 20;

/// One message to publish. Time and user are filled in when it is sent, because they are not
/// part of what the seed decides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Publication {
    pub exchange: &'static str,
    pub routing_key: String,
    pub properties: BasicProperties,
    pub body: Vec<u8>,
    /// Ask for the `timestamp` property.
    pub timestamped: bool,
    /// Ask for the `user_id` property, which the broker checks against the connection.
    pub signed: bool,
}

impl Publication {
    pub(super) fn new(exchange: &'static str, routing_key: impl Into<String>) -> Self {
        let properties = BasicProperties::default().with_delivery_mode(2);
        Self {
            exchange,
            routing_key: routing_key.into(),
            properties,
            body: Vec::new(),
            timestamped: false,
            signed: false,
        }
    }

    pub(super) fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.properties = self.properties.with_content_type(content_type.into());
        self.body = body.into();
        self
    }

    pub(super) fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    pub(super) fn with(mut self, change: impl FnOnce(BasicProperties) -> BasicProperties) -> Self {
        self.properties = change(self.properties);
        self
    }

    pub(super) fn header(mut self, name: &str, value: impl Into<AMQPValue>) -> Self {
        let mut headers = self.properties.headers().clone().unwrap_or_default();
        headers.insert(name.into(), value.into());
        self.properties = self.properties.with_headers(headers);
        self
    }

    pub(super) fn timestamped(mut self) -> Self {
        self.timestamped = true;
        self
    }

    pub(super) fn signed(mut self) -> Self {
        self.signed = true;
        self
    }
}

/// Text as a header value. Always a long string: brokers close the connection on a short one.
pub(super) fn text(value: impl AsRef<str>) -> AMQPValue {
    AMQPValue::LongString(value.as_ref().as_bytes().to_vec().into())
}

/// A message in a worker's hands.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub queue: &'a str,
    pub properties: &'a BasicProperties,
    pub body: &'a [u8],
    /// The decoded body, for JSON (also packed) and forms; null where it is neither.
    pub fields: Value,
}

impl<'a> Reading<'a> {
    pub(super) fn new(queue: &'a str, properties: &'a BasicProperties, body: &'a [u8]) -> Self {
        let fields = decode(properties, body);
        Self { queue, properties, body, fields }
    }

    pub(super) fn header(&self, name: &str) -> Option<&AMQPValue> {
        self.properties.headers().as_ref().and_then(|headers| headers.inner().get(name))
    }

    pub(super) fn header_text(&self, name: &str) -> String {
        match self.header(name) {
            Some(AMQPValue::LongString(value)) => String::from_utf8_lossy(value.as_bytes()).into(),
            _ => String::new(),
        }
    }

    /// The field at a JSON pointer as text, empty where there is none.
    pub(super) fn field(&self, pointer: &str) -> String {
        match self.fields.pointer(pointer) {
            Some(Value::String(value)) => value.clone(),
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        }
    }

    pub(super) fn is(&self, pointer: &str, expected: &str) -> bool {
        self.field(pointer) == expected
    }

    pub(super) fn is_replay(&self) -> bool {
        self.header(REPLAY_HEADER).is_some()
    }

    /// A number that belongs to this message for good, for the addresses and pod names in
    /// error texts: they vary from message to message, but not from run to run.
    pub(super) fn salt(&self) -> u64 {
        let id = self.properties.message_id().as_ref().map_or("", |id| id.as_str());
        id.bytes()
            .chain(self.body.iter().take(256).copied())
            .fold(7, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
    }
}

fn decode(properties: &BasicProperties, body: &[u8]) -> Value {
    let content_type = properties.content_type().as_ref().map_or("", |value| value.as_str());
    let packed =
        properties.content_encoding().as_ref().is_some_and(|value| value.as_str() == "gzip");
    if content_type == "application/x-www-form-urlencoded" {
        return form(body);
    }
    let mut plain = Vec::new();
    if packed {
        // What cannot be unpacked stays undecoded: the worker then sees no fields.
        if GzDecoder::new(body).take(UNPACK_LIMIT).read_to_end(&mut plain).is_err() {
            return Value::Null;
        }
    } else {
        plain.extend_from_slice(body);
    }
    serde_json::from_slice(&plain).unwrap_or(Value::Null)
}

fn form(body: &[u8]) -> Value {
    let pairs = String::from_utf8_lossy(body);
    let fields: Map<String, Value> = pairs
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), Value::String(value.to_owned())))
        .collect();
    Value::Object(fields)
}

/// The headers of a message with others laid over them.
pub(super) fn overlay(base: Option<&FieldTable>, extra: Vec<(&str, AMQPValue)>) -> FieldTable {
    let mut headers = base.cloned().unwrap_or_default();
    for (name, value) in extra {
        headers.insert(name.into(), value);
    }
    headers
}
