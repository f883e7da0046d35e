//! Messages that were taken and wait for their transaction, read while they wait.

use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::ids::LetterId;
use dlo_domain::reading;

use super::Deps;
use crate::broker::Taken;
use crate::clock::new_id;
use crate::store::letters::Incoming;
use crate::store::sources::Watched;

/// Bodies in one transaction should not take more than this, in bytes.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// A batch in the making.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// The messages, read, in the order of their delivery.
    pub(super) incoming: Vec<Incoming>,
    /// Their contents.
    pub(super) fingerprints: Vec<Fingerprint>,
    /// Acknowledging this acknowledges all of them.
    pub(super) last_tag: u64,
    /// The largest body.
    pub(super) largest: usize,
    bytes: usize,
}

impl Buffer {
    /// Reads a message and adds it.
    pub(super) fn push(&mut self, deps: &Deps, source: &Watched, taken: Taken) {
        let Taken { tag, delivered } = taken;
        let size = delivered.body.len();
        self.fingerprints.push(Fingerprint::of(&delivered));
        let reading = reading::read(&delivered, &source.headers);
        let id = LetterId(new_id(&*deps.clock));
        self.incoming
            .push(Incoming::new(id, deps.clock.now(), delivered, reading));
        self.last_tag = self.last_tag.max(tag);
        self.largest = self.largest.max(size);
        self.bytes += size;
    }

    /// The contents that were delivered before.
    pub(super) fn redelivered(&self) -> impl Iterator<Item = Fingerprint> {
        let pairs = self.incoming.iter().zip(&self.fingerprints);
        pairs.filter_map(|(incoming, content)| incoming.delivered.redelivered.then_some(*content))
    }

    /// Whether something was delivered before.
    pub(super) fn has_redelivered(&self) -> bool {
        self.redelivered().next().is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.incoming.is_empty()
    }

    /// Whether it should go as it is.
    pub(super) fn is_full(&self, most: usize) -> bool {
        self.incoming.len() >= most || self.bytes >= MOST_BYTES
    }
}
