//! How often a queue lets a message come back before it drops it, and what may be taken from it.
//!
//! A quorum queue counts. A message that comes back more often than its limit is dropped, or dead-lettered
//! once more. From RabbitMQ 4.3 on a dead letter keeps the count that it died with, so that one which died
//! of its limit is dropped by the next queue as soon as it comes back at all, given back in order
//! (`basic.nack`) or not (seen on 4.3.6). So nothing is taken from a queue with a limit until the limit is
//! lifted, or somebody accepts what can be lost.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::topology::{Effective, Gap, Queue, QueueKind, Setting, Vhost};

/// The most letters whose loss can be accepted: no office holds more of one source.
pub const MOST_ACCEPTED: u16 = 2_000;

/// What is known of how often a message may come back to a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryLimit {
    /// As often as it likes.
    Unlimited,
    /// So often; it is dropped when it comes back once more.
    Limited(i64),
    /// Nobody says.
    Unknown,
}

impl DeliveryLimit {
    /// Reads it from what a management API says of a queue, and of the policies of its vhost.
    #[must_use]
    pub fn of(vhost: &Vhost, queue: &Queue) -> Self {
        match queue.kind {
            QueueKind::Classic | QueueKind::Stream => return Self::Unlimited,
            QueueKind::Quorum | QueueKind::Other => {}
        }
        // The broker's own word, which it has since 4.0.
        match queue.told_limit {
            Some(limit) if limit < 0 => return Self::Unlimited,
            Some(limit) => return Self::Limited(limit),
            None => {}
        }
        let is_known = queue.kind == QueueKind::Quorum
            && vhost.major().is_some()
            && !vhost.lacks(Gap::Policies)
            && !vhost.lacks(Gap::OperatorPolicies);
        if !is_known {
            return Self::Unknown;
        }
        let set = Effective::of(vhost, queue).delivery_limit;
        set.map_or(Self::Unlimited, |Setting { value, .. }| Self::Limited(value))
    }

    /// The number, where there is one.
    #[must_use]
    pub fn finite(self) -> Option<i64> {
        match self {
            Self::Limited(limit) => Some(limit),
            Self::Unlimited | Self::Unknown => None,
        }
    }
}

/// What somebody accepted for a source whose queue has a limit, or may have one: a number of letters, whatever
/// the limit is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AcceptedLoss {
    /// So many letters may be lost at once: no more are held at any time.
    pub letters: u16,
    /// The limit that they were shown; absent where none was known.
    #[serde(default)]
    pub delivery_limit: Option<i64>,
    /// Who accepted it.
    pub by: String,
    /// When.
    pub at: DateTime<Utc>,
}

/// The loss that somebody accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewAcceptedLoss {
    /// How many letters may be lost at once, 1 to 2,000: so many are held at any time, and no more.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 2_000))]
    pub letters: u16,
    /// The limit that the source was shown with; left out where it is not known. Where it is another by
    /// now, nothing is accepted.
    #[serde(default)]
    pub delivery_limit: Option<i64>,
}

impl NewAcceptedLoss {
    /// Checks the number.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        if (1..=MOST_ACCEPTED).contains(&self.letters) {
            return Ok(());
        }
        Err(format!(
            "`letters` is a number from 1 to {MOST_ACCEPTED}: how many may be lost at once"
        ))
    }
}

/// How much of a queue may be in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// As much as suits.
    Freely,
    /// At most so many letters.
    AtMost(u16),
    /// One letter, until it is seen that the queue counts how often letters come back.
    One,
    /// Nothing.
    Nothing,
}

impl Hold {
    /// What is safe, or accepted.
    #[must_use]
    pub fn of(limit: DeliveryLimit, accepted: Option<&AcceptedLoss>, evidence: Evidence) -> Self {
        match (limit, accepted) {
            (DeliveryLimit::Unlimited, _) => Self::Freely,
            (_, Some(accepted)) => Self::AtMost(accepted.letters.max(1)),
            (DeliveryLimit::Limited(_), None) => Self::Nothing,
            (DeliveryLimit::Unknown, None) => match evidence {
                Evidence::Counts => Self::Nothing,
                Evidence::CountsNothing => Self::Freely,
                Evidence::Nothing | Evidence::Copied => Self::One,
            },
        }
    }

    /// How many letters may be in hand, if that is bounded.
    #[must_use]
    pub fn most(self) -> Option<u16> {
        match self {
            Self::Freely => None,
            Self::AtMost(most) => Some(most),
            Self::One | Self::Nothing => Some(1),
        }
    }
}

/// What letters tell of their queue, where no management API does. Quorum queues write how often a message
/// came back into each that did, and into no other; other queues write nothing. The death history tells nothing
/// of it: it is of the queue before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evidence {
    /// None came that was delivered before.
    #[default]
    Nothing,
    /// One came with a count that was never delivered: publishers write counts themselves, so that one with a
    /// count tells nothing.
    Copied,
    /// One came again with a count: such a queue has a limit, or may be given one at any time.
    Counts,
    /// One came that was delivered before, and has no count.
    CountsNothing,
}

impl Evidence {
    /// What of it is kept over a restart: what would otherwise put one more letter in danger, or stop a source
    /// for nothing.
    #[must_use]
    pub fn kept(self) -> Option<&'static str> {
        match self {
            Self::Counts => Some("counts"),
            Self::Copied => Some("copied"),
            Self::Nothing | Self::CountsNothing => None,
        }
    }

    /// Reads what `kept` told.
    #[must_use]
    pub fn of_kept(word: Option<&str>) -> Self {
        let all = [Self::Counts, Self::Copied];
        all.into_iter().find(|one| one.kept() == word).unwrap_or_default()
    }

    /// Adds what one letter tells. What one told of a queue holds as long as it is there: its kind cannot change.
    #[must_use]
    pub fn and(self, is_redelivered: bool, has_count: bool) -> Self {
        match (self, is_redelivered, has_count) {
            (Self::Nothing | Self::Copied, true, false) => Self::CountsNothing,
            (Self::Nothing, true, true) => Self::Counts,
            (Self::Nothing, false, true) => Self::Copied,
            _ => self,
        }
    }
}

/// The headers that a queue adds to each delivery of a message that came back to it.
pub const COUNTS: [&str; 2] = ["x-delivery-count", "x-acquired-count"];

#[cfg(test)]
mod tests;
