//! What stands behind letters.

use async_trait::async_trait;
use dlo_app::desk::{CauseDesk, DeskError};
use dlo_domain::causes::{Behind, Causes};
use dlo_domain::ids::GroupId;
use dlo_domain::timeline::{About, Reach, Timeline};

use super::{PgDesk, timeline};
use crate::store::{breakdown, causes, shared_time};

#[async_trait]
impl CauseDesk for PgDesk {
    async fn causes(&self) -> Result<Causes, DeskError> {
        let mut conn = self.connection().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        Ok(causes::count(&mut conn, now, now - self.limit()).await?)
    }

    async fn behind_group(&self, id: GroupId) -> Result<Behind, DeskError> {
        let mut conn = self.connection().await?;
        let found = breakdown::group_now(&mut conn, id).await?;
        let (group, _) = found.ok_or_else(|| super::groups::no_group(id))?;
        let letters = breakdown::newest_ids(&mut conn, group).await?;
        Ok(causes::behind(&mut conn, &letters).await?)
    }

    async fn timeline(&self, about: &About, reach: Reach) -> Result<Timeline, DeskError> {
        timeline::read(self, about, reach).await
    }
}
