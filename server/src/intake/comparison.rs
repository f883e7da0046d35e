//! Which messages of a batch are stored already, by what ended sessions left unsettled. See
//! `dlo_domain::redelivery` for why.

use std::collections::HashSet;

use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::redelivery::{
    self, AcknowledgedBatch, Acknowledgement, EndedSession, Redelivery, SettledSession,
    UnsettledBatch, is_certainly_redelivered, settle_forgotten,
};
use sqlx::PgConnection;
use uuid::Uuid;

use super::buffer::Buffer;
use crate::store::StoreError;
use crate::store::batches::{self, EndedOther, Others, Resolution, Session, Surroundings};

/// What is known beside the messages of a batch.
#[derive(Debug)]
pub(super) struct Recovery {
    /// The other sessions as this one began to consume.
    pub(super) surroundings: Surroundings,
    /// The queue was found empty behind the messages.
    pub(super) queue_is_empty: bool,
    /// Sessions of other offices that were seen alive after the messages came.
    pub(super) alive: HashSet<Uuid>,
    /// The broker could not be reached: its marks of what was delivered prove nothing.
    pub(super) broker_was_away: bool,
    /// What the broker may have forgotten that it was acknowledged.
    pub(super) acknowledged: Vec<AcknowledgedBatch>,
}

/// Which messages of a batch are stored already, and what is left of `Recovery::acknowledged`.
#[derive(Debug, Default)]
pub(super) struct Explanation {
    pub(super) stored: Vec<bool>,
    /// Of those that are not, whether nobody can know that.
    pub(super) in_doubt: Vec<bool>,
    pub(super) left: Option<Vec<AcknowledgedBatch>>,
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
    };
    let Some(recovery) = recovery else {
        return Ok(explanation);
    };
    let others = batches::others(conn, session, &recovery.surroundings.cleared).await?;
    let ended: Vec<EndedSession> = others.ended.iter().map(|one| one.left.clone()).collect();
    let forgotten = settle_forgotten(&recovery.acknowledged, &buffer.fingerprints);
    let acknowledged = recovery.acknowledged.iter();
    let acknowledged: HashSet<Fingerprint> =
        acknowledged.flat_map(|batch| batch.fingerprints.iter().copied()).collect();
    let mut places = suspicious(buffer, recovery, &ended, &acknowledged);
    places.retain(|place| !forgotten.stored[*place]);
    let came: Vec<Redelivery> = places
        .iter()
        .map(|place| Redelivery {
            content: buffer.fingerprints[*place],
            is_certain: !recovery.broker_was_away
                && is_certainly_redelivered(&buffer.incoming[*place].delivered),
        })
        .collect();
    let mut living = others.living.iter();
    let others_live = living.all(|one| recovery.alive.contains(&one.session_id));
    let settlement = redelivery::settle(&ended, &came, others_live);
    let is_complete = is_complete(buffer, recovery);
    let resolutions = resolutions(&others, &settlement.sessions, recovery, is_complete);
    batches::resolve(conn, session, &resolutions).await?;
    tracing::debug!(
        messages = buffer.incoming.len(),
        compared = came.len(),
        ended = ended.len(),
        in_doubt = settlement.in_doubt.iter().filter(|one| **one).count(),
        unsettled = settlement.stored.iter().filter(|one| **one).count(),
        forgotten = forgotten.stored.iter().filter(|one| **one).count(),
        broker_was_away = recovery.broker_was_away,
        "messages that came again were compared with what is stored"
    );
    if forgotten.stored.contains(&true) {
        explanation.left = Some(forgotten.left);
        explanation.stored = forgotten.stored;
    }
    for (number, place) in places.into_iter().enumerate() {
        let is_unsettled = settlement.stored[number];
        let may_be_acknowledged = acknowledged.contains(&buffer.fingerprints[place]);
        explanation.stored[place] |= is_unsettled;
        explanation.in_doubt[place] =
            !is_unsettled && (settlement.in_doubt[number] || may_be_acknowledged);
    }
    Ok(explanation)
}

/// What the settlement says of each session that ended.
fn resolutions(
    others: &Others,
    settled: &[SettledSession],
    recovery: &Recovery,
    is_complete: bool,
) -> Vec<Resolution> {
    let is_alone = others.living.is_empty();
    let ended = others.ended.iter().zip(settled);
    let resolved = ended.map(|(other, settled)| {
        let is_cleared = is_complete && is_over_for_good(other, recovery);
        Resolution {
            session_id: other.session_id,
            left: left(settled, recovery, is_cleared, is_alone),
            is_cleared: is_cleared && other.left.is_open,
        }
    });
    resolved.collect()
}

/// The places of the messages that may be stored: those that the broker marks; and after it was
/// away, also those whose content is unsettled or was acknowledged a short while ago.
fn suspicious(
    buffer: &Buffer,
    recovery: &Recovery,
    ended: &[EndedSession],
    acknowledged: &HashSet<Fingerprint>,
) -> Vec<usize> {
    let mut unmarked: HashSet<Fingerprint> = HashSet::new();
    if recovery.broker_was_away {
        unmarked.extend(ended.iter().flat_map(EndedSession::contents));
        unmarked.extend(acknowledged);
    }
    let places = 0..buffer.incoming.len();
    let is_suspicious = |place: &usize| {
        buffer.incoming[*place].delivered.redelivered
            || unmarked.contains(&buffer.fingerprints[*place])
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
    !other.left.is_open || recovery.surroundings.long_over.contains(&other.session_id)
}

/// What is unsettled of a session after a settlement, if that changed.
fn left(
    settled: &SettledSession,
    recovery: &Recovery,
    is_cleared: bool,
    is_alone: bool,
) -> Option<Vec<UnsettledBatch>> {
    let mut batches = settled.left.iter();
    let is_in_doubt = batches.any(|batch| batch.acknowledgement != Acknowledgement::Withheld);
    // Without another office nobody has anything of it in hand.
    if is_cleared && (is_alone || is_in_doubt) {
        return Some(Vec::new());
    }
    if recovery.broker_was_away && is_in_doubt {
        // What the broker forgot may explain its messages, and they are not explained twice.
        let unfenced = settled.left.iter().map(|batch| UnsettledBatch {
            acknowledgement: Acknowledgement::Unfenced,
            ..batch.clone()
        });
        return Some(unfenced.collect());
    }
    settled.has_changed.then(|| settled.left.clone())
}
