//! Puts new signatures into groups, soon after intake wrote them down.
//!
//! Every office has the same miner, rebuilt from the signatures in the order in which it was given
//! them, which Postgres keeps. One office mines at a time. What a transaction did not commit did
//! not happen: the miner is then built anew.

use std::collections::HashMap;
use std::time::Duration;

use dlo_domain::grouping::{Absorbed, CURRENT, Explanation, Miner, Signature, SignatureId};
use sqlx::{PgConnection, PgPool};
use tokio_util::sync::CancellationToken;

use crate::clock::{SharedClock, new_id};
use crate::duty::{Duty, Next};
use crate::store::StoreError;
use crate::store::groups::mine::{self, Mined, Verdict};

/// How soon a new signature is looked at.
pub const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Signatures in one transaction.
const AT_ONCE: i64 = 200;

/// A miner that follows the database.
#[derive(Debug)]
pub struct Grouper {
    pool: PgPool,
    clock: SharedClock,
    miner: Miner,
    /// The place of the next signature.
    next: i64,
}

impl Duty for Grouper {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        self.catch_up().await.map(|()| Next::Usual)
    }
}

impl Grouper {
    /// One that has read nothing yet.
    #[must_use]
    pub fn new(pool: PgPool, clock: SharedClock) -> Self {
        Self { pool, clock, miner: Miner::new(), next: 0 }
    }

    /// Groups everything that waits.
    ///
    /// # Errors
    /// When Postgres does not do it; nothing is lost, and the next call begins anew.
    pub async fn catch_up(&mut self) -> Result<(), StoreError> {
        loop {
            match self.turn().await {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) => {
                    *self = Self::new(self.pool.clone(), self.clock.clone());
                    return Err(error);
                }
            }
        }
    }

    async fn turn(&mut self) -> Result<usize, StoreError> {
        let mut transaction = self.pool.begin().await?;
        if !mine::is_due(&mut transaction, CURRENT).await? {
            return Ok(0);
        }
        mine::begin(&mut transaction).await?;
        self.follow(&mut transaction).await?;
        let signatures = mine::unmined(&mut transaction, CURRENT, AT_ONCE).await?;
        for signature in &signatures {
            self.place(&mut transaction, signature).await?;
        }
        transaction.commit().await?;
        Ok(signatures.len())
    }

    /// Learns what other offices gave their miners, and this one before it began anew.
    async fn follow(&mut self, conn: &mut PgConnection) -> Result<(), StoreError> {
        let begins = self.next == 0;
        let mined = mine::mined_from(conn, CURRENT, self.next).await?;
        for mined in &mined {
            self.miner.insert(&mined.signature);
            self.next = mined.position + 1;
        }
        if begins { self.reunite(conn, &mined).await } else { Ok(()) }
    }

    /// Makes groups one that a program before this one, which knew less, kept apart. Those that a person has worked on
    /// stay as they are.
    async fn reunite(&self, conn: &mut PgConnection, mined: &[Mined]) -> Result<(), StoreError> {
        let mut groups = HashMap::new();
        for one in mined {
            let id = one.signature.id;
            let into = self.miner.group_of(id).unwrap_or(id);
            let group = *groups.entry(into).or_insert(one.group);
            if group != one.group {
                let absorbed = Absorbed { group: id, into };
                mine::reunite(conn, absorbed, &self.why(id), self.clock.now()).await?;
            }
        }
        Ok(())
    }

    fn why(&self, id: SignatureId) -> Explanation {
        self.miner.explain(id).expect("the miner knows what it was given")
    }

    async fn place(
        &mut self,
        conn: &mut PgConnection,
        signature: &Signature,
    ) -> Result<(), StoreError> {
        if signature.version != CURRENT {
            return self.place_alone(conn, signature).await;
        }
        let placement = self.miner.insert(signature);
        let why = self.why(signature.id);
        let whys: Vec<Explanation> =
            placement.absorbed.iter().map(|absorbed| self.why(absorbed.into)).collect();
        let verdict = Verdict {
            signature,
            position: self.next,
            placement: &placement,
            why: &why,
            whys: &whys,
            new_group: new_id(&*self.clock),
            at: self.clock.now(),
        };
        mine::place(conn, &verdict).await?;
        self.next += 1;
        Ok(())
    }

    /// Gives a signature that the version before this one left a group of its own: this one cannot compare it.
    async fn place_alone(
        &self,
        conn: &mut PgConnection,
        signature: &Signature,
    ) -> Result<(), StoreError> {
        let mut miner = Miner::new();
        let placement = miner.insert(signature);
        let verdict = Verdict {
            signature,
            position: mine::next_position(conn, signature.version).await?,
            placement: &placement,
            why: &miner.explain(signature.id).expect("the miner knows what it was given"),
            whys: &[],
            new_group: new_id(&*self.clock),
            at: self.clock.now(),
        };
        mine::place(conn, &verdict).await
    }
}
