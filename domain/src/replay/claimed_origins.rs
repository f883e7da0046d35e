//! Letters of a replay whose origin only the message itself claims.

use serde::{Deserialize, Serialize};

use crate::ids::SourceId;

/// Claimed origins that are named one by one: whoever writes messages can name any number.
pub const MOST_CLAIMED_PLACES: usize = 50;

/// Letters whose origin only the message itself claims: neither the last read of the broker's queues nor
/// the source's list confirms it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClaimedOrigins {
    /// How many letters.
    pub letters: i64,
    /// Whether they are among the letters of the replay: `claimed_origins` was asked for.
    pub included: bool,
    /// Where they claim to come from, most letters first; at most 50.
    pub origins: Vec<ClaimedOrigin>,
}

/// Where letters claim to come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClaimedOrigin {
    /// The source that they came to.
    pub source_id: SourceId,
    /// The source's name.
    pub source: String,
    /// The queue, where letters go to the queue they died in.
    #[serde(default)]
    pub queue: Option<String>,
    /// The exchange, where they go to the exchange they were published to.
    #[serde(default)]
    pub exchange: Option<String>,
    /// The routing key for it.
    #[serde(default)]
    pub routing_key: Option<String>,
    /// How many letters.
    pub letters: i64,
}
