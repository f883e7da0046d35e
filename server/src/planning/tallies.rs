//! What is told of the letters of a plan, counted while they are considered.

use dlo_domain::replay::Replay;
use sqlx::PgConnection;

use super::destinations::DestinationTally;
use super::left_out::LeftOutTally;
use super::origins::PlanClaims;
use crate::store::StoreError;
use crate::store::replays::plan::{self, Planned};
use crate::store::replays::unclaimed::Terms;

/// The letters of a plan so far.
#[derive(Debug)]
pub(super) struct Tallies {
    pub(super) left_out: LeftOutTally,
    /// Those whose origin only the message claims.
    pub(super) claims: PlanClaims,
    destinations: DestinationTally,
    replayed_before: i64,
    perhaps_delivered: i64,
    /// How many it takes.
    pub(super) total: i64,
}

impl Tallies {
    /// None yet.
    pub(super) fn new(terms: &Terms) -> Self {
        Self {
            left_out: LeftOutTally::default(),
            claims: PlanClaims::new(&terms.target, terms.takes_claimed),
            destinations: DestinationTally::default(),
            replayed_before: 0,
            perhaps_delivered: 0,
            total: 0,
        }
    }

    /// Counts letters that the plan takes.
    ///
    /// # Errors
    /// Returns an error if a query fails.
    pub(super) async fn add(
        &mut self,
        conn: &mut PgConnection,
        planned: &[Planned],
    ) -> Result<(), StoreError> {
        self.destinations.add(planned);
        self.claims.add_planned(planned);
        let before = planned.iter().filter(|one| one.letter.replays > 0);
        self.replayed_before += i64::try_from(before.count()).unwrap_or(i64::MAX);
        self.perhaps_delivered += plan::count_nacked(conn, planned).await?;
        self.total += i64::try_from(planned.len()).unwrap_or(i64::MAX);
        Ok(())
    }

    /// The position of the letter that comes next.
    pub(super) fn position(&self) -> i32 {
        i32::try_from(self.total).unwrap_or(i32::MAX)
    }

    /// Fills in the letters of a replay: how many there are, where they go, and which were left out.
    pub(super) fn fill_in(self, replay: &mut Replay) {
        replay.total = self.total;
        replay.outcomes.pending = self.total;
        replay.left_out = self.left_out.into_list();
        replay.destinations = self.destinations.into_list();
        replay.replayed_before = Some(self.replayed_before);
        replay.perhaps_delivered = Some(self.perhaps_delivered);
        replay.claimed_origins = self.claims.into_claimed();
    }
}
