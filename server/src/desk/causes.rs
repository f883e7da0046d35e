//! What stands behind letters.

use async_trait::async_trait;
use dlo_app::desk::{CauseDesk, DeskError, GroupReport};
use dlo_domain::causes::{Behind, Causes};
use dlo_domain::ids::GroupId;
use dlo_domain::timeline::{About, Reach, Timeline};

use super::{PgDesk, samples, timeline};
use crate::breakdown::of_newest;
use crate::store::breakdown::{self, NewestLetters};
use crate::store::{causes, shared_time};

/// Letters of a group that are shown as examples.
const MOST_SAMPLES: usize = 6;

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
        let letters = NewestLetters::of_group(&mut conn, group).await?;
        Ok(causes::behind(&mut conn, &letters).await?)
    }

    async fn group_report(&self, id: GroupId, reach: Reach) -> Result<GroupReport, DeskError> {
        let mut connection = self.connection().await?;
        let found = breakdown::group_now(&mut connection, id).await?;
        let found = found.ok_or_else(|| super::groups::no_group(id))?;
        let now = self.clock.now();
        let (letters, breakdown) =
            of_newest(&mut connection, &self.comparisons, found, now).await?;
        let letters = &letters;
        let causes = async move {
            let timeline =
                timeline::of_group(self, &mut connection, (found.0, letters), reach).await?;
            Ok::<_, DeskError>((timeline, causes::behind(&mut connection, letters).await?))
        };
        let newest = &letters.ids[..letters.ids.len().min(MOST_SAMPLES)];
        let ((timeline, behind), samples) = tokio::try_join!(causes, samples::of(self, newest))?;
        Ok(GroupReport { breakdown, behind, timeline, samples })
    }

    async fn timeline(&self, about: &About, reach: Reach) -> Result<Timeline, DeskError> {
        timeline::read(self, about, reach).await
    }
}
