//! Worker silence, queue growth and deaths on one axis of time: which came first is seen at a glance.

use std::collections::BTreeMap;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::{AlertId, GroupId};
use crate::severity::Severity;

/// What counters and depths are kept by, in seconds.
pub const SLOT_SECONDS: i64 = 300;
/// How long they are kept: a little more than the longest timeline.
pub const KEPT_FOR: TimeDelta = TimeDelta::hours(25);
/// Workers that a timeline shows.
pub const MOST_WORKERS: usize = 5;
/// Queues that a timeline shows.
pub const MOST_QUEUES: usize = 3;
/// Times away of one worker that a timeline shows, the last ones.
pub const MOST_BANDS: usize = 50;

/// What a timeline is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// All letters, workers and queues.
    Everything,
    /// The letters of a group, the queues that they died in, and the workers of those.
    Group(GroupId),
    /// A worker and its queue.
    Worker(String),
    /// A queue, and its workers.
    Queue(String),
}

/// How far a timeline reaches back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Reach {
    /// Six hours, by five minutes.
    #[default]
    #[serde(rename = "6h")]
    Shift,
    /// A day, by twenty minutes.
    #[serde(rename = "24h")]
    Day,
}

/// A word that names no reach.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a reach of a timeline: use 6h or 24h")]
pub struct NotAReach(String);

impl FromStr for Reach {
    type Err = NotAReach;

    fn from_str(word: &str) -> Result<Self, NotAReach> {
        let mut all = Self::ALL.into_iter();
        all.find(|reach| reach.as_str() == word).ok_or_else(|| NotAReach(word.to_owned()))
    }
}

impl Reach {
    /// Every reach.
    pub const ALL: [Self; 2] = [Self::Shift, Self::Day];

    /// The word in the URL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shift => "6h",
            Self::Day => "24h",
        }
    }

    /// The length of a bar in seconds: a number of slots.
    #[must_use]
    pub fn bar_seconds(self) -> i64 {
        match self {
            Self::Shift => SLOT_SECONDS,
            Self::Day => 4 * SLOT_SECONDS,
        }
    }
}

/// Bars of one timeline.
pub const BARS: usize = 72;

/// The axis: bars of the same length, the last one that which `now` falls into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The beginning of the first bar.
    pub from: DateTime<Utc>,
    /// The length of a bar in seconds.
    pub bar_seconds: i64,
}

impl Axis {
    /// The axis that ends at `now`.
    #[must_use]
    pub fn of(reach: Reach, now: DateTime<Utc>) -> Self {
        let bar_seconds = reach.bar_seconds();
        let last = now.timestamp().div_euclid(bar_seconds) * bar_seconds;
        let back = bar_seconds * (i64::try_from(BARS).unwrap_or(i64::MAX) - 1);
        Self { from: DateTime::from_timestamp(last - back, 0).unwrap_or(now), bar_seconds }
    }

    /// The bar that a moment falls into. One that lies ahead was told by a clock that is ahead, and
    /// falls into the last.
    #[must_use]
    pub fn bar(&self, at: DateTime<Utc>) -> Option<usize> {
        let bar = (at - self.from).num_seconds().div_euclid(self.bar_seconds);
        usize::try_from(bar).ok().map(|bar| bar.min(BARS - 1))
    }

    /// Sums by bar.
    #[must_use]
    pub fn sums(&self, counted: impl IntoIterator<Item = (DateTime<Utc>, i64)>) -> Vec<i64> {
        let mut bars = vec![0_i64; BARS];
        for (at, count) in counted {
            if let Some(bar) = self.bar(at) {
                bars[bar] = bars[bar].saturating_add(count);
            }
        }
        // What was judged anew is taken from where it was counted: rounding must show no debt.
        bars.into_iter().map(|count| count.max(0)).collect()
    }

