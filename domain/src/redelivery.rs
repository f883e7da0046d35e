//! Tells redeliveries from new messages, so that nothing is lost, and nothing is stored twice where
//! that can be known.
//!
//! A broker has no ids for messages, and a message that was delivered and not acknowledged comes
//! again when the session that had it ends. What comes again may be stored already (the session
//! ended after the commit and before the acknowledgement) or not, and a thousand messages may be
//! byte for byte the same.
//!
//! Every batch is written down as *unsettled* in the transaction that stores it. Three rules
//! make these batches proofs:
//!
//! - **The acknowledgement is withheld.** A session acknowledges a batch only after it wrote down that it does, and
//!   forgets the batch only after the broker answered. Where the broker counts nothing (see below) it acknowledges
//!   nothing while it consumes: at the end of its window it *fences*, that is, it stops consuming, stores
//!   everything in flight, writes that down, acknowledges, forgets, and only then consumes again. So what a session
//!   stored and did not write that down of comes again, to whomever.
//! - **Each unsettled message explains one redelivery.** Of every content, as many messages are
//!   unsettled in ended sessions as are stored and not acknowledged, or fewer. So a message may be
//!   taken for one of them whichever it is and wherever it comes from, and the count is right in the
//!   end: a mark, an order or a majority proves nothing and is not asked.
//! - **The broker keeps a receipt of what it carried out.** A session that ended between the two notes of an
//!   acknowledgement acknowledged all of its batches or none, and nothing that comes tells which: a mark only says
//!   that somebody had the message. So in one transaction of its channel (`tx.commit`) a session acknowledges, and
//!   has the broker count that at a message of a queue of its own. Who comes after it reads the count, once the
//!   broker has seen the session's end. With that a session can acknowledge while it consumes: of each batch it
//!   is written down what the count is once it is acknowledged.
//!
//! Without a receipt (a user who may not declare its queue, a broker that was killed) such a session is in
//! doubt. Then a message id tells: two messages with one id that are the same in every byte are one message, by
//! the word of whoever published it, unless copies of it were stored. What is still in doubt is taken for new: a
//! second copy can be seen and discarded, a lost one not.
//!
//! A broker that was killed forgets acknowledgements that it answered for; see `forgotten`.

mod forgotten;

use std::collections::HashMap;

use crate::fingerprint::Fingerprint;

pub use forgotten::{Acknowledged, Forgotten};

/// The note on a letter that was stored because nobody can know whether it is stored already.
pub const MAY_BE_STORED_TWICE: &str = "This message may be stored twice: the broker redelivered \
    it after an office or the broker itself had ended, and it is not known whether it was stored \
    before. Look for a letter with the same body before you replay it.";

/// How far the acknowledgement of a batch is, as far as it is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acknowledgement {
    /// It was not sent.
    Withheld,
    /// It may have been sent.
    Announced {
        /// The broker has counted so many acknowledgements of the session once it has carried this one out;
        /// nothing if it counts none.
        receipt: Option<i64>,
    },
}

impl Acknowledgement {
    /// What the receipt of the session says once it is carried out.
    #[must_use]
    pub fn receipt(self) -> Option<i64> {
        match self {
            Self::Announced { receipt } => receipt,
            Self::Withheld => None,
        }
    }
}

/// A batch that was committed and is not known to be acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsettledBatch {
    /// Orders the batches of one session.
    pub batch: i64,
    /// How far its acknowledgement is.
    pub acknowledgement: Acknowledgement,
    /// Its messages in the order of delivery.
    pub fingerprints: Vec<Fingerprint>,
}

/// A session that ended, and what it left unsettled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndedSession {
    /// Its batches in the order of their commits.
    pub batches: Vec<UnsettledBatch>,
}

/// A message that may have been delivered before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redelivery {
    /// Its content.
    pub content: Fingerprint,
    /// Whoever published it gave it an id of its own.
    pub has_id: bool,
}

/// Which messages are stored already, and what that says of the sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settlement {
    /// For each message that came: whether it is stored already.
    pub stored: Vec<bool>,
    /// For each message that came: whether nobody can know that, so that it is taken for new.
    pub in_doubt: Vec<bool>,
    /// For each session, in the order given.
    pub sessions: Vec<SettledSession>,
}

/// What is known of an ended session after a settlement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettledSession {
    /// It explains some of what came, so that its batches changed.
    pub has_changed: bool,
    /// The batches that are still unsettled.
    pub left: Vec<UnsettledBatch>,
}

