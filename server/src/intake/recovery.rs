//! What must be known before messages that came again are compared with what is stored: which other
//! sessions ended, and which live. See `dlo_domain::redelivery` for why.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::redelivery::is_certainly_redelivered;
use tokio::time::Instant;
use uuid::Uuid;

use super::buffer::Buffer;
use super::comparison::Recovery;
use super::session::{Running, SessionError};
use crate::store::batches::{self, EndedOther, Others};

/// A session that ended when these messages came is known to be over within this time.
const VERDICT_WITHIN: Duration = Duration::from_secs(2);

/// How often it is looked at meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(30);

/// What a batch is to be compared by, if some of it may be stored already, or if it may show that
/// nothing comes any more of a session that ended.
pub(super) async fn recovery_of(
    running: &mut Running<'_>,
    buffer: &Buffer,
    queue_is_empty: bool,
) -> Result<Option<Recovery>, SessionError> {
    let broker_was_away = running.memory.is_in_doubt();
    let may_clear = running.surroundings.has_open_end;
    if !(buffer.has_redelivered() || broker_was_away || may_clear) {
        return Ok(None);
    }
    let alive = await_verdicts(running, buffer).await?;
    Ok(Some(Recovery {
        surroundings: running.surroundings.clone(),
        queue_is_empty,
        alive,
        broker_was_away,
        acknowledged: running.memory.batches(Instant::now()),
    }))
}

/// Waits until each session lives or is over that may have given these messages back: the end of an
/// office shows at the broker and at Postgres, and not in the same moment. Returns the sessions that
/// were seen alive since.
async fn await_verdicts(
    running: &Running<'_>,
    buffer: &Buffer,
) -> Result<HashSet<Uuid>, SessionError> {
    let again: HashSet<Fingerprint> = buffer.redelivered().collect();
    if again.is_empty() {
        return Ok(HashSet::new());
    }
    let deadline = Instant::now() + VERDICT_WITHIN;
    let mut asked: HashMap<Uuid, i64> = HashMap::new();
    loop {
        let others = look(running).await?;
        // Once one is known to be over, others may have to be seen alive.
        for (id, last_batch) in suspects(&others, buffer, &again) {
            asked.entry(id).or_insert(last_batch);
        }
        let is_late = Instant::now() >= deadline;
        // One that stored something since is alive.
        let is_open = |id: &Uuid| {
            let living = others.living.iter().find(|one| one.session_id == *id);
            living.is_some_and(|one| !is_late && asked.get(id) == Some(&one.last_batch()))
        };
        if asked.keys().all(|id| !is_open(id)) {
            let living = others.living.iter().map(|one| one.session_id);
            return Ok(living.filter(|id| asked.contains_key(id)).collect());
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// The living sessions of which it must be known whether they live, each with its last batch: those
/// that have such messages in hand; and all, where that decides whether the one session that ended gave
/// back what it may have acknowledged.
fn suspects(others: &Others, buffer: &Buffer, again: &HashSet<Fingerprint>) -> HashMap<Uuid, i64> {
    let mut messages = buffer.incoming.iter().zip(&buffer.fingerprints);
    let mut open = others.ended.iter().filter(|one| one.left.is_open);
    let only = open.next().filter(|_| open.next().is_none());
    let is_in_doubt = |one: &&EndedOther| one.left.may_have_acknowledged();
    let decides = only.filter(is_in_doubt).is_some_and(|one| {
        let own: HashSet<Fingerprint> = one.left.contents().collect();
        messages.any(|(incoming, content)| {
            is_certainly_redelivered(&incoming.delivered) && own.contains(content)
        })
    });
    if decides {
        let all = others.living.iter();
        return all.map(|one| (one.session_id, one.last_batch())).collect();
    }
    others.living_with(again)
}

async fn look(running: &Running<'_>) -> Result<Others, SessionError> {
    let mut transaction = running.deps.pool.begin().await?;
    batches::await_commits(&mut transaction, running.session.source_id).await?;
    let cleared = &running.surroundings.cleared;
    let others = batches::others(&mut transaction, &running.session, cleared).await?;
    transaction.commit().await?;
    Ok(others)
}
