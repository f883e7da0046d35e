//! What is wrong with the octets of a message.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::wire::WireText;

/// Faults that are reported of one message, at most: a sender can make as many as a frame has room for.
pub(super) const MOST_FAULTS: usize = 8;

/// A deviation of a message from what AMQP 0.9.1 promises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireFault {
    /// A short string that has a place of its own in the letter is not UTF-8.
    PropertyNotUtf8(&'static str),
    /// The exchange or the routing key of the delivery is not UTF-8. The letter shows them as text,
    /// so that the octets are kept here.
    AddressNotUtf8 {
        /// `exchange` or `routing key`.
        part: &'static str,
        /// The octets.
        octets: Vec<u8>,
    },
    /// The name of a header is not UTF-8.
    NameNotUtf8(WireText),
    /// Properties and headers are longer than the broker and the client agreed for one frame.
    LongerThanFrame {
        /// Their size in bytes.
        bytes: usize,
        /// What was agreed, in bytes.
        most: usize,
    },
    /// Octets that follow no rule.
    Malformed {
        /// Where.
        part: &'static str,
        /// The octets that are not in the letter otherwise.
        octets: Vec<u8>,
    },
    /// One name stands more than once in one table.
    DuplicateName(WireText),
}

impl WireFault {
    /// Whether client libraries refuse the message for it, as lapin does.
    #[must_use]
    pub fn is_undecodable(&self) -> bool {
        !matches!(self, Self::DuplicateName(_))
    }

    /// What people should know of a message with these faults: what is wrong, and what was kept.
    #[must_use]
    pub fn notes(faults: &[Self]) -> Vec<String> {
        let all = |is_undecodable: bool| {
            let chosen = faults.iter().filter(|fault| fault.is_undecodable() == is_undecodable);
            chosen.map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        let (undecodable, repeated) = (all(true), all(false));
        let mut notes = Vec::new();
        if !undecodable.is_empty() {
            notes.push(format!(
                "Undecodable: {undecodable}. Client libraries refuse this message. It was read from \
                 its octets, and everything in it is kept as it came."
            ));
        }
        if !repeated.is_empty() {
            notes.push(format!(
                "Repeated: {repeated}. Every value is kept, in the order of the message. Client \
                 libraries see only the last one, and a replay sends only that."
            ));
        }
        notes
    }
}

impl fmt::Display for WireFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PropertyNotUtf8(property) => write!(f, "the {property} is not UTF-8"),
            Self::AddressNotUtf8 { part, octets } => write!(
                f,
                "the {part} is not UTF-8 (its octets in Base64: {})",
                STANDARD.encode(octets)
            ),
            Self::NameNotUtf8(name) => {
                write!(f, "the header name `{}` is not UTF-8", name.to_display())
            }
            Self::LongerThanFrame { bytes, most } => {
                write!(f, "properties and headers take {bytes} bytes, and a frame holds {most}")
            }
            Self::Malformed { part, octets } => write!(
                f,
                "the {part} end in {} octets that are not AMQP (in Base64: {})",
                octets.len(),
                STANDARD.encode(octets)
            ),
            Self::DuplicateName(name) => {
                write!(f, "the header `{}` is there more than once", name.to_display())
            }
        }
    }
}
