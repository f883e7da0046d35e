//! What the port answers about error reports.

use async_trait::async_trait;
use dlo_domain::audit::Actor;
use dlo_domain::error_report::{KeptErrorReport, NewErrorReport};
use dlo_domain::ids::{ErrorReportId, LetterId};

use super::DeskError;

/// The part of the port that is about error reports.
#[async_trait]
pub trait ErrorReportDesk: Sync {
    /// Keeps a report. It is joined to its letter soon after, or when that arrives.
    async fn report_error(
        &self,
        reporter: &Actor,
        report: NewErrorReport,
    ) -> Result<KeptErrorReport, DeskError>;

    /// One report, with what became of it.
    async fn error_report(&self, id: ErrorReportId) -> Result<KeptErrorReport, DeskError>;

    /// The reports that a letter shows, at most 20: its last arrival's first, of each the newest first. Empty if the
    /// letter is not known. Their stack traces are left out.
    async fn error_reports_of(&self, letter: LetterId) -> Result<Vec<KeptErrorReport>, DeskError>;
}
