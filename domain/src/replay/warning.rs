//! Warnings about a replay: told by a dry run, and shown at the button that publishes.

mod destination;
mod envelope;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::Replay;
use crate::republish::{HeaderChanges, KnownHeader, MOST_HEADER_BYTES};

pub use destination::KEEPING_UNKNOWN;
pub use envelope::OfFirst;

/// An arrival this recent means that letters of its kind still die.
pub const STILL_DYING: TimeDelta = TimeDelta::seconds(60);

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// The target queue is not there.
    QueueGone,
    /// The target exchange is not there.
    ExchangeGone,
    /// The target exchange is internal: the broker lets nobody publish to it.
    ExchangeInternal,
    /// No queue is bound to the target exchange that would get the letters.
    NoQueueBound,
    /// The target queue has no consumer.
    NoConsumer,
    /// The workers of the target queue are silent, draining or stopped.
    WorkersAway,
    /// Letters of the same group came in seconds ago.
    StillDying,
    /// Only the message itself says where it died.
    ClaimedOrigin,
    /// A retry policy would replay the letters by itself.
    RetriedByPolicy,
    /// The queue drops letters although the broker confirms them.
    QueueDrops,
    /// It is not known whether the queue keeps letters that the broker confirms.
    KeepingUnknown,
    /// The letters may be in a queue already.
    PerhapsDelivered,
    /// The properties and headers of letters are larger than a broker takes.
    HeadersTooLarge,
    /// A broker would refuse letters for what stands in their properties or headers.
    Unfit,
    /// A header that frameworks read travels along, and changes what becomes of the letter.
    HeaderTravels,
    /// Letters are envelopes that a framework put around a message that failed: workers are not made for them.
    /// With `open_envelopes` what is inside is sent.
    ErrorEnvelope,
    /// What is inside is sent without the envelope that workers may expect.
    ExpectedEnvelope,
    /// Envelopes were to be opened, and letters are not one that can be.
    NoEnvelope,
}

/// Something to know before letters are published, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReplayWarning {
    /// What it is about.
    pub kind: WarningKind,
    /// What is known, and what to do.
    pub message: String,
    /// How many letters of the replay it concerns.
    pub letters: i64,
    /// Whether these letters are known to fail. The pages offer no replay all of whose letters are.
    pub will_fail: bool,
    /// The queue or exchange it concerns, if it concerns one.
    #[serde(default)]
    pub target: Option<String>,
    /// A worker that could take these letters instead.
    #[serde(default)]
    pub fresh_worker: Option<String>,
    /// What mends it, for the `headers` of the replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<HeaderChanges>,
}

impl ReplayWarning {
    /// A warning about letters that may well get through.
    #[must_use]
    pub fn new(kind: WarningKind, letters: i64, message: String) -> Self {
        Self {
            kind,
            message,
            letters,
            will_fail: false,
            target: None,
            fresh_worker: None,
            remedy: None,
        }
    }

    /// That letters of the same groups came in just now; `None` if the last one came in long ago.
    #[must_use]
    pub fn still_dying(last: DateTime<Utc>, now: DateTime<Utc>, letters: i64) -> Option<Self> {
        let age = (now - last).max(TimeDelta::zero());
        let message = format!(
            "Letters like these still die: the last one came in {} s ago. What is replayed now will \
             probably die again. Fix the cause first, or replay a few and watch them.",
            age.num_seconds()
        );
        (age <= STILL_DYING).then(|| Self::new(WarningKind::StillDying, letters, message))
    }

    /// That retry policies have letters scheduled.
    #[must_use]
    pub fn retried(policies: &[String], letters: i64, total: i64) -> Self {
        let which = match policies {
            [] => "A retry policy".to_owned(),
            [one] => format!("The retry policy “{one}”"),
            many => format!("The retry policies “{}”", many.join("”, “")),
        };
        let has = if policies.len() > 1 { "have" } else { "has" };
        let message = format!(
            "{which} {has} {} scheduled and will retry {}. Replay now and the scheduled retry is \
             dropped; do nothing and the policy goes on.",
            share(letters, total),
            if letters == 1 { "it" } else { "them" },
        );
        Self::new(WarningKind::RetriedByPolicy, letters, message)
    }

