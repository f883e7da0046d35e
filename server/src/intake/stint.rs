//! A stint: from starting to consume until a fence. Messages are read while the batch before
//! them is being committed; they are acknowledged once half of the window is stored, where the broker counts that, and
//! else at the fence, all at once.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::buffer::Buffer;
use super::commit::{Plan, commit};
use super::queue_lifetime::QueueLifetime;
use super::recovery::recovery_of;
use super::session::{Running, SessionError};
use super::strays::Quiet;
use super::window;
use crate::store::batches;

/// How often it is looked whether another session ended.
const LOOK_AROUND: Duration = Duration::from_secs(2);

/// How long a receipt is in hand at most while nothing comes.
const RENEW_AFTER: Duration = Duration::from_mins(5);

/// Why a buffer is not filled further.
#[derive(Debug, PartialEq, Eq)]
enum Filled {
    /// It is a batch, and more can come.
    Batch,
    /// Nothing more came for a while, or can come before something is acknowledged.
    Pause,
    /// A session ended, and nothing came here that would show what became of it.
    Ended,
    /// It is known by now whether the queue outlives its consumers.
    Known,
    /// The office stops.
    Stop,
}

/// What is looked at while a stint lasts.
struct Looks {
    next: Instant,
    quiet: Quiet,
}

/// Begins to take: from here on the broker gives what the queue has.
pub(super) async fn begin(running: &mut Running<'_>) -> Result<(), SessionError> {
    running.write_down().await?;
    running.look_around().await?;
    if running.lifetime.bears_consumers() {
        running.inlet.consume(running.window, running.limit.kind).await?;
    } else {
        running.inlet.fetch(running.window).await?;
    }
    Ok(())
}

/// Takes until the window is full, until nothing more comes, or until `stop`; then fences.
pub(super) async fn run(
    running: &mut Running<'_>,
    stop: &CancellationToken,
) -> Result<(), SessionError> {
    let mut buffer = Buffer::default();
    let mut looks = Looks { next: Instant::now() + LOOK_AROUND, quiet: Quiet::default() };
    loop {
        if running.may_take().is_err() {
            return fence(running, buffer, false).await;
        }
        let filled = fill(running, &mut buffer, &mut looks, stop).await?;
        // Before these are acknowledged, which would bring the next one.
        if running.may_take().is_err() {
            return fence(running, buffer, false).await;
        }
        if filled == Filled::Batch && !is_too_large(running, &buffer) {
            buffer = deliver(running, buffer, false).await?;
        } else {
            return fence(running, buffer, filled == Filled::Ended).await;
        }
    }
}

/// Whether the bodies are larger than the window was made for: then no more are to come beside them.
fn is_too_large(running: &Running<'_>, buffer: &Buffer) -> bool {
    let largest = window::expected(running.largest, buffer.largest);
    let next = window::next(running.window, largest, running.prefetch());
    next.is_some_and(|next| next < running.window)
}

/// Looks at what happens around this session; says whether the stint must end.
async fn look(running: &mut Running<'_>) -> Result<Option<Filled>, SessionError> {
    running.inlet.renew_receipt(RENEW_AFTER).await?;
    if running.lifetime == QueueLifetime::Unknown {
        running.lifetime = QueueLifetime::ask(running.intake, running.source).await;
        if running.lifetime != QueueLifetime::Unknown {
            return Ok(Some(Filled::Known));
        }
    }
    if running.memory.is_in_doubt() {
        // What the broker had comes by itself, if it does.
        return Ok(None);
    }
    let mut conn = running.intake.pool.acquire().await?;
    let has_ended = batches::has_ended(&mut conn, &running.session).await?;
    Ok(has_ended.then_some(Filled::Ended))
}

