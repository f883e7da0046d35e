//! Alert rules: those that every office comes with, and those that people write.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::signal::{MOST_WINDOW_MINUTES, Measure, Signal, Unit};
use crate::filter::{FilterFault, LetterFilter};
use crate::ids::AlertRuleId;
use crate::rule::askable;
use crate::severity::Severity;

/// The longest name, in characters.
pub const MOST_NAME_CHARS: usize = 100;

/// How many rules there may be: each is evaluated every second.
pub const MOST_ALERT_RULES: usize = 100;

/// The longest time that a rule may ask for, in seconds: a week.
const MOST_SECONDS: u32 = 7 * 24 * 60 * 60;

/// The largest limit.
const MOST_LIMIT: i64 = 1_000_000_000;

/// An alert rule as a person writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewAlertRule {
    /// What it tells, in a line.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 100))]
    pub name: String,
    /// What it watches.
    pub signal: Signal,
    /// The figure from which on it is an alert: above it, or below it for active workers.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 1_000_000_000))]
    pub limit: i64,
    /// How bad that is; left out, as bad as the letters are that it is about, or normal.
    #[serde(default)]
    pub severity: Option<Severity>,
    /// For how many seconds the figure must be beyond the limit before it is told.
    #[serde(default = "usual_pending")]
    #[cfg_attr(feature = "openapi", schema(maximum = 604_800))]
    pub pending_seconds: u32,
    /// For how many seconds it must be back before the alert is over.
    #[serde(default = "usual_clearing")]
    #[cfg_attr(feature = "openapi", schema(maximum = 604_800))]
    pub clearing_seconds: u32,
    /// After how many seconds an alert that nobody acknowledged is told again; 0 means never.
    #[serde(default = "usual_repeat")]
    #[cfg_attr(feature = "openapi", schema(maximum = 604_800))]
    pub repeat_seconds: u32,
    /// Whether it is evaluated; left out, it is.
    #[serde(default = "yes")]
    pub enabled: bool,
}

fn usual_pending() -> u32 {
    30
}

fn usual_clearing() -> u32 {
    60
}

fn usual_repeat() -> u32 {
    4 * 60 * 60
}

fn yes() -> bool {
    true
}

/// A rule that every office comes with. It can be edited and switched off, and not removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is the signal of the same name")]
pub enum BuiltIn {
    DeadLetterRate,
    Depth,
    ExecutionTimeouts,
    NoActiveWorker,
    StuckExecutions,
    QueueWithoutConsumer,
    RetriesExhausted,
    IntakeStalled,
    UndecodableHead,
    SourceTakesNothing,
    BrokerAway,
    ChannelFailing,
    NewGroup,
    RegressedGroup,
}

impl BuiltIn {
    /// Every one, in the order in which they are shown.
    pub const ALL: [Self; 14] = [
        Self::DeadLetterRate,
        Self::Depth,
        Self::NewGroup,
        Self::RegressedGroup,
        Self::RetriesExhausted,
        Self::ExecutionTimeouts,
        Self::NoActiveWorker,
        Self::StuckExecutions,
        Self::QueueWithoutConsumer,
        Self::IntakeStalled,
        Self::UndecodableHead,
        Self::SourceTakesNothing,
        Self::BrokerAway,
        Self::ChannelFailing,
    ];

    /// The word in SQL, JSON and addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DeadLetterRate => "dead_letter_rate",
            Self::Depth => "depth",
            Self::ExecutionTimeouts => "execution_timeouts",
            Self::NoActiveWorker => "no_active_worker",
            Self::StuckExecutions => "stuck_executions",
            Self::QueueWithoutConsumer => "queue_without_consumer",
            Self::RetriesExhausted => "retries_exhausted",
            Self::IntakeStalled => "intake_stalled",
            Self::UndecodableHead => "undecodable_head",
            Self::SourceTakesNothing => "source_takes_nothing",
            Self::BrokerAway => "broker_away",
            Self::ChannelFailing => "channel_failing",
            Self::NewGroup => "new_group",
            Self::RegressedGroup => "regressed_group",
        }
    }

    /// The rule as it is before anybody edits it.
    #[must_use]
    pub fn rule(self) -> NewAlertRule {
        use Severity::{Critical, High};
        let rate =
            Signal::DeadLetters { filter: String::new(), measure: Measure::Rate, minutes: 1 };
        let (name, signal, limit, severity) = match self {
            Self::DeadLetterRate => ("Many dead letters", rate, 10, Some(High)),
            Self::Depth => ("Dead letters pile up", Signal::Depth, 100, Some(High)),
            Self::ExecutionTimeouts => {
                ("Many executions time out", Signal::ExecutionTimeouts, 10, Some(High))
            }
            Self::NoActiveWorker => ("No active worker", Signal::ActiveWorkers, 1, Some(Critical)),
            Self::StuckExecutions => {
                ("Executions are stuck", Signal::StuckExecutions { seconds: 300 }, 0, Some(High))
            }
            Self::QueueWithoutConsumer => {
                ("A queue has no consumer", Signal::QueueWithoutConsumer, 900, Some(High))
            }
            Self::RetriesExhausted => ("Retries are exhausted", Signal::RetriesExhausted, 0, None),
            Self::IntakeStalled => ("Intake is stalled", Signal::IntakeStalled, 60, Some(Critical)),
            Self::UndecodableHead => {
                ("A message cannot be read", Signal::UndecodableHead, 10, Some(Critical))
            }
            Self::SourceTakesNothing => {
                ("A source takes nothing", Signal::SourceTakesNothing, 60, Some(High))
            }
            Self::BrokerAway => ("A broker is away", Signal::BrokerAway, 30, Some(Critical)),
            Self::ChannelFailing => {
                ("A channel accepts nothing", Signal::ChannelFailing, 60, Some(High))
            }
            Self::NewGroup => ("A new group of dead letters", Signal::NewGroup, 0, None),
            Self::RegressedGroup => ("A group is back", Signal::RegressedGroup, 0, None),
        };
        // What is told by how long it has lasted, or happens once, waits for nothing more.
        let is_told_at_once = signal.unit() == Unit::Seconds
            || matches!(
                signal,
                Signal::NewGroup | Signal::RegressedGroup | Signal::RetriesExhausted
            );
        let happens_once = matches!(signal, Signal::NewGroup | Signal::RegressedGroup);
        NewAlertRule {
            name: name.to_owned(),
            signal,
            limit,
            severity,
            pending_seconds: if is_told_at_once { 0 } else { usual_pending() },
            clearing_seconds: if happens_once { 0 } else { usual_clearing() },
            repeat_seconds: if happens_once { 0 } else { usual_repeat() },
            enabled: true,
        }
    }
}

