//! Small duties in the background that no person waits for: folding counters, weighing groups,
//! making the tables of the weeks to come, removing what is done and old, forgetting replays and alerts, keeping
//! texts for searching.

mod alerts;
mod counters;
mod error_reports;
mod replays;
mod texts;
mod weeks;
mod weights;

use sqlx::PgPool;

use crate::clock::SharedClock;
use crate::duty::Duties;
use crate::store::retention::Retention;
use crate::store::texts::IndexedParts;

/// What upkeep works with.
#[derive(Debug, Clone)]
pub struct Upkeep {
    /// The database.
    pub pool: PgPool,
    /// The time.
    pub clock: SharedClock,
    /// How long what is done is kept.
    pub retention: Retention,
    /// What of texts is indexed.
    pub indexed: IndexedParts,
}

impl Upkeep {
    /// Has its duties begin.
    pub fn begin(&self, duties: &Duties) {
        let folding = counters::Folding { upkeep: self.clone() };
        duties.every("folding counters", counters::FOLD_EVERY, folding);
        let weighing = weights::Weighing { upkeep: self.clone() };
        duties.every("weighing groups", weights::WEIGH_EVERY, weighing);
        let tidying = weeks::Tidying { upkeep: self.clone(), last_pass: None };
        duties.every("removing what is old", weeks::TIDY_EVERY, tidying);
        let indexing = texts::Indexing { upkeep: self.clone() };
        duties.every("indexing texts", texts::LOOK_EVERY, indexing);
        let forgetting = replays::Forgetting { upkeep: self.clone(), place: None };
        duties.every("forgetting replays", replays::FORGET_EVERY, forgetting);
        let forgetting = error_reports::Forgetting { upkeep: self.clone(), place: None };
        duties.every("forgetting error reports", error_reports::FORGET_EVERY, forgetting);
        let forgetting = alerts::Forgetting { upkeep: self.clone() };
        duties.every("forgetting alerts", alerts::FORGET_EVERY, forgetting);
    }
}

#[cfg(test)]
mod tests;