/// Fills the buffer: until it is full, or has waited long enough.
async fn fill(
    running: &mut Running<'_>,
    buffer: &mut Buffer,
    looks: &mut Looks,
    stop: &CancellationToken,
) -> Result<Filled, SessionError> {
    let settings = running.intake.settings;
    let most = settings.batch.min(window::half(running.window));
    let mut due =
        (!buffer.is_empty() || running.has_unsettled()).then(|| Instant::now() + settings.linger);
    loop {
        // What cannot come cannot be waited for.
        let room = usize::from(running.window).saturating_sub(running.unacknowledged);
        if buffer.len() >= room {
            return Ok(Filled::Pause);
        }
        if buffer.is_full(most) {
            return Ok(Filled::Batch);
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(Filled::Stop),
            () = tokio::time::sleep_until(looks.next) => {
                looks.next = Instant::now() + LOOK_AROUND;
                let has_some = !buffer.is_empty() || running.unacknowledged > 0;
                looks.quiet.look(running, has_some).await?;
                if let Some(filled) = look(running).await? {
                    return Ok(filled);
                }
            }
            next = running.inlet.next() => {
                let taken = next?.ok_or(SessionError::ConsumerEnded)?;
                buffer.push(running.intake, running.source, taken);
                due.get_or_insert_with(|| Instant::now() + settings.linger);
            }
            () = wait_until(due) => return Ok(Filled::Pause),
        }
    }
}

async fn wait_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// Commits a batch, and acknowledges what is stored where half of the window is; meanwhile reads what comes, which is
/// returned.
async fn deliver(
    running: &mut Running<'_>,
    mut buffer: Buffer,
    queue_is_empty: bool,
) -> Result<Buffer, SessionError> {
    let recovery = recovery_of(running, &buffer, queue_is_empty).await?;
    let largest = window::expected(running.largest, buffer.largest);
    let announcement = if running.acknowledges_with(buffer.len(), largest) {
        Some(running.next_announcement().await?)
    } else {
        None
    };
    let batch = running.next_batch();
    let plan = Plan { batch, recovery, answered: running.answered, announcement };
    let mut next_buffer = Buffer::default();
    let done = {
        let place = (running.intake, running.source);
        let mut committing = Box::pin(commit(place, &running.session, &mut buffer, &plan));
        loop {
            tokio::select! {
                biased;
                done = &mut committing => break done?,
                next = running.inlet.next(), if running.inlet.is_taking() => match next? {
                    Some(taken) => next_buffer.push(running.intake, running.source, taken),
                    // What is committed is still acknowledged; whoever takes next is told.
                    None => break committing.await?,
                },
            }
        }
    };
    running.remember_acknowledged();
    let (messages, undecodable) = (buffer.len(), buffer.undecodable());
    running.count(done.stored, &buffer);
    // The next message may come as soon as this is acknowledged.
    buffer.let_messages_go();
    running.note_undecodable(undecodable).await;
    running.delete_receipts(&done.cleared).await;
    if !done.cleared.is_empty() {
        running.look_around_soon();
    }
    if let Some(left) = done.left {
        running.memory.replace(left);
    }
    running.memory.push(done.acknowledged);
    running.unacknowledged += messages;
    running.last_tag = running.last_tag.max(buffer.last_tag);
    running.largest = largest;
    running.stored.push(buffer.fingerprints);
    if let Some(announced) = plan.announcement {
        running.acknowledge(announced).await?;
    }
    Ok(next_buffer)
}

/// Ends consuming, and stores and acknowledges everything in hand.
async fn fence(
    running: &mut Running<'_>,
    mut buffer: Buffer,
    must_look_behind: bool,
) -> Result<(), SessionError> {
    for taken in running.inlet.cancel().await? {
        buffer.push(running.intake, running.source, taken);
    }
    let mut queue_is_empty = false;
    let in_hand = buffer.len() + running.unacknowledged;
    let may_have_one_more = running.at_most(in_hand + 1) > in_hand;
    if must_look_behind && may_have_one_more && running.surroundings.has_open_end {
        match running.inlet.get().await? {
            Some(taken) => buffer.push(running.intake, running.source, taken),
            None => queue_is_empty = true,
        }
    }
    let has_some = !buffer.is_empty() || running.unacknowledged > 0 || queue_is_empty;
    if has_some {
        // Written down in two steps where the broker does not count: then a session that ends while it stores is not
        // in doubt.
        deliver(running, buffer, queue_is_empty).await?;
        if running.unacknowledged > 0 {
            let announced = running.announce().await?;
            running.acknowledge(announced).await?;
        }
    }
    if has_some || running.has_unsettled() {
        running.forget_settled().await?;
    }
    if running.largest > 0 {
        let next = window::next(running.window, running.largest, running.prefetch());
        running.window = next.unwrap_or(running.window);
    }
    Ok(())
}
