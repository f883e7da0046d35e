//! Puts new signatures into groups, soon after intake wrote them down.
//!
//! Every office has the same miner, rebuilt from the signatures in the order in which it was given
//! them, which Postgres keeps. One office mines at a time. What a transaction did not commit did
//! not happen: the miner is then built anew.

use std::time::Duration;

use dlo_domain::grouping::{CURRENT, Miner, Signature};
use sqlx::{PgConnection, PgPool};
use tokio_util::sync::CancellationToken;

use crate::clock::{SharedClock, new_id};
use crate::duty::{Duty, Next};
use crate::store::StoreError;
use crate::store::groups::mine::{self, Verdict};

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

    /// Learns what other offices gave their miners.
    async fn follow(&mut self, conn: &mut PgConnection) -> Result<(), StoreError> {
        for mined in mine::mined_from(conn, CURRENT, self.next).await? {
            self.miner.insert(&mined.signature);
            self.next = mined.position + 1;
        }
        Ok(())
    }

    async fn place(
        &mut self,
        conn: &mut PgConnection,
        signature: &Signature,
    ) -> Result<(), StoreError> {
        let placement = self.miner.insert(signature);
        let why = self.miner.explain(signature.id);
        let why = why.expect("the miner knows what it was just given");
        let verdict = Verdict {
            signature,
            position: self.next,
            placement: &placement,
            why: &why,
            new_group: new_id(&*self.clock),
            at: self.clock.now(),
        };
        mine::place(conn, &verdict).await?;
        self.next += 1;
        Ok(())
    }
}
