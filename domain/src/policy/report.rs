//! A policy as it stands, and what it did and would do.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use super::course::{Step, next_step};
use super::{BreakerState, NewPolicy, PolicyVerdict};
use crate::ids::{LetterId, PolicyId, ReplayId};
use crate::letter::LetterSummary;
use crate::replay::Outcome;

/// A policy that is in force, or would be if it were switched on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Policy {
    /// Its id.
    pub id: PolicyId,
    /// Its place in the order of asking, from 1; 0 of one that was removed.
    pub position: i32,
    /// What it says.
    #[serde(flatten)]
    pub policy: NewPolicy,
    /// Who wrote it last: a token's name or the local operator.
    pub changed_by: String,
    /// When.
    pub changed_at: DateTime<Utc>,
    /// How it goes.
    pub figures: PolicyFigures,
}

/// How a policy goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PolicyFigures {
    /// Whether the circuit breaker lets retries out.
    pub breaker_state: BreakerState,
    /// Since when.
    pub breaker_since: DateTime<Utc>,
    /// Letters that wait for their next try; above 10,000 they are not counted.
    pub waiting: i64,
    /// When the first of them is due.
    pub next_due_at: Option<DateTime<Utc>>,
    /// Tries since midnight, UTC; above 10,000 they are not counted.
    pub tries_today: i64,
    /// Of its last tries, as many as the breaker looks at, so many percent came back or could not
    /// be published; absent before there are any.
    pub return_percent: Option<u8>,
}

/// A policy with what it did and would have done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PolicyReport {
    /// The policy.
    #[serde(flatten)]
    pub policy: Policy,
    /// That it is in force no more, and whose doing that was; absent while it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<PolicyRemoved>,
    /// The last tries that could not be published, newest first. Their letters wait for a person.
    pub failed: Vec<FailedRetry>,
    /// What it would have done in the last 7 days, while it only looked.
    #[serde(rename = "shadow_results")]
    pub shadow: ShadowResults,
}

/// The end of a policy. What it did is known for as long as its replays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PolicyRemoved {
    /// When.
    pub at: DateTime<Utc>,
    /// Who removed it; null where that was not written down.
    pub by: Option<String>,
}

/// A retry that ended without the broker's word that a queue has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FailedRetry {
    /// The letter.
    pub letter_id: LetterId,
    /// The replay.
    pub replay_id: ReplayId,
    /// What came of it.
    pub outcome: Outcome,
    /// Why.
    pub detail: Option<String>,
    /// When.
    pub at: Option<DateTime<Utc>>,
}

/// What a policy in shadow mode would have done.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ShadowResults {
    /// Tries that it would have planned.
    pub retries: i64,
    /// Letters that it would have left to people.
    pub holds: i64,
    /// Letters that it would have put away.
    pub discards: i64,
    /// Letters that it would have given up on.
    pub exhausted: i64,
    /// The last of these letters, newest first.
    pub samples: Vec<LetterSummary>,
}

/// What a policy would have done with the letters of the last days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PolicyPreview {
    /// How far back letters were looked at, in days.
    pub days: u32,
    /// Letters that match, and that no policy before it would have taken.
    pub matched: i64,
    /// There were more than are counted: `matched` is the least.
    pub is_capped: bool,
    /// Letters that match, and that a policy before it would have taken.
    pub taken_before: i64,
    /// Tries that it would have made by day, had every one of them come back.
    pub retries: Vec<DayOfRetries>,
    /// Letters that it would have put away.
    pub discards: i64,
    /// Some of those that match, newest first.
    pub samples: Vec<LetterSummary>,
}

/// Tries of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DayOfRetries {
    /// The day, UTC.
    pub day: NaiveDate,
    /// Letters that arrived.
    pub letters: i64,
    /// Tries, at most.
    pub retries: i64,
}

/// What applying a policy to held letters did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Applied {
    /// Held letters that match: the policies are asked of them now, as if they had just arrived.
    pub letters: i64,
}

/// When each try of a letter would be due that died at `at`, had every one come back at once.
#[must_use]
pub fn due_times(policy: &NewPolicy, letter: LetterId, at: DateTime<Utc>) -> Vec<DateTime<Utc>> {
    let mut times = Vec::new();
    let mut now = at;
    if policy.verdict == PolicyVerdict::Retry {
        while let Step::Retry { due_at, .. } =
            next_step(policy, letter, u32::try_from(times.len()).unwrap_or(0), now)
        {
            times.push(due_at);
            now = due_at;
        }
    }
    times
}

impl DayOfRetries {
    /// Counts letters and their tries by day, the first day first. Tries after `until` did not
    /// happen.
    #[must_use]
    pub fn of(
        policy: &NewPolicy,
        letters: &[(LetterId, DateTime<Utc>)],
        until: DateTime<Utc>,
    ) -> Vec<Self> {
        let mut days: BTreeMap<NaiveDate, (i64, i64)> = BTreeMap::new();
        for (letter, at) in letters {
            days.entry(at.date_naive()).or_default().0 += 1;
            for due in due_times(policy, *letter, *at) {
                if due <= until {
                    days.entry(due.date_naive()).or_default().1 += 1;
                }
            }
        }
        let days = days.into_iter();
        days.map(|(day, (letters, retries))| Self { day, letters, retries }).collect()
    }
}
