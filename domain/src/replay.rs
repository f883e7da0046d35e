//! Replays: what is asked for, how it goes, and what came of each letter.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::{LetterId, ReplayId};
use crate::selection::Selection;

/// Where the letters go.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(
    tag = "mode",
    rename_all = "snake_case",
    deny_unknown_fields,
    from = "WrittenTarget"
)]
pub enum Target {
    /// To the queue that each letter died in, through the default exchange: nobody else gets it.
    #[default]
    OriginQueue,
    /// All to one named queue, through the default exchange.
    Queue {
        /// The queue's name.
        queue: String,
    },
}

/// A target as it is written. A mode without members has braces here: serde passes over whatever
/// stands beside a plain one, so that a queue that somebody named would be lost in silence.
#[derive(Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case", deny_unknown_fields)]
enum WrittenTarget {
    OriginQueue {},
    Queue { queue: String },
}

impl From<WrittenTarget> for Target {
    fn from(written: WrittenTarget) -> Self {
        match written {
            WrittenTarget::OriginQueue {} => Self::OriginQueue,
            WrittenTarget::Queue { queue } => Self::Queue { queue },
        }
    }
}

/// A replay that is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewReplay {
    /// Which letters; fixed at this moment.
    pub selection: Selection,
    /// Where to.
    #[serde(default)]
    pub target: Target,
    /// Tells what would happen, and does nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// How far a replay is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReplayState {
    /// Only tried: nothing was published, nothing will be, and there is no such replay.
    DryRun,
    /// Letters are still to be published.
    Running,
    /// Every letter has an outcome.
    Finished,
}

impl ReplayState {
    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DryRun => "dry_run",
            Self::Running => "running",
            Self::Finished => "finished",
        }
    }
}

/// What came of one letter in a replay. A publish is no success, and unknown is no failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not published yet, or the answer is awaited.
    Pending,
    /// The broker confirmed it and returned nothing: a queue has it.
    Confirmed,
    /// The broker returned it: no such queue. The letter is held again.
    Unroutable,
    /// It was not published, or the broker refused it; the detail says why. The letter is held again.
    Refused,
    /// The publish was cut off: it may or may not have happened.
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
        Outcome::ALL
            .into_iter()
            .map(|outcome| self.of(outcome))
            .sum()
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

/// A replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Replay {
    /// Its id; absent in a dry run, which leaves nothing behind.
    pub id: Option<ReplayId>,
    /// How far it is.
    pub state: ReplayState,
    /// Where to.
    pub target: Target,
    /// Who asked.
    pub created_by: String,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When the last letter had its outcome.
    pub finished_at: Option<DateTime<Utc>>,
    /// How many letters it holds.
    pub total: i64,
    /// Letters by outcome.
    pub outcomes: OutcomeCounts,
    /// Letters that were asked for and left out, with the reason.
    pub left_out: Vec<LeftOut>,
    /// Where all its letters go, most letters first. Told when a replay is planned or tried with
    /// `dry_run`, and absent later: each letter names its queue then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub destinations: Vec<Destination>,
    /// What of its senders' would be left off, the most frequent first; counted among its first
    /// 5,000 letters. Told by a dry run only: each letter names its own later. The history that
    /// brokers wrote is left off from every letter, and not named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stripped: Vec<Stripped>,
}

/// A queue that letters of a replay go to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Destination {
    /// The broker, by its name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue.
    pub queue: String,
    /// How many letters go there.
    pub letters: i64,
    /// Whether the broker has this queue now; null where it was not asked or did not answer.
    /// Asked by a dry run only, for the 200 queues with most letters.
    #[serde(default)]
    pub exists: Option<bool>,
}

/// A property or header that letters of a replay are sent without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Stripped {
    /// Its name in AMQP.
    pub name: String,
    /// How many letters have it.
    pub letters: i64,
}

/// Letters that a replay or a discard does not touch, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeftOut {
    /// Why, as a sentence.
    pub reason: String,
    /// How many letters.
    pub letters: i64,
    /// Some of them.
    pub examples: Vec<LetterId>,
}

/// One letter in a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReplayItem {
    /// The letter.
    pub letter_id: LetterId,
    /// The queue it was or will be sent to.
    pub queue: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// Why, for what did not go well; for what did, what of its sender's was left off.
    pub detail: Option<String>,
    /// When it had this outcome.
    pub at: Option<DateTime<Utc>>,
}

/// A replay as seen from one of its letters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LetterReplay {
    /// The replay.
    pub replay_id: ReplayId,
    /// Which try of this letter it was, from 1.
    pub attempt: i32,
    /// The queue it was or will be sent to.
    pub queue: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// Why.
    pub detail: Option<String>,
    /// When it was planned.
    pub planned_at: DateTime<Utc>,
    /// When it had this outcome.
    pub at: Option<DateTime<Utc>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_with_its_own_members_and_no_others() {
        let own = serde_json::from_str::<Target>(r#"{"mode":"origin_queue"}"#);
        assert_eq!(own.expect("a target"), Target::OriginQueue);
        let named = serde_json::from_str::<Target>(r#"{"mode":"queue","queue":"x"}"#);
        let queue = "x".to_owned();
        assert_eq!(named.expect("a target"), Target::Queue { queue });
        for text in [
            r#"{"mode":"origin_queue","queue":"x"}"#,
            r#"{"mode":"queue","queue":"x","exchange":"y"}"#,
            r#"{"mode":"queue"}"#,
            r#"{"queue":"x"}"#,
        ] {
            assert!(serde_json::from_str::<Target>(text).is_err(), "{text}");
        }
    }
}
