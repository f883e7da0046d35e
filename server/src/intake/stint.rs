//! A stint: from starting to consume until a fence. Messages are read while the batch before
//! them is being committed.

use dlo_domain::redelivery::needs_fence;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::buffer::Buffer;
use super::commit::{Plan, commit};
use super::session::{Running, SessionError};
use super::window;
use crate::broker::Taken;

/// Consumes until `stop`, until copies are about, or until the window should change; then
/// fences. `fresh` is a message in hand to begin with.
pub(super) async fn run(
    running: &mut Running<'_>,
    fresh: Option<Taken>,
    careful: bool,
    stop: &CancellationToken,
) -> Result<(), SessionError> {
    let mut buffer = Buffer::default();
    if let Some(taken) = fresh {
        buffer.push(running.deps, running.source, taken);
    }
    running.inlet.consume(running.window).await?;
    let prefetch = running.deps.settings.prefetch;
    loop {
        if !fill(running, &mut buffer, stop).await? {
            return fence(running, buffer).await;
        }
        let telling = running.recent.telling(&buffer.fingerprints);
        if needs_fence(&buffer.fingerprints, &telling) {
            return fence(running, buffer).await;
        }
        let suited = window::suited_to(buffer.largest, prefetch);
        let plan = plan(running, false, telling);
        buffer = deliver(running, buffer, &plan).await?;
        if !careful && window::is_worth_changing(running.window, suited, prefetch) {
            running.window = suited;
            return fence(running, buffer).await;
        }
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

/// Fills the buffer: until it is full, or has waited long enough. False on `stop`.
async fn fill(
    running: &mut Running<'_>,
    buffer: &mut Buffer,
    stop: &CancellationToken,
) -> Result<bool, SessionError> {
    let settings = running.deps.settings;
    // What cannot come cannot be waited for.
    let most = settings.batch.min(usize::from(running.window));
    let mut due = (!buffer.is_empty()).then(|| Instant::now() + settings.linger);
    while !buffer.is_full(most) {
        let idle = due.is_none() && running.is_unsettled();
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(false),
            next = running.inlet.next() => {
                let taken = next?.ok_or(SessionError::ConsumerEnded)?;
                buffer.push(running.deps, running.source, taken);
                due.get_or_insert_with(|| Instant::now() + settings.linger);
            }
            () = wait_until(due) => return Ok(true),
            // Nothing comes: use the time to write down what is settled.
            () = tokio::time::sleep(settings.linger), if idle => running.forget_settled().await?,
        }
    }
    Ok(true)
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
    let stored = {
        let committing = commit(running.deps, &running.session, &mut buffer, plan);
        tokio::pin!(committing);
        loop {
            tokio::select! {
                biased;
                stored = &mut committing => break stored?,
                next = running.inlet.next() => match next? {
                    Some(taken) => next_buffer.push(running.deps, running.source, taken),
                    // What is committed is still acknowledged; whoever takes next is told.
                    None => break committing.await?,
                },
            }
        }
    };
    metrics::counter!("dlo_intake_letters_total").increment(u64::from(stored.new));
    metrics::counter!("dlo_intake_died_again_total").increment(u64::from(stored.again));
    running.told(plan.settled);
    running.inlet.acknowledge(last_tag, running.window).await?;
    running.settled = plan.batch;
    Ok(next_buffer)
}

/// Ends consuming, and stores and acknowledges everything in hand.
async fn fence(running: &mut Running<'_>, mut buffer: Buffer) -> Result<(), SessionError> {
    for taken in running.inlet.cancel().await? {
        buffer.push(running.deps, running.source, taken);
    }
    if !buffer.is_empty() {
        let telling = running.recent.telling(&buffer.fingerprints);
        let plan = plan(running, true, telling);
        deliver(running, buffer, &plan).await?;
    }
    running.forget_settled().await
}
