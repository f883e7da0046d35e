//! Everything that was delivered before is fetched and settled: at the beginning of a session,
//! and whenever a session of somebody else ended and its messages come here.
//!
//! See `dlo_domain::redelivery` for why, and for why it is fetched message by message.

use std::collections::HashSet;
use std::time::Duration;

use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::redelivery::UnsettledBatch;
use tokio::time::Instant;
use uuid::Uuid;

use super::buffer::Buffer;
use super::commit::{Plan, Recovery, commit, unsettled};
use super::memory;
use super::session::{Running, SessionError};
use crate::broker::Taken;
use crate::store::batches::{self, Others, Suspect};

/// At most this many messages are settled at once.
const MOST: usize = 2_000;

/// One by one, the queue is asked after this time whether it is empty.
const QUIET: Duration = Duration::from_millis(500);

/// How long a session may seem to live that gave its messages back.
const VERDICT_WITHIN: Duration = Duration::from_secs(5);

/// How often it is looked at meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Settles what was delivered before: what of it is in `buffer` and what the queue holds. Nothing
/// may be consumed meanwhile. Returns the first message that was not delivered before, if there
/// is one.
pub(super) async fn recover(
    running: &mut Running<'_>,
    mut buffer: Buffer,
) -> Result<Option<Taken>, SessionError> {
    loop {
        await_verdicts(running, &buffer).await?;
        let suspects = begin(running).await?;
        let acknowledged = running.memory.batches(Instant::now());
        let broker_was_away = running.memory.is_in_doubt();
        let mut unmarked = HashSet::new();
        if broker_was_away {
            unmarked = memory::contents(&acknowledged);
            for suspect in &suspects {
                unmarked.extend(memory::contents(&suspect.batches));
            }
        }
        let (fresh, complete) = fetch(running, &mut buffer, &unmarked).await?;
        await_verdicts(running, &buffer).await?;
        if !(buffer.is_empty() && suspects.is_empty()) {
            let recovery = Recovery {
                known: suspects.iter().map(|suspect| suspect.session_id).collect(),
                complete,
                broker_was_away,
                acknowledged,
                unmarked,
            };
            settle(
                running,
                std::mem::take(&mut buffer),
                recovery,
                fresh.as_ref(),
            )
            .await?;
        }
        if complete {
            return Ok(fresh);
        }
    }
}

/// Settles what is in hand of a queue that must not be left: what else was delivered before may
/// still come.
pub(super) async fn settle_in_hand(
    running: &mut Running<'_>,
    buffer: Buffer,
) -> Result<(), SessionError> {
    await_verdicts(running, &buffer).await?;
    let recovery = Recovery {
        known: Vec::new(),
        complete: false,
        broker_was_away: false,
        acknowledged: Vec::new(),
        unmarked: HashSet::new(),
    };
    settle(running, buffer, recovery, None).await
}

/// Counts the recovery on every batch that it may have to settle; returns them.
async fn begin(running: &mut Running<'_>) -> Result<Vec<Suspect>, SessionError> {
    let mut transaction = running.deps.pool.begin().await?;
    let source = running.session.source_id;
    batches::await_commits(&mut transaction, source).await?;
    batches::end_own(&mut transaction, &running.session).await?;
    let now = running.deps.clock.now();
    let Others { over, .. } = batches::others(&mut transaction, &running.session, now).await?;
    batches::count_recovery(&mut transaction, source, &over).await?;
    transaction.commit().await?;
    for batch in over.iter().flat_map(|suspect| &suspect.batches) {
        running.recent.remember(UnsettledBatch::copies(batch));
    }
    Ok(over)
}

