//! The circuit breaker of a policy: retries that come back are not what helps.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::course::JUMP;

/// Retries that are made to see whether it goes well again.
pub const PROBES: u32 = 3;

/// When a policy stops by itself, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Breaker {
    /// It stops when more of its retries than this came back.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 99))]
    pub stop_above_percent: u8,
    /// Of so many, the last ones.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1_000))]
    pub of_last: u16,
    /// A retry that has not come back for so long went well, as far as the breaker goes.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 86_400))]
    pub watch_seconds: u32,
    /// After so long it is tried again, with a few retries.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 604_800))]
    pub pause_seconds: u32,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { stop_above_percent: 50, of_last: 20, watch_seconds: 30, pause_seconds: 300 }
    }
}

/// Whether retries go out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BreakerState {
    /// They do.
    #[default]
    Closed,
    /// Too many came back: none does until the pause is over.
    Open,
    /// The pause is over, and a few do, to see what becomes of them.
    HalfOpen,
}

impl BreakerState {
    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
    }
}

/// The word names no state of a breaker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a state of a circuit breaker")]
pub struct UnknownBreakerState(pub String);

impl std::str::FromStr for BreakerState {
    type Err = UnknownBreakerState;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        [Self::Closed, Self::Open, Self::HalfOpen]
            .into_iter()
            .find(|state| state.as_str() == word)
            .ok_or_else(|| UnknownBreakerState(word.to_owned()))
    }
}

/// A breaker's state and when it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerStatus {
    /// The state.
    pub state: BreakerState,
    /// Since when. Retries from before it are not counted.
    pub since: DateTime<Utc>,
}

/// What is known of a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleResult {
    /// It is not published yet.
    Awaited,
    /// It was published, and has not come back.
    Out,
    /// It came back, or could not be published.
    Bad,
}

/// A retry that the breaker looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// When it went out.
    pub at: DateTime<Utc>,
    /// What became of it.
    pub result: SampleResult,
}

impl Breaker {
    pub(super) fn is_usable(&self) -> bool {
        self.stop_above_percent < 100
            && (1..=1_000).contains(&self.of_last)
            && (1..=86_400).contains(&self.watch_seconds)
            && (1..=604_800).contains(&self.pause_seconds)
    }

    /// Where it stands now. `samples` are the retries since `status.since`, the last first.
    #[must_use]
    pub fn judged(
        &self,
        status: BreakerStatus,
        samples: &[Sample],
        now: DateTime<Utc>,
    ) -> BreakerStatus {
        let become_ = |state| BreakerStatus { state, since: now };
        // The clock was set back: what it waits for would be in the far future.
        let since = if status.since > now + JUMP { now } else { status.since };
        let stays = BreakerStatus { since, ..status };
        match status.state {
            BreakerState::Closed if self.trips(samples, now) => become_(BreakerState::Open),
            BreakerState::Open if now - since >= seconds(self.pause_seconds) => {
                become_(BreakerState::HalfOpen)
            }
            BreakerState::HalfOpen => match self.probed(samples, now) {
                Some(true) => become_(BreakerState::Closed),
                Some(false) => become_(BreakerState::Open),
                None => stays,
            },
            BreakerState::Closed | BreakerState::Open => stays,
        }
    }

    /// How many retries may go out; nothing when it does not care.
    #[must_use]
    pub fn allows(state: BreakerState, samples: &[Sample]) -> Option<u32> {
        match state {
            BreakerState::Closed => None,
            BreakerState::Open => Some(0),
            BreakerState::HalfOpen => {
                let made = u32::try_from(samples.len()).unwrap_or(u32::MAX);
                Some(PROBES.saturating_sub(made))
            }
        }
    }

    /// Of the last retries, how many came back, in percent; nothing before there are any.
    #[must_use]
    pub fn return_percent(&self, samples: &[Sample]) -> Option<u8> {
        let last: Vec<&Sample> = samples
            .iter()
            .filter(|sample| sample.result != SampleResult::Awaited)
            .take(self.of_last.into())
            .collect();
        let percent = (bad(&last) * 100).checked_div(last.len())?;
        u8::try_from(percent).ok()
    }

    /// Two ways to be sure: of the last retries, more came back than may, whatever becomes of the
    /// others; or more did of the last ones that had the time to.
    fn trips(&self, samples: &[Sample], now: DateTime<Utc>) -> bool {
        let of = usize::from(self.of_last);
        let known = || samples.iter().filter(|sample| sample.result != SampleResult::Awaited);
        let last: Vec<&Sample> = known().take(of).collect();
        let watched: Vec<&Sample> =
            known().filter(|sample| self.is_watched(sample, now)).take(of).collect();
        [last, watched].iter().any(|samples| self.is_above(bad(samples), of))
    }

    /// Whether the probes went well, once that is known.
    fn probed(&self, samples: &[Sample], now: DateTime<Utc>) -> Option<bool> {
        let all: Vec<&Sample> = samples.iter().collect();
        let probes = usize::try_from(PROBES).unwrap_or(usize::MAX);
        if self.is_above(bad(&all), probes.max(all.len())) {
            return Some(false);
        }
        let is_over = !all.is_empty()
            && all
                .iter()
                .all(|sample| sample.result == SampleResult::Bad || self.is_watched(sample, now));
        is_over.then(|| !self.is_above(bad(&all), all.len()))
    }

    fn is_above(&self, bad: usize, of: usize) -> bool {
        bad * 100 > usize::from(self.stop_above_percent) * of
    }

    /// Whether it had the time to come back. One from the future is of a clock that was set back.
    fn is_watched(&self, sample: &Sample, now: DateTime<Utc>) -> bool {
        sample.result != SampleResult::Awaited
            && (now - sample.at >= seconds(self.watch_seconds) || sample.at > now + JUMP)
    }
}

fn bad(samples: &[&Sample]) -> usize {
    let bad = samples.iter().filter(|sample| sample.result == SampleResult::Bad);
    bad.count()
}

fn seconds(seconds: u32) -> TimeDelta {
    TimeDelta::seconds(seconds.into())
}
