//! What must be known before messages that came again are compared with what is stored: which other
//! sessions ended, and which live. See `dlo_domain::redelivery` for why.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use dlo_domain::fingerprint::Fingerprint;
use tokio::time::Instant;
use uuid::Uuid;

use super::buffer::Buffer;
use super::comparison::Recovery;
use super::session::{Running, SessionError};
use crate::broker::{self, Receipt};
use crate::store::batches::{self, Others};

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
    let receipts = await_verdicts(running, buffer).await?;
    Ok(Some(Recovery {
        surroundings: running.surroundings.clone(),
        queue_is_empty,
        receipts,
        broker_was_away,
        acknowledged: running.memory.acknowledged().clone(),
    }))
}

/// Waits until each session lives or is over that may have given these messages back: the end of an
/// office shows at the broker and at Postgres, and not in the same moment. Returns what the broker says of those
/// that are over.
async fn await_verdicts(
    running: &Running<'_>,
    buffer: &Buffer,
) -> Result<HashMap<Uuid, Receipt>, SessionError> {
    let again: HashSet<Fingerprint> = buffer.redelivered().collect();
    let deadline = Instant::now() + VERDICT_WITHIN;
    let mut asked: HashMap<Uuid, i64> = HashMap::new();
    loop {
        let others = look(running).await?;
        let receipts = running.read_receipts(&others).await?;
        let is_late = Instant::now() >= deadline;
        let mut is_settled = is_late || !is_held(&others, &receipts, &again);
        for (id, last_batch) in others.living_with(&again) {
            // One that stored something since is alive.
            let is_alive = *asked.entry(id).or_insert(last_batch) != last_batch;
            if !is_alive && !is_late {
                is_settled = false;
                mark_over_if_gone(running, id).await?;
            }
        }
        if is_settled {
            return Ok(receipts);
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// Whether the broker has not seen the end of a session that may have acknowledged some of these contents.
fn is_held(
    others: &Others,
    receipts: &HashMap<Uuid, Receipt>,
    again: &HashSet<Fingerprint>,
) -> bool {
    let mut held = others.ended.iter().filter(|one| {
        one.left.may_have_acknowledged() && receipts.get(&one.session_id) == Some(&Receipt::Held)
    });
    held.any(|one| one.left.contents().any(|content| again.contains(&content)))
}

/// Takes a session for over whose channel is gone: what it had comes to others now.
async fn mark_over_if_gone(running: &Running<'_>, session: Uuid) -> Result<(), SessionError> {
    let receipt = broker::read_receipt(running.link, session).await?;
    if matches!(receipt, Receipt::CarriedOut(_)) {
        let mut conn = running.intake.pool.acquire().await?;
        batches::mark_over(&mut conn, &[session]).await?;
    }
    Ok(())
}

async fn look(running: &Running<'_>) -> Result<Others, SessionError> {
    let mut transaction = running.intake.pool.begin().await?;
    batches::await_commits(&mut transaction, running.session.source_id).await?;
    let others = batches::others(&mut transaction, &running.session).await?;
    transaction.commit().await?;
    Ok(others)
}
