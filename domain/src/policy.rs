//! Retry policies: which letters are replayed by themselves, when, how often, and when not.
//!
//! Everything here is arithmetic: the time is an argument and chance a seed, so that a week of
//! retries can be played through in a test. What is due is kept in rows, by the server.

mod askable;
mod breaker;
mod budget;
mod course;
mod report;
mod schedule;
mod window;

use serde::{Deserialize, Serialize};

use crate::filter::{FilterFault, LetterFilter};
use crate::republish::{BadHeaders, HeaderChanges};

pub use breaker::{Breaker, BreakerState, BreakerStatus, PROBES, Sample, SampleResult};
pub use budget::{Bucket, MOST_A_MINUTE};
pub use course::{JUMP, LetterRetries, NextRetry, Obituary, Step, Try, next_step};
pub use report::{
    Applied, DayOfRetries, FailedRetry, Policy, PolicyFigures, PolicyPreview, PolicyRemoved,
    PolicyReport, ShadowResults, due_times,
};
pub use schedule::{MOST_DELAY_SECONDS, MOST_JITTER_PERCENT, MOST_TRIES, Schedule};
pub use window::{Day, RetryWindow, TimeOfDay, UnknownTime};

/// The longest name, in characters.
pub const MOST_NAME_CHARS: usize = 100;

/// How many policies there may be: each is asked of every letter that arrives.
pub const MOST_POLICIES: usize = 100;

/// What a policy does with a letter that it is the first to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PolicyVerdict {
    /// Replays it by the schedule.
    #[default]
    Retry,
    /// Leaves it to people; no policy below is asked.
    Hold,
    /// Puts it away.
    Discard,
}

impl PolicyVerdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Retry, Self::Hold, Self::Discard];

    /// The word in SQL, JSON and forms.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Hold => "hold",
            Self::Discard => "discard",
        }
    }
}

/// The word names no verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a verdict of a policy: use retry, hold or discard")]
pub struct UnknownVerdict(pub String);

impl std::str::FromStr for PolicyVerdict {
    type Err = UnknownVerdict;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|verdict| verdict.as_str() == word).ok_or_else(|| UnknownVerdict(word.to_owned()))
    }
}

