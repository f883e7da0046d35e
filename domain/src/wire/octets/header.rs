//! The content header of a message: its properties and headers.

use super::cursor::Cursor;
use super::fault::{MOST_FAULTS, WireFault};
use super::table;
use crate::wire::{FieldTable, Properties, WireText};

/// The octets before the flags: class, weight and size of the body.
const BEFORE_FLAGS: usize = 12;

/// The flag of the first property; each following property has the next lower bit.
const FIRST_FLAG: u16 = 1 << 15;

/// The lowest bit says that more flags follow. AMQP 0.9.1 has none there.
const MORE_FLAGS: u16 = 1;

/// The shape of a property on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A short string.
    Short,
    /// A field table.
    Table,
    /// One octet.
    Octet,
    /// Eight octets.
    Time,
}

/// The shapes of the basic properties in the order of their flags.
const SHAPES: [Shape; 14] = {
    use Shape::{Octet, Short, Table, Time};
    [
        Short, Short, Table, Octet, Octet, Short, Short, Short, Short, Time, Short, Short, Short,
        Short,
    ]
};

/// The flags that are set, as places in [`SHAPES`].
fn places(flags: u16) -> impl Iterator<Item = usize> {
    (0..SHAPES.len()).filter(move |place| flags & (FIRST_FLAG >> place) != 0)
}

/// The properties and headers of a message, as far as its octets can be read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContentHeader {
    /// The basic properties.
    pub properties: Properties,
    /// The headers, in the order of the octets.
    pub headers: FieldTable,
    /// What was wrong with them.
    pub faults: Vec<WireFault>,
}

impl ContentHeader {
    /// Reads the payload of a content header frame.
    #[must_use]
    pub fn read(payload: &[u8]) -> Self {
        let mut header = Self::default();
        let mut cursor = Cursor(payload);
        if header.read_properties(&mut cursor).is_none() || !cursor.is_empty() {
            header.report(WireFault::Malformed { part: "properties", octets: cursor.0.to_vec() });
        }
        header
    }

    /// Reads what the flags name. Returns `None` where the octets end before it; the cursor then
    /// stands before what could not be read.
    fn read_properties(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        cursor.take(BEFORE_FLAGS)?;
        let flags = cursor.u16()?;
        let mut last = flags;
        while last & MORE_FLAGS != 0 {
            last = cursor.u16()?;
        }
        // The two lowest bits name no basic property.
        if flags & 0b11 != 0 {
            self.report(WireFault::Malformed {
                part: "property flags",
                octets: flags.to_be_bytes().to_vec(),
            });
        }
        for place in places(flags) {
            match SHAPES[place] {
                Shape::Short => {
                    let text = cursor.short()?;
                    self.set_text(place, text);
                }
                Shape::Table => {
                    let octets = cursor.long()?;
                    let read = table::read(octets);
                    self.headers = read.table;
                    read.faults.into_iter().for_each(|fault| self.report(fault));
                }
                Shape::Octet if place == 3 => {
                    self.properties.delivery_mode = Some(cursor.octet()?);
                }
                Shape::Octet => self.properties.priority = Some(cursor.octet()?),
                Shape::Time => self.properties.timestamp = Some(cursor.u64()?),
            }
        }
        Some(())
    }

    fn set_text(&mut self, place: usize, octets: &[u8]) {
        let all = &mut self.properties;
        let (property, name) = match place {
            0 => (&mut all.content_type, "content type"),
            1 => (&mut all.content_encoding, "content encoding"),
            5 => (&mut all.correlation_id, "correlation id"),
            6 => (&mut all.reply_to, "reply-to"),
            7 => (&mut all.expiration, "expiration"),
            8 => (&mut all.message_id, "message id"),
            10 => (&mut all.kind, "type"),
            11 => (&mut all.user_id, "user id"),
            12 => (&mut all.app_id, "app id"),
            _ => (&mut all.cluster_id, "cluster id"),
        };
        let text = WireText::from(octets.to_vec());
        let is_utf8 = text.as_str().is_some();
        *property = Some(text);
        if !is_utf8 {
            self.report(WireFault::PropertyNotUtf8(name));
        }
    }

    /// Notes a fault. One that holds octets is always noted, so that none of them is lost.
    pub fn report(&mut self, fault: WireFault) {
        let holds_octets =
            matches!(fault, WireFault::Malformed { .. } | WireFault::AddressNotUtf8 { .. });
        if holds_octets || self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }
}
