//! A message as it came out of a source.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::death::Death;
use crate::encoding;
use crate::wire::{FieldTable, Properties, WireFault, WireText};

/// A message as the broker delivered it: every byte that we can see.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Delivered {
    /// The exchange of the delivery: the dead-letter exchange, not the origin.
    pub exchange: String,
    /// The routing key of the delivery: the dead-letter key, not the origin's.
    pub routing_key: String,
    /// The broker delivered it before, to somebody.
    pub redelivered: bool,
    /// Basic properties.
    pub properties: Properties,
    /// Headers.
    pub headers: FieldTable,
    /// Body.
    pub body: Vec<u8>,
    /// What was wrong with its octets; everything else is read in spite of it.
    pub faults: Vec<WireFault>,
}

impl Delivered {
    /// Whether client libraries refuse it: it was read from its octets.
    #[must_use]
    pub fn is_undecodable(&self) -> bool {
        self.faults.iter().any(WireFault::is_undecodable)
    }

    /// The body as it was before its sender packed it, if that is known and it has at most `most` bytes.
    #[must_use]
    pub fn plain_body(&self, most: usize) -> Option<Cow<'_, [u8]>> {
        let encoding = self.properties.content_encoding.as_ref();
        let encoding = encoding.map(WireText::to_display);
        encoding::unpacked(encoding.as_deref(), &self.body, most)
    }
}

/// One time that a letter's message reached a source, as shown to people and programs.
/// The body is asked for apart, since it can be large.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Arrival {
    /// 1 for the first.
    pub ordinal: i32,
    /// When we took it: our own clock.
    pub arrived_at: DateTime<Utc>,
    /// The exchange of the delivery (the dead-letter exchange).
    pub exchange: String,
    /// The routing key of the delivery.
    pub routing_key: String,
    /// Basic properties.
    pub properties: Properties,
    /// Headers, each with its AMQP type.
    pub headers: FieldTable,
    /// The death history that the message carried.
    pub deaths: Vec<Death>,
    /// Size of the body in bytes.
    pub size_bytes: i64,
    /// SHA-256 of the body, in hexadecimal.
    pub body_sha256: String,
    /// The replay that it came back from.
    pub replay_id: Option<crate::ids::ReplayId>,
    /// What could not be read of it.
    pub notes: Vec<String>,
}
