//! Tells redeliveries from new messages, so that nothing is stored twice and nothing is lost.
//!
//! A broker has no ids for messages, and a message that was delivered and not acknowledged comes
//! again after a crash. What came again may be stored already (we crashed after the commit and
//! before the acknowledgement) or not. A comparison of contents cannot decide it alone, since
//! a thousand messages may be byte for byte the same.
//!
//! So every batch is written down with its commit, as *unsettled*, until it is known that its
//! acknowledgement reached the broker. After a crash, the few unsettled batches are compared
//! with what is redelivered:
//!
//! - A batch is acknowledged as a whole, and batches in the order of their commits. So either all
//!   of a batch comes again or nothing of it, and what follows a batch that comes again does too.
//! - A session's messages can come to several others, so that each sees a part; they settle one
//!   after the other, and what one of them did not see is left for the next.
//! - Whether it came again is told by its *telling* deliveries: those whose content was not seen
//!   for long before. If more than half of them are among the redeliveries, the acknowledgement
//!   did not arrive, and each of the batch's deliveries stands for one redelivery of that content.
//! - A batch in which not most deliveries tell (there are copies about) is *fenced*: the consumer is cancelled before
//!   its acknowledgement and consumes again once it is known to have arrived. Nothing else is in
//!   flight then, so that anything redelivered of it was stored. For this to hold, a session first
//!   fetches everything that is redelivered, one by one, up to the first message that is not.
//!   Only a recovery that crashed itself can blur it, by that one message: each such recovery is
//!   counted, and so many redeliveries prove nothing.
//!
//! In doubt a message is taken for new: a second copy can be seen and discarded, a lost one not.

mod order;

use std::collections::{HashMap, HashSet};

use crate::fingerprint::Fingerprint;

pub use order::settle_in_order;

/// A batch that was committed and whose acknowledgement is not known to have arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsettledBatch {
    /// Orders the batches of one session; sessions are kept apart by the caller.
    pub batch: i64,
    /// Nothing else was in flight when it was acknowledged.
    pub fenced: bool,
    /// Its deliveries in order.
    pub fingerprints: Vec<Fingerprint>,
    /// Places of the telling deliveries.
    pub telling: Vec<usize>,
    /// Recoveries that began since and did not end: each may have made one new message look
    /// like a redelivery.
    pub recoveries: i32,
}

impl UnsettledBatch {
    /// The contents of it that do not tell: copies of them are about, also after a restart.
    pub fn copies(&self) -> impl Iterator<Item = Fingerprint> {
        let telling: HashSet<usize> = self.telling.iter().copied().collect();
        let places = self.fingerprints.iter().enumerate();
        places.filter_map(move |(place, content)| (!telling.contains(&place)).then_some(*content))
    }
}

/// What became of the redeliveries and of the batches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settlement {
    /// For each redelivery: whether it is stored already.
    pub stored: Vec<bool>,
    /// The batches whose acknowledgement did not arrive, with what was not redelivered *here*:
    /// another office may have got it.
    pub left: Vec<UnsettledBatch>,
}

/// Compares one session's unsettled batches, in the order of their commits, with the contents
/// of `redelivered`. `taken` marks redeliveries that another session's batches explain already.
#[must_use]
pub fn settle(
    batches: &[UnsettledBatch],
    redelivered: &[Fingerprint],
    taken: &[bool],
) -> Settlement {
    let mut places: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
    for (place, fingerprint) in redelivered.iter().enumerate().rev() {
        if !taken.get(place).copied().unwrap_or(false) {
            places.entry(*fingerprint).or_default().push(place);
        }
    }
    let mut settlement = Settlement {
        stored: vec![false; redelivered.len()],
        left: Vec::new(),
    };
    let Some(first_back) = batches.iter().position(|batch| came_again(batch, &places)) else {
        return settlement;
    };
    for batch in &batches[first_back..] {
        let mut missing = Vec::new();
        for fingerprint in &batch.fingerprints {
            match places.get_mut(fingerprint).and_then(Vec::pop) {
                Some(place) => settlement.stored[place] = true,
                None => missing.push(*fingerprint),
            }
        }
        if !missing.is_empty() {
            settlement.left.push(UnsettledBatch {
                batch: batch.batch,
                // It is known by now that the broker has it again, so any part of it tells.
                fenced: true,
                fingerprints: missing,
                telling: Vec::new(),
                recoveries: 0,
            });
        }
    }
    settlement
}

fn came_again(batch: &UnsettledBatch, places: &HashMap<Fingerprint, Vec<usize>>) -> bool {
    let is_back =
        |fingerprint: &Fingerprint| places.get(fingerprint).is_some_and(|p| !p.is_empty());
    let told = batch
        .telling
        .iter()
        .filter_map(|place| batch.fingerprints.get(*place))
        .filter(|fingerprint| is_back(fingerprint))
        .count();
    let doubtful = usize::try_from(batch.recoveries).unwrap_or_default();
    if told * 2 > batch.telling.len() && told > doubtful {
        return true;
    }
    let again = redeliveries_of(batch, places);
    // More than were in flight: a broker that was killed marks all that it has as delivered
    // before, and a mark proves nothing then.
    batch.fenced && again > doubtful && again <= batch.fingerprints.len() + doubtful
}

fn redeliveries_of(batch: &UnsettledBatch, places: &HashMap<Fingerprint, Vec<usize>>) -> usize {
    let contents: HashSet<&Fingerprint> = batch.fingerprints.iter().collect();
    let redeliveries = contents
        .into_iter()
        .filter_map(|content| places.get(content));
    redeliveries.map(Vec::len).sum()
}

/// Whether a batch must be fenced: copies are about, so that too little of it tells.
#[must_use]
pub fn needs_fence(batch: &[Fingerprint], telling: &[usize]) -> bool {
    telling.len() * 2 <= batch.len()
}

/// The contents seen of late, to know which deliveries tell.
#[derive(Debug)]
pub struct RecentContents {
    most: usize,
    fresh: HashSet<Fingerprint>,
    stale: HashSet<Fingerprint>,
}

impl RecentContents {
    /// Remembers at least the last `most` contents.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most,
            fresh: HashSet::new(),
            stale: HashSet::new(),
        }
    }

    /// Remembers contents without asking.
    pub fn remember(&mut self, contents: impl IntoIterator<Item = Fingerprint>) {
        self.fresh.extend(contents);
    }

    /// The places in a batch that tell: contents not seen of late and once in the batch.
    /// Remembers the batch.
    pub fn telling(&mut self, batch: &[Fingerprint]) -> Vec<usize> {
        let mut counts: HashMap<Fingerprint, u32> = HashMap::new();
        for fingerprint in batch {
            *counts.entry(*fingerprint).or_default() += 1;
        }
        let telling = (0..batch.len())
            .filter(|place| counts[&batch[*place]] == 1 && !self.knows(&batch[*place]))
            .collect();
        self.remember(batch.iter().copied());
        if self.fresh.len() >= self.most {
            self.stale = std::mem::take(&mut self.fresh);
        }
        telling
    }

    fn knows(&self, fingerprint: &Fingerprint) -> bool {
        self.fresh.contains(fingerprint) || self.stale.contains(fingerprint)
    }
}

#[cfg(test)]
mod tests;
