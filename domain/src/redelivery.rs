//! Tells redeliveries from new messages, so that nothing is lost, and nothing is stored twice where
//! that can be known.
//!
//! A broker has no ids for messages, and a message that was delivered and not acknowledged comes
//! again when the session that had it ends. What comes again may be stored already (the session
//! ended after the commit and before the acknowledgement) or not, and a thousand messages may be
//! byte for byte the same.
//!
//! Every batch is written down as *unsettled* in the transaction that stores it. Two rules make
//! these batches proofs:
//!
//! - **The acknowledgement is withheld.** A session acknowledges nothing while it consumes. At the
//!   end of its window it *fences*: it stops consuming, stores everything in flight, writes down
//!   that it acknowledges now, acknowledges, writes down that the batches are settled, and only then
//!   consumes again. So of a session that ended before it wrote that down nothing is acknowledged:
//!   everything that it stored comes again, to whomever.
//! - **Each unsettled message explains one redelivery.** Of every content, as many messages are
//!   unsettled in ended sessions as are stored and not acknowledged, or fewer. So a message may be
//!   taken for one of them whichever it is and wherever it comes from, and the count is right in the
//!   end: a mark, an order or a majority proves nothing and is not asked.
//!
//! What is left is a session that ended between the two notes of its fence: its batches are all
//! acknowledged or none is. Nothing else of it was in flight then. So when no other session ended whose
//! messages may still come, a message of one of its contents that was certainly delivered before (see
//! `mark`) can only be its own, and shows that none is. Otherwise it is in doubt, and what is in doubt is taken
//! for new: a second copy can be seen and discarded, a lost one not.
//!
//! A broker that was killed forgets acknowledgements that it answered for; see `forgotten`.

mod forgotten;
mod mark;
mod recent;

use std::collections::{HashMap, HashSet};

use crate::fingerprint::Fingerprint;

pub use forgotten::{AcknowledgedBatch, ForgottenSettlement, settle_forgotten};
pub use mark::is_certainly_redelivered;
pub use recent::RecentContents;

/// The note on a letter that was stored because nobody can know whether it is stored already.
pub const MAY_BE_STORED_TWICE: &str = "This message may be stored twice: the broker gave it back after an office or \
     the broker itself had ended, and nothing tells whether it was stored before. Look for a letter with the same \
     body before you replay it.";

/// How far the acknowledgement of a batch is, as far as it is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acknowledgement {
    /// It was not sent.
    Withheld,
    /// It may have been sent; nothing else of the session was in flight.
    Fenced,
    /// It may have been sent while other messages of the session were in flight.
    Unfenced,
}

/// A batch that was committed and is not known to be acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsettledBatch {
    /// Orders the batches of one session.
    pub batch: i64,
    /// How far its acknowledgement is. One that may have been sent holds for all batches of the session.
    pub acknowledgement: Acknowledgement,
    /// Its messages in the order of delivery.
    pub fingerprints: Vec<Fingerprint>,
}

/// A session that ended, and what it left unsettled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndedSession {
    /// Its batches in the order of their commits.
    pub batches: Vec<UnsettledBatch>,
    /// What it had in flight may still come.
    pub is_open: bool,
}

/// A message that may have been delivered before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redelivery {
    /// Its content.
    pub content: Fingerprint,
    /// It was certainly delivered before, to a session that had it.
    pub is_certain: bool,
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

impl Acknowledgement {
    /// As it is written down.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Withheld => "withheld",
            Self::Fenced => "fenced",
            Self::Unfenced => "unfenced",
        }
    }

    /// Reads what `as_str` wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::Withheld, Self::Fenced, Self::Unfenced];
        all.into_iter().find(|one| one.as_str() == text)
    }
}

impl EndedSession {
    /// Whether it may have acknowledged what it left unsettled.
    #[must_use]
    pub fn may_have_acknowledged(&self) -> bool {
        self.acknowledgement() != Acknowledgement::Withheld
    }

