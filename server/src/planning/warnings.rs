//! Warnings about the letters of a plan. What brokers and workers tell is the desk's.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use dlo_domain::replay::ReplayWarning;
use dlo_domain::state::LetterState;
use sqlx::PgConnection;

use crate::store::StoreError;
use crate::store::replays::plan::Planned;
use crate::store::replays::warnings;

/// Letters that are looked into, at most: a dry run is to answer soon.
const MOST_LETTERS: usize = 5_000;

/// The letters of a dry run so far.
#[derive(Debug, Default)]
pub(super) struct WarningTally {
    looked_into: usize,
    /// Letters that a retry policy has scheduled.
    scheduled: i64,
    /// Its name; of some, if there are several.
    policies: BTreeSet<String>,
    /// When a letter of the same groups came in last.
    last_death: Option<DateTime<Utc>>,
}

impl WarningTally {
    /// Counts letters, and looks into the first ones.
    pub(super) async fn add(
        &mut self,
        conn: &mut PgConnection,
        planned: &[Planned],
    ) -> Result<(), StoreError> {
        let scheduled = planned.iter().filter(|one| one.letter.state == LetterState::Scheduled);
        let scheduled: Vec<_> = scheduled.map(|one| one.letter.id).collect();
        self.scheduled += i64::try_from(scheduled.len()).unwrap_or(i64::MAX);
        let left = MOST_LETTERS - self.looked_into;
        let planned = &planned[..planned.len().min(left)];
        if planned.is_empty() {
            return Ok(());
        }
        self.looked_into += planned.len();
        if !scheduled.is_empty() {
            let policies = warnings::policies_of(conn, &scheduled).await?;
            self.policies.extend(policies);
        }
        let letters: Vec<_> = planned.iter().map(|one| one.letter.id).collect();
        let last = warnings::last_death_alike(conn, &letters).await?;
        self.last_death = self.last_death.max(last);
        Ok(())
    }

    /// The warnings about a plan of `total` letters.
    pub(super) fn into_list(self, total: i64, now: DateTime<Utc>) -> Vec<ReplayWarning> {
        let policies: Vec<String> = self.policies.into_iter().collect();
        let dying = self.last_death.and_then(|last| ReplayWarning::still_dying(last, now, total));
        let retried =
            (self.scheduled > 0).then(|| ReplayWarning::retried(&policies, self.scheduled, total));
        dying.into_iter().chain(retried).collect()
    }
}