/// A policy as a person writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a box of its form, and a member of its JSON"
)]
pub struct NewPolicy {
    /// What it is for, in a line.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 100))]
    pub name: String,
    /// Which letters, in the filter language. Empty means all of them: a policy that discards all must
    /// say `all`, too.
    pub filter: String,
    /// That an empty filter is meant to discard everything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// What it does with them; left out, it retries.
    #[serde(default)]
    pub verdict: PolicyVerdict,
    /// When it retries.
    #[serde(default)]
    pub schedule: Schedule,
    /// At most this many retries a minute, by all offices together.
    #[serde(default = "usual_budget")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1_000_000))]
    pub retries_per_minute: u32,
    /// The hours in which it retries; none means always.
    #[serde(default)]
    pub window: Option<RetryWindow>,
    /// What stops it when its retries come back; `null` means nothing does.
    #[serde(default = "usual_breaker")]
    pub breaker: Option<Breaker>,
    /// Leaves out headers of the letters that it retries, or sets them. An office in which changes of messages need a
    /// second person asks for one before each try.
    #[serde(default, skip_serializing_if = "HeaderChanges::is_empty")]
    pub headers: HeaderChanges,
    /// Sends what is inside of letters that are envelopes, as `open_envelopes` of a replay does, with the same second
    /// person. A letter that cannot be opened is given up on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open_envelopes: bool,
    /// It writes down what it would do, and does nothing.
    #[serde(default)]
    pub shadow: bool,
    /// Whether it is asked; left out, it is.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// A budget that holds where nobody set one: ten a second.
pub const USUAL_BUDGET: u32 = 600;

fn usual_budget() -> u32 {
    USUAL_BUDGET
}

#[expect(clippy::unnecessary_wraps, reason = "what serde puts where nothing is written")]
fn usual_breaker() -> Option<Breaker> {
    Some(Breaker::default())
}

fn yes() -> bool {
    true
}

impl Default for NewPolicy {
    fn default() -> Self {
        Self {
            name: String::new(),
            filter: String::new(),
            all: false,
            verdict: PolicyVerdict::Retry,
            schedule: Schedule::default(),
            retries_per_minute: USUAL_BUDGET,
            window: None,
            breaker: usual_breaker(),
            headers: HeaderChanges::default(),
            open_envelopes: false,
            shadow: false,
            enabled: true,
        }
    }
}

/// A policy that cannot be used as it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyFault {
    /// The name is empty, too long, or holds what no line of text does.
    #[error("a policy's name is a line of 1 to {MOST_NAME_CHARS} characters: give it another")]
    Name,
    /// The filter cannot be read.
    #[error("the filter cannot be read: {0}")]
    Filter(#[from] FilterFault),
    /// The filter asks for what changes by itself, or is always the same when a policy is asked.
    #[error("a policy cannot use `{field}`: {why}")]
    Field {
        /// The field.
        field: &'static str,
        /// Why not, and what can be asked for instead.
        why: &'static str,
    },
    /// It would discard every letter, and does not say so.
    #[error(
        "an empty filter matches every letter, and this policy would discard them all as they arrive: \
         give it a filter, or say `all` if that is meant"
    )]
    Everything,
    /// The schedule has no delays, or too many, or one that is too short or too long.
    #[error(
        "a schedule has 1 to {MOST_TRIES} delays of 1 to {MOST_DELAY_SECONDS} seconds each, and a \
         jitter of 0 to {MOST_JITTER_PERCENT} percent"
    )]
    Schedule,
    /// The budget is nothing, or more than can be.
    #[error("a budget is 1 to {MOST_A_MINUTE} retries a minute")]
    Budget,
    /// The changes of headers.
    #[error("the headers cannot be: {0}")]
    Headers(#[from] BadHeaders),
    /// The circuit breaker's figures are out of bounds.
    #[error(
        "a circuit breaker stops above 0 to 99 percent of the last 1 to 1000 retries, watches them \
         for 1 to 86400 seconds and pauses for 1 to 604800 seconds"
    )]
    Breaker,
}

impl NewPolicy {
    /// Checks all of it; gives it back with its name trimmed and its filter in the one form.
    ///
    /// # Errors
    /// `PolicyFault` when some part of it will not do.
    pub fn checked(&self) -> Result<Self, PolicyFault> {
        let name = self.name.trim();
        let length = name.chars().count();
        if !(1..=MOST_NAME_CHARS).contains(&length) || name.chars().any(char::is_control) {
            return Err(PolicyFault::Name);
        }
        if !self.schedule.is_usable() {
            return Err(PolicyFault::Schedule);
        }
        if !(1..=MOST_A_MINUTE).contains(&self.retries_per_minute) {
            return Err(PolicyFault::Budget);
        }
        if self.breaker.is_some_and(|breaker| !breaker.is_usable()) {
            return Err(PolicyFault::Breaker);
        }
        self.headers.check()?;
        let filter = self.condition()?.to_string();
        // One that is switched off can stay, and be switched off.
        let is_all = filter.is_empty() && self.verdict == PolicyVerdict::Discard;
        if is_all && self.enabled && !self.all {
            return Err(PolicyFault::Everything);
        }
        Ok(Self {
            name: name.to_owned(),
            filter,
            window: self.window.as_ref().map(RetryWindow::in_order),
            ..self.clone()
        })
    }

    /// Its filter, read.
    ///
    /// # Errors
    /// `PolicyFault` when it cannot be read, or asks for what a policy cannot ask for.
    pub fn condition(&self) -> Result<LetterFilter, PolicyFault> {
        let filter = LetterFilter::parse(&self.filter)?;
        askable::check(&filter)?;
        Ok(filter)
    }

    /// Whether it publishes letters, now or when their time comes.
    #[must_use]
    pub fn retries(&self) -> bool {
        self.enabled && !self.shadow && self.verdict == PolicyVerdict::Retry
    }
}

#[cfg(test)]
mod tests;
