//! What came of each letter of a replay, and how many of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What came of one letter in a replay. A publish is no success, and unknown is no failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not published yet, or the answer is awaited.
    Pending,
    /// The broker confirmed it and did not return it: a queue has it.
    Confirmed,
    /// The broker returned it: no such queue. The letter is held again.
    Unroutable,
    /// It was not published, or its only queue refused it; the detail says why. The letter is held again.
    Refused,
    /// It may or may not be in a queue: the publish was cut off, one queue of an exchange refused it and others
    /// may have it, or its queue keeps nothing. The detail says which.
    Unknown,
    /// It was delivered, failed, and is back.
    DiedAgain,
    /// Its receiver reported success.
    Processed,
    /// It did not come back while it was watched.
    Settled,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 8] = [
        Self::Pending,
        Self::Confirmed,
        Self::Unroutable,
        Self::Refused,
        Self::Unknown,
        Self::DiedAgain,
        Self::Processed,
        Self::Settled,
    ];

    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Confirmed => "confirmed",
            Self::Unroutable => "unroutable",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
            Self::DiedAgain => "died_again",
            Self::Processed => "processed",
            Self::Settled => "settled",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word names no outcome.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an outcome of a replay")]
pub struct UnknownOutcome(pub String);

impl FromStr for Outcome {
    type Err = UnknownOutcome;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
            .ok_or_else(|| UnknownOutcome(word.to_owned()))
    }
}

/// Letters of a replay by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[expect(missing_docs, reason = "each member is the outcome of that name")]
pub struct OutcomeCounts {
    pub pending: i64,
    pub confirmed: i64,
    pub unroutable: i64,
    pub refused: i64,
    pub unknown: i64,
    pub died_again: i64,
    pub processed: i64,
    pub settled: i64,
}

impl OutcomeCounts {
    /// Adds letters of one outcome.
    pub fn add(&mut self, outcome: Outcome, letters: i64) {
        *self.of_mut(outcome) += letters;
    }

    /// The letters of one outcome.
    #[must_use]
    pub fn of(mut self, outcome: Outcome) -> i64 {
        *self.of_mut(outcome)
    }

    /// All letters.
    #[must_use]
    pub fn total(self) -> i64 {
        Outcome::ALL.into_iter().map(|outcome| self.of(outcome)).sum()
    }

    /// Letters that were tried: published, or refused before.
    #[must_use]
    pub fn tried(self) -> i64 {
        self.total() - self.pending
    }

    /// Letters that certainly went wrong, so far.
    #[must_use]
    pub fn wrong(self) -> i64 {
        self.died_again + self.unroutable + self.refused
    }

    /// Letters that certainly went well.
    #[must_use]
    pub fn well(self) -> i64 {
        self.processed + self.settled
    }

    /// Letters that a broker has or had in a queue.
    #[must_use]
    pub fn delivered(self) -> i64 {
        self.confirmed + self.died_again + self.well()
    }

    fn of_mut(&mut self, outcome: Outcome) -> &mut i64 {
        match outcome {
            Outcome::Pending => &mut self.pending,
            Outcome::Confirmed => &mut self.confirmed,
            Outcome::Unroutable => &mut self.unroutable,
            Outcome::Refused => &mut self.refused,
            Outcome::Unknown => &mut self.unknown,
            Outcome::DiedAgain => &mut self.died_again,
            Outcome::Processed => &mut self.processed,
            Outcome::Settled => &mut self.settled,
        }
    }
}
