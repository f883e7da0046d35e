//! What stands behind letters.

use async_trait::async_trait;
use dlo_app::desk::{CauseDesk, DeskError};
use dlo_domain::causes::Causes;

use super::PgDesk;
use crate::store::{causes, shared_time};

#[async_trait]
impl CauseDesk for PgDesk {
    async fn causes(&self) -> Result<Causes, DeskError> {
        let mut conn = self.begin().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        Ok(causes::count(&mut conn, now, now - self.limit()).await?)
    }
}
