//! The beginning of a session: everything that was delivered before is fetched and settled.
//!
//! See `dlo_domain::redelivery` for why, and for why it is fetched message by message.

use std::time::Duration;

use dlo_domain::redelivery::{RecentContents, UnsettledBatch};

use super::buffer::Buffer;
use super::commit::{Plan, commit};
use super::session::{Running, SessionError};
use crate::broker::Taken;
use crate::store::batches::{self, Suspect};

/// At most this many messages are settled at once.
const MOST: usize = 2_000;

/// A careful recovery takes the queue for empty when nothing comes for so long.
const QUIET: Duration = Duration::from_millis(500);

/// What was delivered before, what was not, and whether there is no more of the former.
type Fetched = (Buffer, Option<Taken>, bool);

/// Recovers; returns the first message that was not delivered before, if there is one.
pub(super) async fn recover(
    running: &mut Running<'_>,
    careful: bool,
) -> Result<Option<Taken>, SessionError> {
    let mut suspects = load(running).await?;
    for batch in suspects.iter().flat_map(|suspect| &suspect.batches) {
        running.recent.remember(UnsettledBatch::copies(batch));
    }
    loop {
        let (buffer, fresh, complete) = if careful {
            fetch_one(running).await?
        } else {
            fetch(running).await?
        };
        let done = complete && buffer.is_empty() && suspects.is_empty();
        if !done {
            settle(running, buffer, std::mem::take(&mut suspects), complete).await?;
        }
        if complete {
            return Ok(fresh);
        }
        suspects = load(running).await?;
    }
}

async fn load(running: &Running<'_>) -> Result<Vec<Suspect>, SessionError> {
    let mut transaction = running.deps.pool.begin().await?;
    let source = running.session.source_id;
    batches::await_commits(&mut transaction, source).await?;
    let now = running.deps.clock.now();
    let suspects = batches::suspects(&mut transaction, &running.session, now).await?;
    batches::count_recovery(&mut transaction, source, &suspects).await?;
    transaction.commit().await?;
    Ok(suspects)
}

/// Fetches up to the first message that was not delivered before, or the end of the queue.
async fn fetch(running: &Running<'_>) -> Result<Fetched, SessionError> {
    let mut buffer = Buffer::default();
    while !buffer.is_full(MOST) {
        match running.inlet.get().await? {
            None => return Ok((buffer, None, true)),
            Some(fresh) if !fresh.delivered.redelivered => return Ok((buffer, Some(fresh), true)),
            Some(again) => buffer.push(running.deps, running.source, again),
        }
    }
    Ok((buffer, None, false))
}

/// Fetches one message by consuming: a consumer is told of a message that cannot be decoded,
/// where a request for one message would wait for ever.
async fn fetch_one(running: &mut Running<'_>) -> Result<Fetched, SessionError> {
    let mut buffer = Buffer::default();
    running.inlet.consume(1).await?;
    let first = match tokio::time::timeout(QUIET, running.inlet.next()).await {
        Ok(next) => next?,
        Err(_) => None,
    };
    let first = first.or(running.inlet.cancel().await?.pop_front());
    Ok(match first {
        None => (buffer, None, true),
        Some(fresh) if !fresh.delivered.redelivered => (buffer, Some(fresh), true),
        Some(again) => {
            buffer.push(running.deps, running.source, again);
            (buffer, None, false)
        }
    })
}

async fn settle(
    running: &mut Running<'_>,
    mut buffer: Buffer,
    suspects: Vec<Suspect>,
    complete: bool,
) -> Result<(), SessionError> {
    let plan = Plan {
        batch: running.next_batch(),
        // More that was delivered before may follow: then its copies prove nothing.
        fenced: complete,
        telling: telling(&mut running.recent, &buffer),
        // The message that ended the fetching is in flight beside this batch.
        recoveries: 1,
        settled: running.settled,
        recovery: Some((suspects, complete)),
    };
    commit(running.deps, &running.session, &mut buffer, &plan).await?;
    if !buffer.is_empty() {
        running
            .inlet
            .acknowledge(buffer.last_tag, running.window)
            .await?;
    }
    running.settled = plan.batch;
    running.forget_settled().await
}

fn telling(recent: &mut RecentContents, buffer: &Buffer) -> Vec<usize> {
    recent.telling(&buffer.fingerprints)
}
