//! Between the broker and lapin: the content header of every delivery is kept as its octets, and lapin sees
//! one without properties in its place. A delivery is read from its octets.
//!
//! lapin ends the connection at a message whose names are not UTF-8, or whose headers are longer than a
//! frame, and the broker puts it back at the head of its queue: no consumer would ever get past it. It
//! also keeps its headers in a map, and takes nested ones apart one call in another.

mod frames;
mod kit;
mod stream;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use dlo_domain::arrival::Delivered;
use dlo_domain::wire::{ContentHeader, WireFault};
use lapin::message::Delivery;

pub(super) use stream::connect;

/// A place on a connection where a message was delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct DeliveryPlace {
    channel: u16,
    tag: u64,
}

/// What lapin did not see of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct RawMessage {
    /// Exchange and routing key, where they are not UTF-8.
    address: Option<RawAddress>,
    /// The payload of its content header frame.
    header: Vec<u8>,
    /// The size of that frame and the agreed limit, if it was larger.
    oversize: Option<Oversize>,
}

/// Where a message was published to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RawAddress {
    exchange: Vec<u8>,
    routing_key: Vec<u8>,
}

/// A frame that is larger than was agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Oversize {
    bytes: usize,
    most: usize,
}

/// The octets of the messages of one connection that were delivered and not taken yet.
#[derive(Debug, Clone, Default)]
pub(super) struct RawMessages(Arc<Mutex<HashMap<DeliveryPlace, RawMessage>>>);

impl RawMessages {
    fn keep(&self, place: DeliveryPlace, message: RawMessage) {
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        messages.insert(place, message);
    }

    /// Forgets what was delivered on a channel: tags begin anew on the next one of its number.
    fn forget(&self, channel: u16) {
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        messages.retain(|place, _| place.channel != channel);
    }

    fn take(&self, place: DeliveryPlace) -> Option<RawMessage> {
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        messages.remove(&place)
    }

    /// Runs `asking`, which asks the broker for something, and reads nothing that comes until it returns.
    pub(super) fn while_nothing_comes<T>(&self, asking: impl FnOnce() -> T) -> T {
        let _messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        asking()
    }

    /// Returns once nobody is asking.
    fn wait(&self) {
        self.while_nothing_comes(|| ());
    }

    /// A delivery as it came. Once: its octets are let go.
    pub(super) fn read(&self, channel: u16, delivery: Delivery) -> Delivered {
        let message = self.take(DeliveryPlace { channel, tag: delivery.delivery_tag });
        // Each delivery has one; if it had none, its letter would say that its properties are missing.
        message.unwrap_or_default().delivered(delivery)
    }

    /// Lets go of what is kept of a delivery of which only the body is asked.
    pub(super) fn skip(&self, channel: u16, tag: u64) {
        self.take(DeliveryPlace { channel, tag });
    }
}

impl RawMessage {
    /// The message as it came, whose body lapin has.
    fn delivered(self, delivery: Delivery) -> Delivered {
        let mut header = ContentHeader::read(&self.header);
        if let Some(Oversize { bytes, most }) = self.oversize {
            header.report(WireFault::LongerThanFrame { bytes, most });
        }
        let mut exchange = delivery.exchange.as_str().to_owned();
        let mut routing_key = delivery.routing_key.as_str().to_owned();
        if let Some(address) = self.address {
            exchange = text_of(address.exchange, "exchange", &mut header);
            routing_key = text_of(address.routing_key, "routing key", &mut header);
        }
        Delivered {
            exchange,
            routing_key,
            redelivered: delivery.redelivered,
            properties: header.properties,
            headers: header.headers,
            body: delivery.data,
            faults: header.faults,
        }
    }
}

fn text_of(octets: Vec<u8>, part: &'static str, header: &mut ContentHeader) -> String {
    String::from_utf8(octets).unwrap_or_else(|fault| {
        let octets = fault.into_bytes();
        let text = String::from_utf8_lossy(&octets).into_owned();
        header.report(WireFault::AddressNotUtf8 { part, octets });
        text
    })
}
