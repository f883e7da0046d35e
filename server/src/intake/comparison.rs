//! Which messages of a batch are stored already, by what ended sessions left unsettled. See
//! `dlo_domain::redelivery` for why.

use std::collections::{HashMap, HashSet};

use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::redelivery::{
    self, Acknowledged, EndedSession, Forgotten, Redelivery, SettledSession,
};
use sqlx::PgConnection;
use uuid::Uuid;

use super::buffer::Buffer;
use crate::broker::Receipt;
use crate::store::StoreError;
use crate::store::batches::{self, EndedOther, Others, Resolution, Session, Surroundings};

/// What is known beside the messages of a batch.
#[derive(Debug)]
pub(super) struct Recovery {
    /// The other sessions as this one began to consume.
    pub(super) surroundings: Surroundings,
    /// The queue was found empty behind the messages.
    pub(super) queue_is_empty: bool,
    /// What the broker says of sessions that ended.
    pub(super) receipts: HashMap<Uuid, Receipt>,
    /// The broker could not be reached: its marks of what was delivered prove nothing.
    pub(super) broker_was_away: bool,
    /// What the broker may have forgotten that it was acknowledged; nothing if it was there all the time.
    pub(super) acknowledged: Acknowledged,
}

/// Which messages of a batch are stored already, and what is left of `Recovery::acknowledged`.
#[derive(Debug, Default)]
pub(super) struct Explanation {
    pub(super) stored: Vec<bool>,
    /// Of those that are not, whether nobody can know that.
    pub(super) in_doubt: Vec<bool>,
    pub(super) left: Option<Acknowledged>,
    /// What the broker carried out of acknowledgements of ended sessions, if it was there all the time.
    pub(super) acknowledged: Vec<Fingerprint>,
    /// Sessions that ended and of which nothing comes any more.
    pub(super) cleared: Vec<Uuid>,
}

/// Compares a batch with what ended sessions left unsettled, and writes down what that says of them.
pub(super) async fn explain(
    conn: &mut PgConnection,
    session: &Session,
    buffer: &Buffer,
    recovery: Option<&Recovery>,
) -> Result<Explanation, StoreError> {
    let mut explanation = Explanation {
        stored: vec![false; buffer.incoming.len()],
        in_doubt: vec![false; buffer.incoming.len()],
        left: None,
        acknowledged: Vec::new(),
        cleared: Vec::new(),
    };
    let Some(recovery) = recovery else {
        return Ok(explanation);
    };
    let mut others = batches::others(conn, session).await?;
    let mut left = recovery.acknowledged.clone();
    let mut learned = Vec::with_capacity(others.ended.len());
    for other in &mut others.ended {
        let acknowledged = learn(other, recovery);
        learned.push(acknowledged.is_some());
        explanation.acknowledged.extend(acknowledged.into_iter().flatten());
    }
    if recovery.broker_was_away {
        // It may have forgotten these, too.
        left.extend(&std::mem::take(&mut explanation.acknowledged));
    }
    let ended: Vec<EndedSession> = others.ended.iter().map(|one| one.left.clone()).collect();
    let places = suspicious(buffer, recovery, (&ended, &left));
    let came: Vec<Redelivery> = places.iter().map(|place| buffer.redelivery(*place)).collect();
    let settlement = redelivery::settle(&ended, &came);
    let is_complete = is_complete(buffer, recovery);
    let resolutions = resolutions(&others, &learned, &settlement.sessions, recovery, is_complete);
    let cleared = resolutions.iter().filter(|one| one.is_cleared);
    explanation.cleared = cleared.map(|one| one.session_id).collect();
    batches::resolve(conn, session, &resolutions).await?;
    for (number, place) in places.into_iter().enumerate() {
        let is_unsettled = settlement.stored[number];
        let forgotten = if is_unsettled { Forgotten::No } else { left.ask(came[number]) };
        explanation.stored[place] = is_unsettled || forgotten == Forgotten::Yes;
        explanation.in_doubt[place] = forgotten == Forgotten::Perhaps
            || (settlement.in_doubt[number] && forgotten == Forgotten::No);
    }
    explanation.left = recovery.broker_was_away.then_some(left);
    tracing::debug!(
        messages = buffer.incoming.len(),
        compared = came.len(),
        ended = ended.len(),
        stored = explanation.stored.iter().filter(|one| **one).count(),
        in_doubt = explanation.in_doubt.iter().filter(|one| **one).count(),
        broker_was_away = recovery.broker_was_away,
        "messages that came again were compared with what is stored"
    );
    Ok(explanation)
}

/// Hears from the broker what became of the acknowledgement of a session. Returns what is acknowledged by that;
/// `None` if it says nothing of the batches.
fn learn(other: &mut EndedOther, recovery: &Recovery) -> Option<Vec<Fingerprint>> {
    match recovery.receipts.get(&other.session_id) {
        Some(Receipt::CarriedOut(count)) => other.left.learn(*count),
        Some(Receipt::Held | Receipt::Missing) | None => None,
    }
}

/// What the settlement says of each session that ended.
fn resolutions(
    others: &Others,
    learned: &[bool],
    settled: &[SettledSession],
    recovery: &Recovery,
    is_complete: bool,
) -> Vec<Resolution> {
    let ended = others.ended.iter().zip(learned).zip(settled);
    let resolved = ended.map(|((other, has_learned), settled)| {
        let has_changed = *has_learned || settled.has_changed;
        Resolution {
            session_id: other.session_id,
            left: has_changed.then(|| settled.left.clone()),
            is_cleared: is_complete && is_over_for_good(other, recovery),
        }
    });
    resolved.collect()
}

/// The places of the messages that may be stored: those that the broker marks; and after it was
/// away, also those whose content is unsettled or was acknowledged a short while ago.
fn suspicious(
    buffer: &Buffer,
    recovery: &Recovery,
    (ended, acknowledged): (&[EndedSession], &Acknowledged),
) -> Vec<usize> {
    let mut unmarked: HashSet<Fingerprint> = HashSet::new();
    if recovery.broker_was_away {
        unmarked.extend(ended.iter().flat_map(EndedSession::contents));
    }
    let places = 0..buffer.incoming.len();
    let is_suspicious = |place: &usize| {
        let content = &buffer.fingerprints[*place];
        buffer.incoming[*place].delivered.redelivered
            || unmarked.contains(content)
            || acknowledged.has(content)
    };
    places.filter(is_suspicious).collect()
}

/// Whether everything that was given back before has come: it stands before what was never
/// delivered, of the same priority.
fn is_complete(buffer: &Buffer, recovery: &Recovery) -> bool {
    if recovery.broker_was_away {
        return false;
    }
    let last = buffer.incoming.last().map(|incoming| &incoming.delivered);
    let is_fresh = last.is_some_and(|delivered| {
        !delivered.redelivered && delivered.properties.priority.unwrap_or_default() == 0
    });
    recovery.queue_is_empty || is_fresh
}

/// Whether the broker had given back what a session had, before the last message of the batch.
fn is_over_for_good(other: &EndedOther, recovery: &Recovery) -> bool {
    other.is_open
        && recovery.surroundings.long_over.contains(&other.session_id)
        && recovery.receipts.get(&other.session_id) != Some(&Receipt::Held)
}
