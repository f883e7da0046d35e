//! Writes how a source is doing, for pages, programs and people.

use dlo_domain::event::LiveEvent;
use dlo_domain::ids::SourceId;
use dlo_domain::source::SourceCondition;

use super::Intake;
use crate::store::{StoreError, events, sources};

/// The condition of one source: the last one is written as soon as Postgres takes it.
pub(super) struct Conditions<'a> {
    intake: &'a Intake,
    source: SourceId,
}

impl<'a> Conditions<'a> {
    pub(super) fn of(intake: &'a Intake, source: SourceId) -> Self {
        Self { intake, source }
    }

    /// Sets the condition. While Postgres is away nobody could read it anyway; the next one is
    /// written when it is back.
    pub(super) async fn set(&mut self, condition: SourceCondition, detail: Option<&str>) {
        if let Err(error) = self.write(condition, detail).await {
            tracing::debug!(%error, source = %self.source, "a condition was not written");
        }
    }

    async fn write(
        &self,
        condition: SourceCondition,
        detail: Option<&str>,
    ) -> Result<(), StoreError> {
        let detail = detail.map(|text| text.replace('\0', "\u{fffd}"));
        let mut transaction = self.intake.pool.begin().await?;
        let now = self.intake.clock.now();
        let changed = sources::set_condition(
            &mut transaction,
            self.source,
            condition,
            detail.as_deref(),
            now,
        )
        .await?;
        if changed {
            let event = LiveEvent::Source { source_id: self.source };
            events::notify(&mut transaction, &event).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}