impl EndedSession {
    /// Whether it may have acknowledged what it left unsettled.
    #[must_use]
    pub fn may_have_acknowledged(&self) -> bool {
        self.batches.iter().any(|batch| batch.acknowledgement != Acknowledgement::Withheld)
    }

    /// Learns from the broker that it carried out so many acknowledgements of this session, and will carry out
    /// no other. Returns the contents that are acknowledged by that; nothing if it says nothing of its batches.
    pub fn learn(&mut self, carried_out: i64) -> Option<Vec<Fingerprint>> {
        let mut acknowledged = None;
        self.batches.retain_mut(|batch| match batch.acknowledgement {
            Acknowledgement::Announced { receipt: Some(receipt) } => {
                let acknowledged: &mut Vec<Fingerprint> = acknowledged.get_or_insert_default();
                batch.acknowledgement = Acknowledgement::Withheld;
                if receipt <= carried_out {
                    acknowledged.append(&mut batch.fingerprints);
                }
                receipt > carried_out
            }
            Acknowledgement::Announced { receipt: None } | Acknowledgement::Withheld => true,
        });
        acknowledged
    }

    /// The contents of everything that it left unsettled.
    pub fn contents(&self) -> impl Iterator<Item = Fingerprint> {
        self.batches.iter().flat_map(|batch| batch.fingerprints.iter().copied())
    }
}

/// Compares what came with what ended sessions left unsettled.
#[must_use]
pub fn settle(ended: &[EndedSession], came: &[Redelivery]) -> Settlement {
    let mut unsettled = Contents::of(ended, |of| of == Acknowledgement::Withheld);
    let mut doubtful = Contents::of(ended, |of| of != Acknowledgement::Withheld);
    let mut explained = vec![Explained::new(); ended.len()];
    let mut settlement = Settlement::default();
    for Redelivery { content, has_id } in came {
        let is_doubtful = doubtful.number_of(content) > 0;
        let is_known = *has_id && doubtful.number_of(content) == 1;
        let mut found = unsettled.take(content);
        let is_by_id = found.is_none() && is_known;
        if is_by_id {
            found = doubtful.take(content);
        }
        if let Some(place) = found {
            *explained[place].entry((*content, is_by_id)).or_default() += 1;
        }
        settlement.stored.push(found.is_some());
        settlement.in_doubt.push(found.is_none() && is_doubtful);
    }
    let sessions = ended.iter().zip(explained);
    let sessions = sessions.map(|(session, explained)| SettledSession {
        has_changed: !explained.is_empty(),
        left: left(session, explained),
    });
    settlement.sessions = sessions.collect();
    settlement
}

/// How many messages of a content a session explains, and whether by batches whose acknowledgement may have been sent.
type Explained = HashMap<(Fingerprint, bool), usize>;

/// How often each content is in the batches of each session.
struct Contents(Vec<HashMap<Fingerprint, usize>>);

impl Contents {
    fn of(ended: &[EndedSession], is_meant: impl Fn(Acknowledgement) -> bool) -> Self {
        let count = |session: &EndedSession| {
            let mut counts = HashMap::new();
            for batch in session.batches.iter().filter(|batch| is_meant(batch.acknowledgement)) {
                for content in &batch.fingerprints {
                    *counts.entry(*content).or_default() += 1;
                }
            }
            counts
        };
        Self(ended.iter().map(count).collect())
    }

    fn number_of(&self, content: &Fingerprint) -> usize {
        self.0.iter().filter_map(|session| session.get(content)).sum()
    }

    /// Takes one away; returns the place of its session.
    fn take(&mut self, content: &Fingerprint) -> Option<usize> {
        let mut sessions = self.0.iter_mut().enumerate();
        sessions.find_map(|(place, session)| {
            let left = session.get_mut(content).filter(|left| **left > 0)?;
            *left -= 1;
            Some(place)
        })
    }
}

/// What remains of a session's batches without the messages that are explained.
fn left(session: &EndedSession, mut explained: Explained) -> Vec<UnsettledBatch> {
    if explained.is_empty() {
        return session.batches.clone();
    }
    let mut left = Vec::new();
    for batch in &session.batches {
        let mut fingerprints = batch.fingerprints.clone();
        let is_announced = batch.acknowledgement != Acknowledgement::Withheld;
        fingerprints.retain(|content| match explained.get_mut(&(*content, is_announced)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        if !fingerprints.is_empty() {
            left.push(UnsettledBatch { fingerprints, ..batch.clone() });
        }
    }
    left
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
