//! The frames that come from a broker. Bodies and heartbeats go through as they are.

use std::collections::HashMap;
use std::io;

use super::{DeliveryPlace, Oversize, RawAddress, RawMessage, RawMessages};

const METHOD: u8 = 1;
const HEADER: u8 = 2;
const FRAME_END: u8 = 0xce;
/// Type, channel and size of a frame.
const HEAD_BYTES: usize = 7;
/// What a frame takes beside its payload.
const AROUND_BYTES: usize = HEAD_BYTES + 1;

/// The largest method or content header frame that is read. Brokers agree to 128 KiB, and what their own
/// headers add is small.
const MOST_HELD_BYTES: usize = 16 * 1024 * 1024;

const CONNECTION_TUNE: [u8; 4] = [0, 10, 0, 30];
const CHANNEL_OPEN_OK: [u8; 4] = [0, 20, 0, 11];
const BASIC_RETURN: [u8; 4] = [0, 60, 0, 50];
const BASIC_DELIVER: [u8; 4] = [0, 60, 0, 60];
const BASIC_GET_OK: [u8; 4] = [0, 60, 0, 71];

/// A delivery whose content header comes next on its channel.
#[derive(Debug)]
struct Announced {
    tag: u64,
    address: Option<RawAddress>,
}

/// Where the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// At the head of a frame, or within it.
    Head,
    /// Within a frame that is held until it is whole; so many bytes are missing.
    Held(usize),
    /// Within a frame that goes through; so many bytes are left.
    Passing(usize),
    /// The other side does not speak AMQP frames: all goes through.
    Unframed,
}

/// Reads what a broker sends, and gives out what lapin is to see.
#[derive(Debug)]
pub(super) struct FrameReader {
    messages: RawMessages,
    position: Position,
    held: Vec<u8>,
    announced: HashMap<u16, Announced>,
    /// The largest frame that was agreed; 0 if there is no limit.
    frame_max: usize,
}

impl FrameReader {
    /// `frame_max` is what the client asks for; 0 if it asks for nothing.
    pub(super) fn new(messages: RawMessages, frame_max: u32) -> Self {
        Self {
            messages,
            position: Position::Head,
            held: Vec::new(),
            announced: HashMap::new(),
            frame_max: usize::try_from(frame_max).unwrap_or(usize::MAX),
        }
    }

    /// Reads what came; appends to `out` what lapin is to see.
    ///
    /// # Errors
    /// Returns an error if a content header is larger than any broker sends.
    pub(super) fn read(&mut self, mut octets: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        self.messages.wait();
        while !octets.is_empty() {
            let taken = match self.position {
                Position::Head => self.read_head(octets, out)?,
                Position::Held(missing) => {
                    let taken = missing.min(octets.len());
                    self.held.extend_from_slice(&octets[..taken]);
                    if taken == missing {
                        self.end_held(out);
                    } else {
                        self.position = Position::Held(missing - taken);
                    }
                    taken
                }
                Position::Passing(left) => {
                    let taken = left.min(octets.len());
                    out.extend_from_slice(&octets[..taken]);
                    self.position = match left - taken {
                        0 => Position::Head,
                        left => Position::Passing(left),
                    };
                    taken
                }
                Position::Unframed => {
                    out.extend_from_slice(octets);
                    octets.len()
                }
            };
            octets = &octets[taken..];
        }
        Ok(())
    }

    fn read_head(&mut self, octets: &[u8], out: &mut Vec<u8>) -> io::Result<usize> {
        // A broker that does not know our version of AMQP answers with its own, and no frame.
        if self.held.is_empty() && octets[0] == b'A' {
            self.position = Position::Unframed;
            return Ok(0);
        }
        let taken = (HEAD_BYTES - self.held.len()).min(octets.len());
        self.held.extend_from_slice(&octets[..taken]);
        if self.held.len() < HEAD_BYTES {
            return Ok(taken);
        }
        let size = [self.held[3], self.held[4], self.held[5], self.held[6]];
        let left =
            usize::try_from(u32::from_be_bytes(size)).unwrap_or(usize::MAX).saturating_add(1);
        if !matches!(self.held[0], METHOD | HEADER) {
            out.append(&mut self.held);
            self.position = Position::Passing(left);
        } else if left > MOST_HELD_BYTES {
            let why = format!("the broker sent a header of {left} bytes, which none does");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        } else {
            self.position = Position::Held(left);
        }
        Ok(taken)
    }