/// The word names no rule that every office comes with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a built-in alert rule")]
pub struct UnknownBuiltIn(pub String);

impl FromStr for BuiltIn {
    type Err = UnknownBuiltIn;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|one| one.as_str() == word).ok_or_else(|| UnknownBuiltIn(word.to_owned()))
    }
}

/// An alert rule that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AlertRule {
    /// Its id.
    pub id: AlertRuleId,
    /// Which of those it is that every office comes with, if it is one.
    pub built_in: Option<BuiltIn>,
    /// What it says.
    #[serde(flatten)]
    pub rule: NewAlertRule,
}

/// A rule that cannot be used as it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AlertRuleFault {
    /// The name is empty, too long, or holds what no line of text does.
    #[error("an alert rule's name is a line of 1 to {MOST_NAME_CHARS} characters: give it another")]
    Name,
    /// The filter cannot be read.
    #[error("the filter cannot be read: {0}")]
    Filter(#[from] FilterFault),
    /// The filter asks for what is not known of a letter when it arrives, or changes by itself.
    #[error("an alert rule cannot use `{field}`: {why}")]
    Field {
        /// The field.
        field: &'static str,
        /// Why not, and what can be asked for instead.
        why: &'static str,
    },
    /// A ratio of everything.
    #[error("a ratio is a part of all dead letters: give it a filter that says which part")]
    Ratio,
    /// The window is empty or too long.
    #[error("a window is 1 to {MOST_WINDOW_MINUTES} minutes")]
    Window,
    /// The limit is out of bounds.
    #[error("the limit of this rule is {least} to {most}")]
    Limit {
        /// The least that makes sense.
        least: i64,
        /// The most.
        most: i64,
    },
    /// A time is too long.
    #[error(
        "pending, clearing and repeat are 0 to {MOST_SECONDS} seconds each, and a repeat is 0 (never) or at least 60"
    )]
    Seconds,
    /// Another kind of signal than the built-in rule has.
    #[error("what a built-in rule measures cannot change: add a rule of your own")]
    Signal,
}

/// Which letters a signal is about, read; all of them where it has no filter.
///
/// # Errors
/// `AlertRuleFault` when it cannot be read, or asks for what is not known of a letter when it arrives.
pub fn condition(signal: &Signal) -> Result<LetterFilter, AlertRuleFault> {
    let filter = LetterFilter::parse(signal.filter().unwrap_or_default())?;
    match filter.refused(askable::of_alert) {
        None => Ok(filter),
        Some((field, why)) => Err(AlertRuleFault::Field { field, why }),
    }
}

impl NewAlertRule {
    /// Checks all of it; gives it back with its name trimmed.
    ///
    /// # Errors
    /// `AlertRuleFault` when some part of it will not do.
    pub fn checked(&self) -> Result<Self, AlertRuleFault> {
        let name = self.name.trim();
        let length = name.chars().count();
        if !(1..=MOST_NAME_CHARS).contains(&length) || name.chars().any(char::is_control) {
            return Err(AlertRuleFault::Name);
        }
        let signal = self.checked_signal()?;
        let least = i64::from(signal == Signal::ActiveWorkers);
        let most = if signal.unit() == Unit::Percent { 99 } else { MOST_LIMIT };
        if !(least..=most).contains(&self.limit) {
            return Err(AlertRuleFault::Limit { least, most });
        }
        let seconds = [self.pending_seconds, self.clearing_seconds, self.repeat_seconds];
        let is_stuck = matches!(self.signal, Signal::StuckExecutions { seconds: 0 });
        if seconds.iter().any(|some| *some > MOST_SECONDS)
            || (1..60).contains(&self.repeat_seconds)
            || is_stuck
        {
            return Err(AlertRuleFault::Seconds);
        }
        Ok(Self { name: name.to_owned(), signal, ..self.clone() })
    }

    /// The signal, with its filter in the one form.
    fn checked_signal(&self) -> Result<Signal, AlertRuleFault> {
        let asked = condition(&self.signal)?;
        let mut signal = self.signal.clone();
        match &mut signal {
            Signal::DeadLetters { filter, measure, minutes } => {
                if !(1..=MOST_WINDOW_MINUTES).contains(minutes) {
                    return Err(AlertRuleFault::Window);
                }
                if *measure == Measure::Ratio && asked.is_empty() {
                    return Err(AlertRuleFault::Ratio);
                }
                *filter = asked.to_string();
            }
            Signal::OldestLetter { filter } => *filter = asked.to_string(),
            _ => {}
        }
        Ok(signal)
    }
}