/// Fetches up to the first message that was not delivered before, or the end of the queue. Says
/// whether that was reached. What is `unmarked` may have been delivered before, too.
async fn fetch(
    running: &mut Running<'_>,
    buffer: &mut Buffer,
    unmarked: &HashSet<Fingerprint>,
) -> Result<(Option<Taken>, bool), SessionError> {
    let is_new = |taken: &Taken| {
        !taken.delivered.redelivered && !unmarked.contains(&Fingerprint::of(&taken.delivered))
    };
    while !buffer.is_full(MOST) && !running.care.is_enough() {
        let next = if running.care.is_needed() {
            if !running.lasting.can_be_left() {
                return Ok((None, true));
            }
            fetch_one(running).await?
        } else {
            running.inlet.get().await?
        };
        match next {
            None => return Ok((None, true)),
            Some(fresh) if is_new(&fresh) => return Ok((Some(fresh), true)),
            Some(again) => buffer.push(running.deps, running.source, again),
        }
        running.care.fetched();
    }
    Ok((None, false))
}

/// Fetches one message by consuming: a consumer is told of a message that cannot be decoded,
/// where a request for one message would wait for ever.
async fn fetch_one(running: &mut Running<'_>) -> Result<Option<Taken>, SessionError> {
    running.inlet.consume(1).await?;
    let first = match tokio::time::timeout(QUIET, running.inlet.next()).await {
        Ok(next) => next?,
        Err(_) => None,
    };
    // What the broker had to deliver has come before it says that the consumer is gone.
    let rest = running.inlet.cancel().await?.pop_front();
    Ok(first.or(rest))
}

/// Waits until every session lives or is over that may have given these messages back: the death
/// of an office shows at the broker and at Postgres, and not in the same moment.
async fn await_verdicts(running: &Running<'_>, buffer: &Buffer) -> Result<(), SessionError> {
    let deadline = Instant::now() + VERDICT_WITHIN;
    let again: HashSet<_> = buffer.redelivered().collect();
    let mut open: Option<HashSet<(Uuid, i64)>> = None;
    while !again.is_empty() {
        let mut transaction = running.deps.pool.begin().await?;
        batches::await_commits(&mut transaction, running.session.source_id).await?;
        let now = running.deps.clock.now();
        let others = batches::others(&mut transaction, &running.session, now).await?;
        transaction.commit().await?;
        let batches = others.living.iter().flat_map(Suspect::named);
        let touched: HashSet<_> = batches
            .filter(|(_, batch)| batch.fingerprints.iter().any(|one| again.contains(one)))
            .map(|(name, _)| name)
            .collect();
        // Batches that were committed later are not what was given back before.
        let open = open.get_or_insert_with(|| touched.clone());
        open.retain(|name| touched.contains(name));
        if open.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            tracing::warn!(queue = %running.source.queue, "messages came again that a living office seems to hold; they are taken for new");
            return Ok(());
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    Ok(())
}

async fn settle(
    running: &mut Running<'_>,
    mut buffer: Buffer,
    recovery: Recovery,
    fresh: Option<&Taken>,
) -> Result<(), SessionError> {
    // The message that ended the fetching is in flight beside this batch.
    let beside = fresh.map(|taken| Fingerprint::of(&taken.delivered));
    let is_blurred = beside.is_some_and(|content| buffer.fingerprints.contains(&content));
    let complete = recovery.complete;
    let plan = Plan {
        batch: running.next_batch(),
        // More that was delivered before may follow: then its copies prove nothing.
        fenced: complete,
        telling: running.recent.telling(&buffer.fingerprints),
        recoveries: i32::from(is_blurred),
        settled: running.settled,
        recovery: Some(recovery),
    };
    let done = commit(
        (running.deps, running.source),
        &running.session,
        &mut buffer,
        &plan,
    )
    .await?;
    running.count(done.stored);
    running.note_undecodable(&buffer).await;
    if !buffer.is_empty() {
        running
            .inlet
            .acknowledge(buffer.last_tag, running.window)
            .await?;
    }
    if let Some(left) = done.left {
        running.memory.replace(left);
    }
    running.memory.push(unsettled(&buffer, &plan));
    running.care.settled();
    running.settled = plan.batch;
    running.forget_settled().await
}
