//! The death history: `x-death` read into types, whatever a broker or a client put there.
//!
//! Facts about the header: facts of RabbitMQ 3.8 to 4.3. One entry per queue and reason, newest
//! event first; `time` is the first death of that pair, `count` how often. From 4.0 on the broker
//! overwrites what a client republished, so counts are shown and never relied on.

#[cfg(feature = "server")]
mod read;

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

#[cfg(feature = "server")]
pub use read::{DeathHistory, instant, read_deaths};

/// Why a queue gave a message up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A consumer rejected or nacked it without requeue.
    Rejected,
    /// Its TTL expired.
    Expired,
    /// The queue was full.
    Maxlen,
    /// A quorum queue delivered it too often.
    DeliveryLimit,
    /// The message does not say.
    Unknown,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 5] =
        [Self::Rejected, Self::Expired, Self::Maxlen, Self::DeliveryLimit, Self::Unknown];

    /// The word in SQL, JSON, URLs and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Maxlen => "maxlen",
            Self::DeliveryLimit => "delivery_limit",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word names no reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a reason: use rejected, expired, maxlen, delivery_limit or unknown")]
pub struct UnknownReason(pub String);

impl FromStr for Reason {
    type Err = UnknownReason;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|reason| reason.as_str() == word)
            .ok_or_else(|| UnknownReason(word.to_owned()))
    }
}

/// One entry of the death history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Death {
    /// The queue that it was dead-lettered from; empty when the entry does not say.
    pub queue: String,
    /// Why.
    pub reason: Reason,
    /// The exchange it was published to; empty for the default exchange.
    pub exchange: String,
    /// The routing keys it was published with (the key and CC, never BCC).
    pub routing_keys: Vec<String>,
    /// How often it died of this in this queue, as the broker says; absent when unreadable.
    pub count: Option<i64>,
    /// The first death of this queue and reason, as the broker says; absent when unreadable.
    pub time: Option<DateTime<Utc>>,
    /// The time to live that the message had of its own, in milliseconds, as text.
    pub original_expiration: Option<String>,
}
