//! A letter's way through its tries. The number of tries is ours: what a broker counts differs
//! between brokers, and starts anew when a message is published again.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::NewPolicy;
use crate::ids::{LetterId, PolicyId, ReplayId};
use crate::replay::Outcome;

/// A clock that is off by more than this from what was written down was set, and did not run.
pub const JUMP: TimeDelta = TimeDelta::minutes(1);

/// What becomes of a letter whose policy retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It is tried again.
    Retry {
        /// Which try it is, from 1.
        number: u32,
        /// When.
        due_at: DateTime<Utc>,
    },
    /// No tries are left.
    Exhausted,
}

/// The next step of a letter that died now, after so many tries.
#[must_use]
pub fn next_step(
    policy: &NewPolicy,
    letter: LetterId,
    tries_made: u32,
    now: DateTime<Utc>,
) -> Step {
    let Some(delay) = policy.schedule.delay(letter, tries_made) else {
        return Step::Exhausted;
    };
    let due_at = now + delay;
    let window = policy.window.as_ref();
    Step::Retry {
        number: tries_made + 1,
        due_at: window.map_or(due_at, |window| window.next_open(due_at)),
    }
}

/// What policies have done with a letter, and will do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LetterRetries {
    /// Its retry policy gave up.
    pub exhausted: Option<Obituary>,
    /// The try that it waits for.
    pub next: Option<NextRetry>,
    /// The tries of its last course, oldest first.
    pub tries: Vec<Try>,
}

/// That a policy gave up on a letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Obituary {
    /// When.
    pub at: DateTime<Utc>,
    /// The policy.
    pub policy_id: PolicyId,
    /// Its name.
    pub policy: String,
}

/// A try that a letter waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NextRetry {
    /// The policy.
    pub policy_id: PolicyId,
    /// Its name.
    pub policy: String,
    /// Which try it is, from 1.
    pub number: u32,
    /// When it is due. The policy's hours, budget and breaker may make it later.
    pub due_at: DateTime<Utc>,
    /// The policy is switched off, or shadow mode: only records what it would do: nothing happens until
    /// that is changed.
    pub is_paused: bool,
}

/// A try that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Try {
    /// The policy.
    pub policy_id: PolicyId,
    /// Its name.
    pub policy: String,
    /// Which try it was, from 1.
    pub number: u32,
    /// When it was due.
    pub due_at: DateTime<Utc>,
    /// When it was made.
    pub taken_at: DateTime<Utc>,
    /// The replay that it was made by.
    pub replay_id: ReplayId,
    /// What came of it.
    pub outcome: Outcome,
    /// Why.
    pub detail: Option<String>,
}
