//! Messages that were taken and wait for their transaction, read while they wait.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::grouping::Masker;
use dlo_domain::ids::LetterId;
use dlo_domain::judge::Judge;
use dlo_domain::reading;
use dlo_domain::redelivery::Redelivery;

use super::Intake;
use crate::broker::Taken;
use crate::clock::new_id;
use crate::store::letters::{Court, Incoming};
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
    /// The executions that they name.
    pub(super) executions: Vec<Option<String>>,
    /// Acknowledging this acknowledges all of them.
    pub(super) last_tag: u64,
    /// The largest body.
    pub(super) largest: usize,
    bytes: usize,
    masker: Masker,
    /// Who judged the first of them, and so all; `commit` looks whether these are still the rules.
    judge: Option<Arc<Judge>>,
    /// By which name of their source, if not by the one that it was watched under.
    renamed: Option<String>,
}

impl Buffer {
    /// Reads a message and adds it.
    pub(super) fn push(&mut self, intake: &Intake, source: &Watched, taken: Taken) {
        let Taken { tag, delivered } = taken;
        let size = delivered.body.len();
        self.fingerprints.push(Fingerprint::of(&delivered));
        let judge = self.judge.get_or_insert_with(|| intake.judges.newest());
        let mut reading = reading::read(&delivered, &source.headers, judge.types());
        reading.compare_vhost(&source.vhost);
        self.executions.push(source.executions.read(&delivered, &reading, judge.types()));
        let id = LetterId(new_id(&*intake.clock));
        let now = intake.clock.now();
        let court = Court { judge, source: &source.name };
        let incoming = Incoming::new(id, now, delivered, reading, court, &mut self.masker);
        self.incoming.push(incoming);
        self.last_tag = self.last_tag.max(tag);
        self.largest = self.largest.max(size);
        self.bytes += size;
    }

    /// Has everything judged by these rules and this name of its source, where it is not.
    pub(super) fn judge_by(&mut self, court: Court<'_>, judge: &Arc<Judge>, watched: &Watched) {
        let revision = self.judge.as_ref().map(|judge| judge.revision());
        let name = self.renamed.as_ref().unwrap_or(&watched.name);
        if revision == Some(judge.revision()) && name == court.source {
            return;
        }
        for incoming in &mut self.incoming {
            incoming.judge_again(court, &mut self.masker);
        }
        self.judge = Some(judge.clone());
        self.renamed = Some(court.source.to_owned());
    }

    /// The message at this place, as it is compared with what is stored.
    pub(super) fn redelivery(&self, place: usize) -> Redelivery {
        let id = &self.incoming[place].delivered.properties.message_id;
        Redelivery {
            content: self.fingerprints[place],
            has_id: id.as_ref().is_some_and(|id| !id.as_bytes().is_empty()),
        }
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

    /// How long before `now` each message died, in seconds, where it says so.
    pub(super) fn lags(&self, now: DateTime<Utc>) -> impl Iterator<Item = Duration> {
        let died = self.incoming.iter().filter_map(|one| one.reading.deaths.first()?.time);
        died.map(move |died| (now - died).to_std().unwrap_or_default())
    }

    /// How many of them client libraries refuse.
    pub(super) fn undecodable(&self) -> usize {
        let incoming = self.incoming.iter();
        incoming.filter(|one| one.delivered.is_undecodable()).count()
    }

    pub(super) fn len(&self) -> usize {
        self.incoming.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.incoming.is_empty()
    }

    /// Whether it should go as it is.
    pub(super) fn is_full(&self, most: usize) -> bool {
        self.incoming.len() >= most || self.has_enough_bytes()
    }

    /// Whether its bodies are as much as a transaction should have.
    pub(super) fn has_enough_bytes(&self) -> bool {
        self.bytes >= MOST_BYTES
    }

    /// Gives the memory of the messages back, once they are stored: their contents are still known.
    pub(super) fn let_messages_go(&mut self) {
        self.incoming = Vec::new();
    }
}
