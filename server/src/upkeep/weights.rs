//! Weighs groups for what time alone changes.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Upkeep;
use crate::duty::{Duty, Next};
use crate::store::StoreError;
use crate::store::groups::impact;

/// How often they are weighed.
pub(super) const WEIGH_EVERY: Duration = Duration::from_mins(1);

/// Weighs all groups.
pub(super) struct Weighing {
    pub(super) upkeep: Upkeep,
}

impl Duty for Weighing {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        let mut transaction = self.upkeep.pool.begin().await?;
        impact::weigh_all(&mut transaction).await?;
        transaction.commit().await?;
        Ok(Next::Usual)
    }
}
