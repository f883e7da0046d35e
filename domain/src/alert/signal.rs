//! What an alert rule watches: a figure that Dead Letter Office maintains anyway.

use serde::{Deserialize, Serialize};

/// The longest window, in minutes: a day. Counters by the minute are kept for longer.
pub const MOST_WINDOW_MINUTES: u32 = 24 * 60;

/// Dead letters of which one says something as a part: of fewer, one more or less is many percent.
pub const LEAST_OF_RATIO: i64 = 10;

/// How dead letters are measured over a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// How many arrived in the window.
    Count,
    /// How many arrived a minute: in the worst minute of the window.
    Rate,
    /// Which part they are of all that arrived in the window, in percent; 0 while fewer than `LEAST_OF_RATIO`
    /// arrived.
    Ratio,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Self; 3] = [Self::Count, Self::Rate, Self::Ratio];

    /// The word in JSON and forms.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Rate => "rate",
            Self::Ratio => "ratio",
        }
    }

    /// The figure of these dead letters, in a window in which so many arrived in all.
    #[must_use]
    pub fn of(self, these: Arrivals, all: i64) -> i64 {
        match self {
            Self::Count => these.sum,
            Self::Rate => these.worst,
            Self::Ratio if all < LEAST_OF_RATIO => 0,
            Self::Ratio => these.sum.saturating_mul(100) / all,
        }
    }
}

/// Dead letters that arrived in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Arrivals {
    /// All of them.
    pub sum: i64,
    /// Those of the minute with the most.
    pub worst: i64,
}

/// What a rule watches. Each thing that it is a figure of, a source, a queue, a group, has an alert of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Signal {
    /// Dead letters as they arrive, counted by the minute.
    DeadLetters {
        /// Which ones, in the filter language; left out, all of them.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        filter: String,
        /// How they are measured.
        measure: Measure,
        /// Over how many minutes.
        #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1440))]
        minutes: u32,
    },
    /// For how long the letter has waited that has done so for the longest, in seconds.
    OldestLetter {
        /// Of which ones, in the filter language; left out, of all.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        filter: String,
    },
    /// Messages that wait in the queue of a source and letters from it that wait here, together.
    Depth,
    /// Executions that were failed because of time, a minute.
    ExecutionTimeouts,
    /// Workers that are heard, once there are any.
    ActiveWorkers,
    /// Executions that have been scheduled for longer than so many seconds.
    StuckExecutions {
        /// For how long.
        #[cfg_attr(feature = "openapi", schema(minimum = 1))]
        seconds: u32,
    },
    /// How long a queue has had no consumer, in seconds.
    QueueWithoutConsumer,
    /// Letters that their retry policy has given up and that wait, of one policy and severity.
    RetriesExhausted,
    /// How long nothing has been taken for a source, in seconds.
    IntakeStalled,
    /// How long a message at the head of a source's queue could not be read, in seconds.
    UndecodableHead,
    /// How long a source has taken nothing because its queue would lose letters, in seconds.
    SourceTakesNothing,
    /// How long a broker has not answered, in seconds.
    BrokerAway,
    /// How long a channel has taken nothing, in seconds.
    ChannelFailing,
    /// Letters of a group that wait, in its first day.
    NewGroup,
    /// Letters of a group that wait and that came after it was resolved.
    RegressedGroup,
}

/// What a figure counts, for whoever shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Letters, workers, executions.
    Things,
    /// Things a minute.
    PerMinute,
    /// Seconds.
    Seconds,
    /// Parts of a hundred.
    Percent,
}

/// From which figure on it is an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Above it.
    Above(i64),
    /// Below it.
    Below(i64),
}

impl Limit {
    /// Whether a figure is beyond it. One that has been is for longer: a fifth less than the limit brings it
    /// back, so that a figure that goes up and down around the limit is one alert.
    #[must_use]
    pub fn is_passed(self, figure: i64, has_been: bool) -> bool {
        match self {
            Self::Above(limit) if has_been => figure > limit - limit / 5,
            Self::Above(limit) => figure > limit,
            Self::Below(limit) => figure < limit,
        }
    }
}

impl Signal {
    /// The word of its kind, as in JSON.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::DeadLetters { .. } => "dead_letters",
            Self::OldestLetter { .. } => "oldest_letter",
            Self::Depth => "depth",
            Self::ExecutionTimeouts => "execution_timeouts",
            Self::ActiveWorkers => "active_workers",
            Self::StuckExecutions { .. } => "stuck_executions",
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

    /// What its figure counts.
    #[must_use]
    pub fn unit(&self) -> Unit {
        match self {
            Self::DeadLetters { measure: Measure::Rate, .. } | Self::ExecutionTimeouts => {
                Unit::PerMinute
            }
            Self::DeadLetters { measure: Measure::Ratio, .. } => Unit::Percent,
            Self::DeadLetters { measure: Measure::Count, .. }
            | Self::Depth
            | Self::ActiveWorkers
            | Self::StuckExecutions { .. }
            | Self::RetriesExhausted
            | Self::NewGroup
            | Self::RegressedGroup => Unit::Things,
            Self::OldestLetter { .. }
            | Self::QueueWithoutConsumer
            | Self::IntakeStalled
            | Self::UndecodableHead
            | Self::SourceTakesNothing
            | Self::BrokerAway
            | Self::ChannelFailing => Unit::Seconds,
        }
    }

    /// The filter that says which letters it is about, for a signal that has one; empty, all of them.
    #[must_use]
    pub fn filter(&self) -> Option<&str> {
        match self {
            Self::DeadLetters { filter, .. } | Self::OldestLetter { filter } => Some(filter),
            _ => None,
        }
    }

    /// Its limit, which is a figure of its unit.
    #[must_use]
    pub fn limit(&self, figure: i64) -> Limit {
        match self {
            Self::ActiveWorkers => Limit::Below(figure),
            _ => Limit::Above(figure),
        }
    }
}
