//! The figures that alert rules watch. All are read from what is maintained anyway: counters, short lists,
//! and indexes that hold only what is not well. Letters are never counted.

mod executions;
mod groups;
mod letters;
mod queues;
mod sources;

use chrono::{DateTime, Utc};
use dlo_domain::alert::AlertSubject;
use dlo_domain::severity::Severity;

pub use executions::{active_workers, execution_timeouts, stuck_executions};
pub use groups::{new_groups, regressed_groups};
pub use letters::{dead_letters, oldest_letter, retries_exhausted};
pub use queues::queues_without_consumer;
pub use sources::{brokers_away, depths, failing_channels, sources_in};

/// Things of one rule, at most: of a storm that is larger the worst are told.
pub const MOST_THINGS: i64 = 5_000;

/// Executions, and exhausted letters, that are counted at most.
const MOST_COUNTED: i64 = 1_000;

/// A figure of a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The thing.
    pub subject: AlertSubject,
    /// The figure; nothing while it is not known.
    pub figure: Option<i64>,
    /// How bad the letters are that it is about.
    pub severity: Option<Severity>,
}

impl Figure {
    fn of_all(figure: i64) -> Vec<Self> {
        Self::perhaps_of_all(Some(figure))
    }

    /// A figure of everything, if it is known.
    #[must_use]
    pub fn perhaps_of_all(figure: Option<i64>) -> Vec<Self> {
        vec![Self { subject: AlertSubject::default(), figure, severity: None }]
    }
}

fn seconds(since: DateTime<Utc>, now: DateTime<Utc>) -> i64 {
    (now - since).num_seconds().max(0)
}
