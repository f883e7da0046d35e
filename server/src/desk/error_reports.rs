//! Error reports: taken, and shown with what became of them.

use async_trait::async_trait;
use dlo_app::desk::{DeskError, ErrorReportDesk};
use dlo_domain::audit::Actor;
use dlo_domain::error_report::{KeptErrorReport, NewErrorReport};
use dlo_domain::ids::{ErrorReportId, LetterId};

use super::PgDesk;
use crate::clock::new_id;
use crate::store::{error_reports, shared_time};

/// Reports of a letter that an answer has.
const MOST_OF_LETTER: i64 = 20;

#[async_trait]
impl ErrorReportDesk for PgDesk {
    async fn report_error(
        &self,
        reporter: &Actor,
        report: NewErrorReport,
    ) -> Result<KeptErrorReport, DeskError> {
        let report = report.check().map_err(|why| DeskError::Invalid(why.to_string()))?;
        let id = ErrorReportId(new_id(&*self.clock));
        let mut transaction = self.begin().await?;
        let now = shared_time(&mut transaction, &*self.clock).await?;
        error_reports::insert(&mut transaction, (id, &reporter.0), &report, now).await?;
        let kept = error_reports::one(&mut transaction, id, now).await?;
        transaction.commit().await.map_err(super::error::of_commit)?;
        kept.ok_or_else(|| no_report(id))
    }

    async fn error_report(&self, id: ErrorReportId) -> Result<KeptErrorReport, DeskError> {
        let mut conn = self.connection().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        error_reports::one(&mut conn, id, now).await?.ok_or_else(|| no_report(id))
    }

    async fn error_reports_of(&self, letter: LetterId) -> Result<Vec<KeptErrorReport>, DeskError> {
        let mut conn = self.connection().await?;
        Ok(error_reports::of_letter(&mut conn, letter, MOST_OF_LETTER).await?)
    }
}

fn no_report(id: ErrorReportId) -> DeskError {
    DeskError::NotFound(format!(
        "error report {id} is not known: one that no letter shows is removed a day after it came"
    ))
}