    /// How far the acknowledgement of the session is.
    fn acknowledgement(&self) -> Acknowledgement {
        let of_batches = self.batches.iter().map(|batch| batch.acknowledgement);
        let furthest = of_batches.max_by_key(|one| match one {
            Acknowledgement::Withheld => 0,
            Acknowledgement::Fenced => 1,
            Acknowledgement::Unfenced => 2,
        });
        furthest.unwrap_or(Acknowledgement::Withheld)
    }

    /// The contents of everything that it left unsettled.
    pub fn contents(&self) -> impl Iterator<Item = Fingerprint> {
        self.batches.iter().flat_map(|batch| batch.fingerprints.iter().copied())
    }
}

/// Compares what came with what ended sessions left unsettled. `others_live` says that every other
/// session that is not over was seen alive after these messages came.
#[must_use]
pub fn settle(ended: &[EndedSession], came: &[Redelivery], others_live: bool) -> Settlement {
    let returned = returned(ended, came, others_live);
    let explains = |place: usize| !ended[place].may_have_acknowledged() || returned == Some(place);
    let mut unsettled: Vec<HashMap<Fingerprint, usize>> = vec![HashMap::new(); ended.len()];
    let mut doubtful: HashSet<Fingerprint> = HashSet::new();
    for (place, session) in ended.iter().enumerate() {
        if !explains(place) {
            doubtful.extend(session.contents());
            continue;
        }
        for content in session.contents() {
            *unsettled[place].entry(content).or_default() += 1;
        }
    }
    // A recent session explains a redelivery more likely than one that ended long ago.
    let mut order: Vec<usize> = (0..ended.len()).collect();
    order.sort_by_key(|place| !ended[*place].is_open);
    let mut explained: Vec<HashMap<Fingerprint, usize>> = vec![HashMap::new(); ended.len()];
    let mut settlement = Settlement::default();
    for Redelivery { content, .. } in came {
        let has_left =
            |place: &&usize| unsettled[**place].get(content).is_some_and(|left| *left > 0);
        let found = order.iter().find(has_left);
        if let Some(place) = found {
            *unsettled[*place].entry(*content).or_default() -= 1;
            *explained[*place].entry(*content).or_default() += 1;
        }
        settlement.stored.push(found.is_some());
        settlement.in_doubt.push(found.is_none() && doubtful.contains(content));
    }
    let sessions = ended.iter().zip(explained);
    let sessions = sessions.map(|(session, explained)| SettledSession {
        has_changed: !explained.is_empty(),
        left: left(session, explained),
    });
    settlement.sessions = sessions.collect();
    settlement
}

/// The session that has given back what it had, though it may have acknowledged it, if that is certain: no
/// other can have given back one of these messages.
fn returned(ended: &[EndedSession], came: &[Redelivery], others_live: bool) -> Option<usize> {
    let mut open = (0..ended.len()).filter(|place| ended[*place].is_open);
    let (Some(only), None, true) = (open.next(), open.next(), others_live) else {
        return None;
    };
    if ended[only].acknowledgement() != Acknowledgement::Fenced {
        return None;
    }
    let closed = ended.iter().filter(|session| !session.is_open);
    let elsewhere: HashSet<Fingerprint> = closed.flat_map(EndedSession::contents).collect();
    let own: HashSet<Fingerprint> = ended[only].contents().collect();
    let is_its_own = |message: &Redelivery| {
        let content = &message.content;
        message.is_certain && own.contains(content) && !elsewhere.contains(content)
    };
    came.iter().any(is_its_own).then_some(only)
}

/// What remains of a session's batches without the messages that are explained.
fn left(session: &EndedSession, mut explained: HashMap<Fingerprint, usize>) -> Vec<UnsettledBatch> {
    if explained.is_empty() {
        return session.batches.clone();
    }
    let mut left = Vec::new();
    for batch in &session.batches {
        let mut fingerprints = batch.fingerprints.clone();
        fingerprints.retain(|content| match explained.get_mut(content) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        if !fingerprints.is_empty() {
            left.push(UnsettledBatch {
                batch: batch.batch,
                // One of the session came again, so none is acknowledged.
                acknowledgement: Acknowledgement::Withheld,
                fingerprints,
            });
        }
    }
    left
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
