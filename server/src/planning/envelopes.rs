//! Letters of a dry run that are envelopes: sent as they are, or as what is inside.

use std::collections::{BTreeSet, HashMap};

use dlo_domain::decoding::{Envelope, MessageTypes, failure_envelope};
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{OfFirst, ReplayWarning};
use sqlx::PgConnection;

use crate::changes::{MadeOf, Sent};
use crate::store::StoreError;
use crate::store::replays::bodies::{self, Original};
use crate::store::replays::plan::Planned;

/// Letters whose bodies are looked into, at most: a dry run is to answer soon.
const MOST_LETTERS: usize = 500;

/// What the bodies that are looked into have together, in bytes, at most.
const MOST_BYTES: i64 = 4 * 1024 * 1024;

/// What a body that is looked into is unpacked to, in bytes, at most: one of a few KiB may claim much more.
const MOST_UNPACKED_BYTES: usize = 256 * 1024;

/// The letters of a dry run so far.
#[derive(Debug, Default)]
pub(super) struct EnvelopeTally {
    /// Letters that were looked into.
    letters: usize,
    /// What their bodies have together, in bytes.
    bytes: i64,
    /// Those that a failure was put around, and that go as they are.
    closed: Enveloped,
    /// Those that are opened although workers may expect them as they are.
    opened: Enveloped,
    /// Those that are not an envelope, where envelopes are opened.
    plain: i64,
}

/// Letters that are envelopes.
#[derive(Debug, Default)]
struct Enveloped {
    letters: i64,
    envelopes: BTreeSet<Envelope>,
}

impl Enveloped {
    fn count(&mut self, envelope: Envelope) {
        self.letters += 1;
        self.envelopes.insert(envelope);
    }
}

impl EnvelopeTally {
    /// Looks into letters that go as they are: into the first ones.
    pub(super) async fn add_closed(
        &mut self,
        conn: &mut PgConnection,
        planned: &[Planned],
    ) -> Result<(), StoreError> {
        let left = MOST_LETTERS - self.letters;
        let letters: Vec<_> = planned.iter().take(left).map(|one| one.letter.id).collect();
        if letters.is_empty() || self.bytes >= MOST_BYTES {
            return Ok(());
        }
        let sizes = bodies::sizes(conn, &letters).await?;
        let fitting = sizes.iter().take_while(|size| {
            self.bytes += size.bytes;
            self.bytes <= MOST_BYTES
        });
        let letters: Vec<_> = fitting.map(|size| size.letter).collect();
        self.letters += letters.len();
        let types = MessageTypes::default();
        for Original { head, body, .. } in bodies::originals(conn, &letters).await? {
            let envelope = failure_envelope(head.labels(&types), &body, MOST_UNPACKED_BYTES);
            if let Some(envelope) = envelope {
                self.closed.count(envelope);
            }
        }
        Ok(())
    }

    /// Counts letters of which what is inside is sent.
    pub(super) fn add_opened(&mut self, planned: &[Planned], made: &HashMap<LetterId, MadeOf>) {
        self.letters += planned.len();
        for made in planned.iter().filter_map(|one| made.get(&one.letter.id)) {
            match made.sent {
                Sent::Opened(envelope, _) if envelope.is_of_failure() => {}
                Sent::Opened(envelope, _) => self.opened.count(envelope),
                _ => self.plain += 1,
            }
        }
    }

    /// The warnings about a plan of `total` letters.
    pub(super) fn into_list(self, total: i64) -> Vec<ReplayWarning> {
        let looked_into = i64::try_from(self.letters).unwrap_or(i64::MAX);
        let share = |letters| OfFirst { letters, looked_into, total };
        let list = |of: BTreeSet<Envelope>| of.into_iter().collect::<Vec<_>>();
        let closed = (self.closed.letters > 0).then(|| {
            ReplayWarning::error_envelope(&list(self.closed.envelopes), share(self.closed.letters))
        });
        let opened = (self.opened.letters > 0).then(|| {
            ReplayWarning::expected_envelope(
                &list(self.opened.envelopes),
                share(self.opened.letters),
            )
        });
        let plain = (self.plain > 0).then(|| ReplayWarning::no_envelope(share(self.plain)));
        closed.into_iter().chain(opened).chain(plain).collect()
    }
}