    /// The most by bar; nothing where nothing was seen.
    #[must_use]
    pub fn peaks(&self, seen: impl IntoIterator<Item = (DateTime<Utc>, i64)>) -> Vec<Option<i64>> {
        let mut bars = vec![None; BARS];
        for (at, depth) in seen {
            if let Some(bar) = self.bar(at) {
                bars[bar] = bars[bar].max(Some(depth));
            }
        }
        bars
    }
}

/// Deaths, silences and depths over the same time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Timeline {
    /// When it was read.
    pub at: DateTime<Utc>,
    /// How far it reaches back.
    pub reach: Reach,
    /// The beginning of the first bar.
    pub from: DateTime<Utc>,
    /// The length of a bar in seconds.
    pub bar_seconds: i64,
    /// Letters that arrived in each bar, the oldest first; the last bar is still running.
    pub deaths: Vec<i64>,
    /// Workers that were away, drain, or have stopped, those that are away first; at most five.
    pub workers: Vec<WorkerLane>,
    /// How many more there were.
    pub workers_left: i64,
    /// Queues in which messages were, those that grew most first; at most three.
    pub queues: Vec<QueueLane>,
    /// How many more there were.
    pub queues_left: i64,
    /// Alerts about the same, those that are the worst last; at most fifty.
    pub alerts: Vec<AlertBand>,
}

/// A time in which something was an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AlertBand {
    /// The alert.
    pub alert: AlertId,
    /// What its rule is called.
    pub rule_name: String,
    /// How bad it is.
    pub severity: Severity,
    /// When it fired.
    pub since: DateTime<Utc>,
    /// When it was over; absent while it is not.
    pub until: Option<DateTime<Utc>>,
}

/// A worker's times away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkerLane {
    /// The worker.
    pub worker: String,
    /// When it did not take work, the oldest first.
    pub bands: Vec<Band>,
}

/// Why a worker took no work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Away {
    /// It was silent for longer than it may be.
    Silent,
    /// It drains.
    Draining,
    /// It has stopped in good order.
    Stopped,
}

impl Away {
    /// The word on the page.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Draining => "draining",
            Self::Stopped => "stopped",
        }
    }
}

/// A time in which a worker took no work. Drains and stops that are over are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Band {
    /// Since when; for a silence the last sign of life before it.
    pub since: DateTime<Utc>,
    /// Until when; absent while it lasts.
    pub until: Option<DateTime<Utc>>,
    /// Why.
    pub away: Away,
}

/// How full a queue was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueueLane {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue.
    pub queue: String,
    /// The most messages that were seen in it in each bar, the oldest first; absent where nobody
    /// looked.
    pub depths: Vec<Option<i64>>,
}

/// The lanes of workers: those that are away first, then those that were for longest. Tells how many
/// are left off.
#[must_use]
pub fn worker_lanes(
    bands: impl IntoIterator<Item = (String, Band)>,
    now: DateTime<Utc>,
) -> (Vec<WorkerLane>, i64) {
    let mut by_worker: BTreeMap<String, Vec<Band>> = BTreeMap::new();
    for (worker, band) in bands {
        by_worker.entry(worker).or_default().push(band);
    }
    let mut lanes: Vec<WorkerLane> = by_worker
        .into_iter()
        .map(|(worker, mut bands)| {
            bands.sort();
            let gone = bands.len().saturating_sub(MOST_BANDS);
            bands.drain(..gone);
            WorkerLane { worker, bands }
        })
        .collect();
    lanes.sort_by_cached_key(|lane| {
        let is_open = |away| {
            let mut bands = lane.bands.iter();
            bands.any(|band| band.away == away && band.until.is_none())
        };
        let away: TimeDelta =
            lane.bands.iter().map(|band| band.until.unwrap_or(now) - band.since).sum();
        (!is_open(Away::Silent), !is_open(Away::Draining), -away)
    });
    let left = lanes.len().saturating_sub(MOST_WORKERS);
    lanes.truncate(MOST_WORKERS);
    (lanes, i64::try_from(left).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