    /// That letters may be where they would go: a queue of their exchange refused them the last time, and
    /// others may have taken them. `None` if there are no such letters.
    #[must_use]
    pub fn perhaps_delivered(letters: i64, total: i64) -> Option<Self> {
        let message = format!(
            "{} may be in a queue already: last time one queue of the exchange refused, and the others \
             may have taken them. Check there first, or replay straight to the queue that refused.",
            share(letters, total),
        );
        (letters > 0).then(|| Self::new(WarningKind::PerhapsDelivered, letters, message))
    }

    /// That only messages themselves say that they died in a queue.
    #[must_use]
    pub fn claimed_origin(queue: &str, letters: i64, total: i64) -> Self {
        let message = format!(
            "Only the message itself says that it died in {queue}: no queue is known to dead-letter \
             to this source from there ({}). Whoever can publish to the source can write that. Check \
             the letters, or choose the target yourself.",
            share(letters, total),
        );
        Self {
            target: Some(queue.to_owned()),
            ..Self::new(WarningKind::ClaimedOrigin, letters, message)
        }
    }

    /// That properties and headers have up to so many bytes. `largest` is the largest of these headers: its name,
    /// its size in bytes, and what leaves it out if no worker needs it.
    #[must_use]
    pub fn headers_too_large(
        largest: Option<(String, usize, Option<HeaderChanges>)>,
        bytes: usize,
        letters: i64,
        total: i64,
    ) -> Self {
        let what = format!(
            "The properties and headers of {} have up to {bytes} bytes with the marks of the replay; a broker \
             takes {MOST_HEADER_BYTES}. Nothing would be sent of them.",
            share(letters, total)
        );
        let (message, remedy) = match largest {
            Some((name, size, Some(remedy))) => {
                let how = format!(
                    "{name} has {size} of them and only tells of the failure: it can be left out."
                );
                (format!("{what} {how}"), Some(remedy))
            }
            Some((name, size, None)) => {
                let how = format!(
                    "The largest header is {name}, {size} bytes: leave it out if no worker needs it."
                );
                (format!("{what} {how}"), None)
            }
            None => (what, None),
        };
        Self { remedy, ..Self::new(WarningKind::HeadersTooLarge, letters, message).certain() }
    }

    /// That a broker would refuse letters, and why.
    #[must_use]
    pub fn unfit(why: &str, letters: i64, total: i64) -> Self {
        let message = format!(
            "{} cannot be sent: {why}. Nothing is sent of such a letter, and its neighbours go.",
            share(letters, total)
        );
        Self::new(WarningKind::Unfit, letters, message).certain()
    }

    /// That a header travels along which changes what becomes of letters. `name` may have its value behind it.
    #[must_use]
    pub fn header_travels(name: &str, known: KnownHeader, letters: i64, total: i64) -> Self {
        let remedy = known.remedy();
        let how = match remedy.set.values().next() {
            Some(value) => format!("It can be set to {value}."),
            None => "It can be left out.".to_owned(),
        };
        let message =
            format!("{name} travels along with {}: {}. {how}", share(letters, total), known.says());
        Self { remedy: Some(remedy), ..Self::new(WarningKind::HeaderTravels, letters, message) }
    }

    /// The same about letters that are known to fail.
    #[must_use]
    fn certain(mut self) -> Self {
        self.will_fail = true;
        self
    }

    /// The same with a worker that could take these letters instead.
    #[must_use]
    pub fn with_fresh_worker(mut self, worker: Option<String>) -> Self {
        self.fresh_worker = worker;
        self
    }

    /// Whether another worker would help: nobody takes letters from where they would go.
    #[must_use]
    pub fn wants_worker(&self) -> bool {
        matches!(
            self.kind,
            WarningKind::QueueGone | WarningKind::NoConsumer | WarningKind::WorkersAway
        )
    }
}

impl Replay {
    /// Whether all of its letters are known to fail.
    #[must_use]
    pub fn is_bound_to_fail(&self) -> bool {
        let failing = self.warnings.iter().filter(|warning| warning.will_fail);
        let failing: i64 = failing.map(|warning| warning.letters).sum();
        self.total > 0 && failing >= self.total
    }
}

/// So many letters of a replay, in words.
fn share(letters: i64, total: i64) -> String {
    match (letters, total) {
        (1, 1) => "the letter".to_owned(),
        (all, total) if all == total => format!("all {total} letters"),
        (some, total) => format!("{some} of the {total} letters"),
    }
}

#[cfg(test)]
mod tests;
