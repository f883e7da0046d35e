//! A stint: from starting to consume until a fence. Messages are read while the batch before
//! them is being committed.

use std::time::Duration;

use dlo_domain::redelivery::needs_fence;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::buffer::Buffer;
use super::commit::{Plan, commit, unsettled};
use super::lasting::Lasting;
use super::session::{Running, SessionError};
use super::{recovery, window};
use crate::broker::Taken;
use crate::store::batches;

/// How often it is looked whether another session ended.
const LOOK_AROUND: Duration = Duration::from_secs(2);

/// After so many messages, taken one by one, a message that cannot be decoded is not expected any
/// more. If it comes all the same, it is a few messages nearer.
const CALM_AFTER: usize = 32;

/// How long what is in a queue that goes with us is taken at the end.
const LAST_STINT: Duration = Duration::from_secs(5);

/// Why a buffer is not filled further.
#[derive(Debug, PartialEq, Eq)]
enum Filled {
    /// It is a batch.
    Batch,
    /// A session ended, here or in another office: messages that it had come again.
    Again,
    /// It is known by now that the queue stays.
    Known,
    /// The office stops.
    Stop,
}

/// Consumes until `stop`, until copies are about, until messages come again, or until the window
/// should change; then fences. `fresh` is a message in hand to begin with; so is what is returned.
pub(super) async fn run(
    running: &mut Running<'_>,
    fresh: Option<Taken>,
    stop: &CancellationToken,
) -> Result<Option<Taken>, SessionError> {
    let mut buffer = Buffer::default();
    if let Some(taken) = fresh {
        buffer.push(running.deps, running.source, taken);
    }
    running.inlet.consume(running.window).await?;
    let prefetch = running.deps.settings.prefetch;
    let mut taken = 0;
    let mut around = Around::default();
    loop {
        let filled = fill(running, &mut buffer, &mut around, stop).await?;
        if !running.lasting.can_be_left() {
            if filled == Filled::Stop {
                return last_stint(running, buffer).await;
            }
            buffer = deliver_unfenced(running, buffer, filled).await?;
            continue;
        }
        if filled != Filled::Batch {
            return fence(running, buffer, around.must_settle).await;
        }
        let telling = running.recent.telling(&buffer.fingerprints);
        if needs_fence(&buffer.fingerprints, &telling) {
            return fence(running, buffer, false).await;
        }
        let suited = window::suited_to(buffer.largest, prefetch);
        let plan = plan(running, false, telling);
        taken += buffer.incoming.len();
        buffer = deliver(running, buffer, &plan).await?;
        if running.care.is_needed() {
            if taken >= CALM_AFTER {
                running.care.relax();
                running.window = window::FIRST.min(prefetch);
                return fence(running, buffer, false).await;
            }
        } else if window::is_worth_changing(running.window, suited, prefetch) {
            running.window = suited;
            return fence(running, buffer, false).await;
        }
    }
}

/// Stores a batch of a queue that must not be left.
async fn deliver_unfenced(
    running: &mut Running<'_>,
    buffer: Buffer,
    filled: Filled,
) -> Result<Buffer, SessionError> {
    if filled == Filled::Again && buffer.has_redelivered() {
        recovery::settle_in_hand(running, buffer).await?;
        return Ok(Buffer::default());
    }
    if buffer.is_empty() {
        return Ok(buffer);
    }
    let telling = running.recent.telling(&buffer.fingerprints);
    let plan = plan(running, false, telling);
    deliver(running, buffer, &plan).await
}

/// Takes what there still is before the last consumer goes and the queue with it.
async fn last_stint(
    running: &mut Running<'_>,
    mut buffer: Buffer,
) -> Result<Option<Taken>, SessionError> {
    let deadline = Instant::now() + LAST_STINT;
    while running.lasting == Lasting::Goes && Instant::now() < deadline {
        let linger = running.deps.settings.linger;
        let Ok(next) = tokio::time::timeout(linger, running.inlet.next()).await else {
            if buffer.is_empty() {
                break;
            }
            buffer = deliver_unfenced(running, buffer, Filled::Batch).await?;
            continue;
        };
        let taken = next?.ok_or(SessionError::ConsumerEnded)?;
        buffer.push(running.deps, running.source, taken);
        if buffer.is_full(usize::from(running.window)) {
            buffer = deliver_unfenced(running, buffer, Filled::Batch).await?;
        }
    }
    fence(running, buffer, false).await
}

/// What happens around this session.
#[derive(Debug)]
struct Around {
    next_look: Instant,
    /// At the last look another session was over and not settled.
    has_ended: bool,
    /// It was so twice: its messages had the time to come here, and must be settled.
    must_settle: bool,
}

