//! How messages are read that the client library may fail at: it ends the session at one, with everything in
//! flight. From then on it is shown none of them; each is read from its octets.

use crate::broker::OctetReading;

/// What the sessions of a source know of such messages.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Care {
    reading: OctetReading,
    /// Messages that client libraries refuse and that were kept all the same.
    undecodable: usize,
}

impl Care {
    /// What the next session reads from octets.
    pub(super) fn reading(self) -> OctetReading {
        self.reading
    }

    /// The client library failed at a message.
    pub(super) fn broke(&mut self) {
        self.reading = OctetReading::All;
    }

    /// So many more were read from their octets.
    pub(super) fn kept_undecodable(&mut self, count: usize) {
        self.undecodable += count;
    }

    /// What people should know of them.
    pub(super) fn remark(self) -> Option<String> {
        let what = match self.undecodable {
            0 => return None,
            1 => "1 message".to_owned(),
            count => format!("{count} messages"),
        };
        Some(format!(
            "Kept since this office started: {what} that client libraries cannot decode. Each is a \
             letter, byte for byte, with a note of what is wrong."
        ))
    }
}
