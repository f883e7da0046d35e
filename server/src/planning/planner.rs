//! Which letters a plan takes, and where each goes.

use std::collections::HashMap;

use dlo_domain::ids::LetterId;
use dlo_domain::replay::{NewReplay, Origin};
use dlo_domain::state::Change;
use sqlx::PgConnection;

use super::destinations::worker_queue;
use super::left_out::why;
use super::origins::{CLAIMED, OriginCheck};
use super::tallies::Tallies;
use super::{CHUNK, Maker, shown};
use crate::config::ReplayConfig;
use crate::store::StoreError;
use crate::store::replays::candidates::{self, Candidate};
use crate::store::replays::plan::Planned;
use crate::store::replays::unclaimed::Terms;

/// Why a letter is left out of a plan that was shown before it arrived.
const NOT_SHOWN: &str = "it arrived after this plan was shown: reload the plan to replay it too";

/// What letters are considered with.
pub(super) struct Planner {
    pub(super) terms: Terms,
    loop_cap: u16,
    /// Whose origin is known.
    origins: OriginCheck,
}

impl Planner {
    pub(super) async fn new(
        conn: &mut PgConnection,
        config: &ReplayConfig,
        maker: Maker<'_>,
        new: &NewReplay,
    ) -> Result<Self, StoreError> {
        let terms = Terms {
            target: new.target.clone(),
            worker_queue: worker_queue(conn, config, &new.target).await?,
            shown_until: shown::until(new),
            ignores_loop_cap: new.ignore_loop_cap,
            takes_claimed: new.claimed_origins && !maker.is_automatic,
            is_automatic: maker.is_automatic,
        };
        Ok(Self::of(config, terms))
    }

    pub(super) fn of(config: &ReplayConfig, terms: Terms) -> Self {
        let origins = OriginCheck::new(&terms.target, terms.is_automatic);
        Self { terms, loop_cap: config.loop_cap, origins }
    }

    /// Letters as they stand now, in any order. With `lock` nobody else moves them until the transaction ends.
    pub(super) async fn find(
        &mut self,
        conn: &mut PgConnection,
        ids: &[LetterId],
        lock: bool,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut found = candidates::find(conn, ids, lock).await?;
        self.origins.mark(conn, &mut found).await?;
        Ok(found)
    }

    /// The letters that could go as they stand now. Nothing is locked.
    pub(super) async fn free(
        &mut self,
        conn: &mut PgConnection,
        ids: &[LetterId],
    ) -> Result<Vec<LetterId>, StoreError> {
        let mut free = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(CHUNK) {
            let found = self.find(conn, chunk, false).await?;
            let able = found
                .into_iter()
                .filter(|one| self.terms.takes_claimed || !one.origin_claimed)
                .filter_map(|one| self.consider(Some(one)).ok());
            free.extend(able.map(|one| one.letter.id));
        }
        Ok(free)
    }

    /// Which letters go where; counts those that are left out.
    pub(super) fn sort(
        &self,
        ids: &[LetterId],
        found: Vec<Candidate>,
        tallies: &mut Tallies,
    ) -> Vec<Planned> {
        let mut found: HashMap<LetterId, Candidate> =
            found.into_iter().map(|candidate| (candidate.id, candidate)).collect();
        let mut planned = Vec::with_capacity(found.len());
        for id in ids {
            match self.consider(found.remove(id)) {
                Ok(one) if one.letter.origin_claimed && !self.terms.takes_claimed => {
                    tallies.claims.add(&one.letter);
                    tallies.left_out.add(CLAIMED.to_owned(), *id);
                }
                Ok(one) => planned.push(one),
                Err(reason) => tallies.left_out.add(reason, *id),
            }
        }
        planned
    }

    /// Where a letter goes, or why it does not.
    fn consider(&self, letter: Option<Candidate>) -> Result<Planned, String> {
        let letter = letter.ok_or_else(|| why(Change::Claim, None))?;
        if letter.state.after(Change::Claim).is_err() {
            return Err(why(Change::Claim, Some(letter.state)));
        }
        if self.terms.shown_until.is_some_and(|until| letter.last_arrived_at > until) {
            return Err(NOT_SHOWN.to_owned());
        }
        let cap = self.loop_cap;
        if !self.terms.ignores_loop_cap && letter.replays >= i32::from(cap) {
            return Err(format!(
                "it was replayed {cap} times or more and is still here, which is the loop cap of \
                 this office: find out why, or set `ignore_loop_cap`"
            ));
        }
        let origin = Origin {
            queue: letter.queue.as_deref(),
            exchange: letter.exchange.as_deref(),
            routing_key: letter.routing_key.as_deref(),
        };
        let address = self.terms.target.address(origin, &self.terms.worker_queue);
        let address = address.map_err(|fault| fault.to_string())?;
        Ok(Planned { letter, address })
    }
}