    fn end_held(&mut self, out: &mut Vec<u8>) {
        self.position = Position::Head;
        let frame = std::mem::take(&mut self.held);
        let payload = &frame[HEAD_BYTES..frame.len() - 1];
        let channel = u16::from_be_bytes([frame[1], frame[2]]);
        let replaced = if frame[0] == METHOD {
            self.read_method(channel, payload)
        } else {
            self.read_header(channel, payload)
        };
        match replaced {
            Some(payload) => put_frame(out, frame[0], channel, &payload),
            None => out.extend_from_slice(&frame),
        }
        // The room is used again, unless it is much.
        if frame.capacity() <= 1024 * 1024 {
            self.held = frame;
            self.held.clear();
        }
    }

    /// Reads a method; returns what takes its place, if lapin would refuse it.
    fn read_method(&mut self, channel: u16, payload: &[u8]) -> Option<Vec<u8>> {
        let (method, arguments) = payload.split_first_chunk::<4>()?;
        match *method {
            CONNECTION_TUNE => self.agree(arguments),
            CHANNEL_OPEN_OK => self.messages.forget(channel),
            BASIC_RETURN => {
                self.announced.remove(&channel);
            }
            BASIC_DELIVER => {
                let consumer = usize::from(*arguments.first()?) + 1;
                return self.announce(channel, payload, 4 + consumer);
            }
            BASIC_GET_OK => return self.announce(channel, payload, 4),
            _ => {}
        }
        None
    }

    /// Both sides keep to the smaller limit, where one has any.
    fn agree(&mut self, tune: &[u8]) {
        let Some(&[a, b, c, d]) = tune.get(2..6) else {
            return;
        };
        let theirs = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
        self.frame_max = match (self.frame_max, theirs) {
            (0, limit) | (limit, 0) => limit,
            (ours, theirs) => ours.min(theirs),
        };
    }

    /// Notes the delivery whose tag begins at this octet; returns the method without its names, if
    /// they are not UTF-8.
    fn announce(&mut self, channel: u16, payload: &[u8], tag_at: usize) -> Option<Vec<u8>> {
        // The tag, whether it was delivered before, exchange, routing key, and what a get adds.
        let exchange_at = tag_at + 9;
        let tag = u64::from_be_bytes(payload.get(tag_at..tag_at + 8)?.try_into().ok()?);
        let exchange = short(payload, exchange_at)?;
        let key_at = exchange_at + 1 + exchange.len();
        let routing_key = short(payload, key_at)?;
        let is_text = |octets| std::str::from_utf8(octets).is_ok();
        let is_plain = is_text(exchange) && is_text(routing_key);
        let address = (!is_plain)
            .then(|| RawAddress { exchange: exchange.to_vec(), routing_key: routing_key.to_vec() });
        let replaced = (!is_plain).then(|| {
            let rest = &payload[key_at + 1 + routing_key.len()..];
            [&payload[..exchange_at], &[0, 0], rest].concat()
        });
        self.announced.insert(channel, Announced { tag, address });
        replaced
    }

    /// Reads a content header; returns what takes its place, if it belongs to a delivery.
    fn read_header(&mut self, channel: u16, payload: &[u8]) -> Option<Vec<u8>> {
        let announced = self.announced.remove(&channel)?;
        let bytes = payload.len() + AROUND_BYTES;
        let oversize = (self.frame_max > 0 && bytes > self.frame_max)
            .then_some(Oversize { bytes, most: self.frame_max });
        // A header without a size of its body is nothing that could be replaced.
        let before_flags = payload.get(..12)?;
        let place = DeliveryPlace { channel, tag: announced.tag };
        let message = RawMessage { address: announced.address, header: payload.to_vec(), oversize };
        self.messages.keep(place, message);
        Some([before_flags, &[0, 0]].concat())
    }
}

/// The octets of the short string that begins at this octet.
fn short(payload: &[u8], at: usize) -> Option<&[u8]> {
    let count = usize::from(*payload.get(at)?);
    payload.get(at + 1..at + 1 + count)
}

fn put_frame(out: &mut Vec<u8>, kind: u8, channel: u16, payload: &[u8]) {
    out.push(kind);
    out.extend(channel.to_be_bytes());
    let size = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    out.extend(size.to_be_bytes());
    out.extend_from_slice(payload);
    out.push(FRAME_END);
}

#[cfg(test)]
mod tests;
