//! Warnings about where letters would go.

use super::{ReplayWarning, WarningKind, share};
use crate::replay::{Destination, WorkersThere};

/// What becomes of letters of whose queues that is not known.
pub const KEEPING_UNKNOWN: &str = "It is not known whether the queues there keep what the broker confirms, because the management \
     API did not describe the vhost. Such letters will be unknown, not confirmed. Set \
     DLO_MANAGEMENT_URL, or check the queues yourself afterwards.";

impl ReplayWarning {
    /// The warnings about one destination of a replay of `total` letters.
    #[must_use]
    pub fn of_destination(destination: &Destination, total: i64) -> Vec<Self> {
        let found = match (&destination.queue, &destination.exchange) {
            (Some(queue), _) => of_queue(destination, queue, total),
            (None, Some(exchange)) => of_exchange(destination, exchange, total),
            (None, None) => None,
        };
        let drops = destination
            .overflows
            .iter()
            .map(|says| Self::new(WarningKind::QueueDrops, destination.letters, says.clone()));
        let unknown = destination.keeping_unknown.then(|| {
            let message = KEEPING_UNKNOWN.to_owned();
            Self::new(WarningKind::KeepingUnknown, destination.letters, message)
        });
        let name = destination.queue.as_ref().or(destination.exchange.as_ref());
        found
            .into_iter()
            .chain(drops)
            .chain(unknown)
            .map(|warning| Self { target: name.cloned(), ..warning })
            .collect()
    }
}

fn of_queue(destination: &Destination, queue: &str, total: i64) -> Option<ReplayWarning> {
    let letters = share(destination.letters, total);
    let warning = |kind, message| ReplayWarning::new(kind, destination.letters, message);
    if destination.exists == Some(false) {
        let message = format!(
            "The broker has no queue {queue}: {letters} would come back as unroutable. Declare the \
             queue again, or choose another target."
        );
        return Some(warning(WarningKind::QueueGone, message).certain());
    }
    let workers = destination.workers.and_then(away);
    if destination.consumers == Some(0) {
        let who = workers.map_or_else(String::new, |how| format!(" ({how})"));
        let message = format!(
            "Nobody consumes from {queue}{who}: {letters} would wait there until a consumer is back. \
             Start one first, or choose another target."
        );
        return Some(warning(WarningKind::NoConsumer, message));
    }
    let how = workers?;
    let message = format!(
        "No worker of {queue} is at work: {how}. Bring a worker back first, or choose another \
         target for {letters}."
    );
    Some(warning(WarningKind::WorkersAway, message))
}

fn of_exchange(destination: &Destination, exchange: &str, total: i64) -> Option<ReplayWarning> {
    let letters = share(destination.letters, total);
    let warning = |kind, message| ReplayWarning::new(kind, destination.letters, message).certain();
    if destination.exists == Some(false) {
        let message = format!(
            "The broker has no exchange {exchange}: {letters} would not be sent. Declare the exchange \
             again, or choose another target."
        );
        return Some(warning(WarningKind::ExchangeGone, message));
    }
    if destination.internal == Some(true) {
        let message = format!(
            "The exchange {exchange} is internal, so the broker refuses {letters}. Choose another \
             target."
        );
        return Some(warning(WarningKind::ExchangeInternal, message));
    }
    let receivers = destination.receivers.as_deref()?;
    let message = format!(
        "No queue is bound to {exchange} for the key “{}”: {letters} would come back as unroutable. \
         Bind a queue, or choose another target.",
        destination.routing_key.as_deref().unwrap_or_default()
    );
    receivers.is_empty().then(|| warning(WarningKind::NoQueueBound, message))
}

/// How the workers of a queue are, if none of them is at work; `None` too if nobody knows of any.
fn away(there: WorkersThere) -> Option<String> {
    let kinds = [(there.stale, "silent"), (there.draining, "draining"), (there.stopped, "stopped")];
    let all: i64 = kinds.iter().map(|(count, _)| count).sum();
    if there.fresh > 0 || all == 0 {
        return None;
    }
    let there: Vec<_> = kinds.into_iter().filter(|(count, _)| *count > 0).collect();
    Some(match there[..] {
        [(1, word)] => format!("its only worker is {word}"),
        [(_, word)] => format!("all of its {all} workers are {word}"),
        _ => {
            let told = there.iter().map(|(count, word)| format!("{count} {word}"));
            let told: Vec<String> = told.collect();
            format!("of its {all} workers, {}", told.join(", "))
        }
    })
}