impl Default for Around {
    fn default() -> Self {
        Self {
            next_look: Instant::now() + LOOK_AROUND,
            has_ended: false,
            must_settle: false,
        }
    }
}

impl Around {
    /// Looks; says whether the stint must end.
    async fn look(&mut self, running: &mut Running<'_>) -> Result<Option<Filled>, SessionError> {
        self.next_look = Instant::now() + LOOK_AROUND;
        if running.lasting == Lasting::Unknown {
            running.lasting = Lasting::ask(running.deps, running.source).await;
            if running.lasting != Lasting::Unknown {
                return Ok(Some(Filled::Known));
            }
        }
        if running.memory.is_in_doubt() {
            // What the broker had comes by itself, if it does.
            return Ok(None);
        }
        let mut conn = running.deps.pool.acquire().await?;
        let has_ended = batches::has_ended(&mut conn, &running.session).await?;
        self.must_settle = has_ended && self.has_ended;
        self.has_ended = has_ended;
        Ok(self.must_settle.then_some(Filled::Again))
    }
}

fn plan(running: &mut Running<'_>, fenced: bool, telling: Vec<usize>) -> Plan {
    Plan {
        batch: running.next_batch(),
        fenced,
        telling,
        recoveries: 0,
        settled: running.settled,
        recovery: None,
    }
}

/// Fills the buffer: until it is full, or has waited long enough.
async fn fill(
    running: &mut Running<'_>,
    buffer: &mut Buffer,
    around: &mut Around,
    stop: &CancellationToken,
) -> Result<Filled, SessionError> {
    let settings = running.deps.settings;
    // What cannot come cannot be waited for.
    let most = settings.batch.min(usize::from(running.window));
    let mut due = (!buffer.is_empty()).then(|| Instant::now() + settings.linger);
    loop {
        if buffer.has_redelivered() {
            return Ok(Filled::Again);
        }
        if buffer.is_full(most) {
            return Ok(Filled::Batch);
        }
        let idle = due.is_none() && running.is_unsettled();
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(Filled::Stop),
            () = tokio::time::sleep_until(around.next_look) => {
                if let Some(filled) = around.look(running).await? {
                    return Ok(filled);
                }
            }
            next = running.inlet.next() => {
                let taken = next?.ok_or(SessionError::ConsumerEnded)?;
                buffer.push(running.deps, running.source, taken);
                due.get_or_insert_with(|| Instant::now() + settings.linger);
            }
            () = wait_until(due) => return Ok(Filled::Batch),
            // Nothing comes: use the time to write down what is settled.
            () = tokio::time::sleep(settings.linger), if idle => running.forget_settled().await?,
        }
    }
}

async fn wait_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// Commits a batch and acknowledges it; meanwhile reads what comes, which is returned.
async fn deliver(
    running: &mut Running<'_>,
    mut buffer: Buffer,
    plan: &Plan,
) -> Result<Buffer, SessionError> {
    let mut next_buffer = Buffer::default();
    let last_tag = buffer.last_tag;
    let done = {
        let committing = commit(
            (running.deps, running.source),
            &running.session,
            &mut buffer,
            plan,
        );
        tokio::pin!(committing);
        loop {
            tokio::select! {
                biased;
                done = &mut committing => break done?,
                next = running.inlet.next() => match next? {
                    Some(taken) => next_buffer.push(running.deps, running.source, taken),
                    // What is committed is still acknowledged; whoever takes next is told.
                    None => break committing.await?,
                },
            }
        }
    };
    running.count(done.stored);
    running.note_undecodable(&buffer).await;
    running.told(plan.settled);
    running.inlet.acknowledge(last_tag, running.window).await?;
    running.settled = plan.batch;
    running.memory.push(unsettled(&buffer, plan));
    Ok(next_buffer)
}

/// Ends consuming, and stores and acknowledges everything in hand. What was delivered before is
/// settled, and so is what the queue holds of it.
async fn fence(
    running: &mut Running<'_>,
    mut buffer: Buffer,
    must_settle: bool,
) -> Result<Option<Taken>, SessionError> {
    for taken in running.inlet.cancel().await? {
        buffer.push(running.deps, running.source, taken);
    }
    if must_settle || buffer.has_redelivered() {
        return recovery::recover(running, buffer).await;
    }
    if !buffer.is_empty() {
        let telling = running.recent.telling(&buffer.fingerprints);
        let plan = plan(running, true, telling);
        deliver(running, buffer, &plan).await?;
    }
    running.forget_settled().await?;
    Ok(None)
}
