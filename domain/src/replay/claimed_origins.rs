//! Letters of a replay whose origin only the message itself claims.

use std::collections::BTreeMap;

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

/// Where a letter claims to come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimedPlace {
    /// The source that it came to.
    pub source_id: SourceId,
    /// The source's name.
    pub source: String,
    /// The queue, where that is what counts.
    pub queue: Option<String>,
    /// The exchange, where that is what counts.
    pub exchange: Option<String>,
    /// The routing key for it.
    pub routing_key: Option<String>,
}

/// Claimed origins, counted. However many places messages name, a bounded number of them is counted apart.
#[derive(Debug, Default)]
pub struct ClaimTally {
    letters: i64,
    places: BTreeMap<ClaimedPlace, i64>,
}

impl ClaimTally {
    /// Places that are counted apart; letters of others are counted in the sum alone.
    const MOST_PLACES: usize = 10_000;

    /// Counts a letter.
    pub fn add(&mut self, place: ClaimedPlace) {
        self.letters += 1;
        if let Some(letters) = self.places.get_mut(&place) {
            *letters += 1;
        } else if self.places.len() < Self::MOST_PLACES {
            self.places.insert(place, 1);
        }
    }

    /// How many letters there are, and where they claim to come from; `None` if there are none.
    #[must_use]
    pub fn into_claimed(self, included: bool) -> Option<ClaimedOrigins> {
        let places = self.places.into_iter();
        let mut origins: Vec<ClaimedOrigin> = places
            .map(|(place, letters)| ClaimedOrigin {
                source_id: place.source_id,
                source: place.source,
                queue: place.queue,
                exchange: place.exchange,
                routing_key: place.routing_key,
                letters,
            })
            .collect();
        origins.sort_by_key(|one| std::cmp::Reverse(one.letters));
        origins.truncate(MOST_CLAIMED_PLACES);
        (self.letters > 0).then_some(ClaimedOrigins { letters: self.letters, included, origins })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_queues_messages_name_a_few_are_told() {
        let mut tally = ClaimTally::default();
        for number in 0..20_000 {
            tally.add(ClaimedPlace {
                source_id: SourceId(uuid::Uuid::nil()),
                source: "dead".to_owned(),
                queue: Some(format!("q{}", number % 15_000)),
                exchange: None,
                routing_key: None,
            });
        }
        assert_eq!(tally.places.len(), ClaimTally::MOST_PLACES);
        let claimed = tally.into_claimed(false).expect("some");
        assert_eq!((claimed.letters, claimed.origins.len()), (20_000, 50));
        assert_eq!(claimed.origins[0].letters, 2);
        assert_eq!(ClaimTally::default().into_claimed(true), None);
    }
}
