//! A batch on its way into Postgres, on a task of its own: what is read meanwhile takes a core, and would hold it up.

use tokio::task::JoinSet;
use tracing::Instrument as _;

use super::Intake;
use super::buffer::Buffer;
use super::commit::{CommitError, Committed, Plan, commit};
use crate::store::batches::Session;
use crate::store::sources::Watched;

/// A batch that is being committed. When this is dropped, the commit ends as a kill would end it.
pub(super) struct Committing {
    task: JoinSet<Result<Written, CommitError>>,
}

/// A batch that is committed.
pub(super) struct Written {
    /// The batch.
    pub(super) buffer: Buffer,
    /// What was written with it.
    pub(super) plan: Plan,
    /// What came of it.
    pub(super) done: Committed,
}

impl Committing {
    /// Begins to commit a batch.
    pub(super) fn begin(
        (intake, source): (&Intake, &Watched),
        session: Session,
        mut buffer: Buffer,
        plan: Plan,
    ) -> Self {
        let (intake, source) = (intake.clone(), source.clone());
        let work = async move {
            let done = commit((&intake, &source), &session, &mut buffer, &plan).await?;
            Ok(Written { buffer, plan, done })
        };
        let mut task = JoinSet::new();
        task.spawn(work.in_current_span());
        Self { task }
    }

    /// Returns the batch once it is committed. It may be dropped while it waits.
    pub(super) async fn end(&mut self) -> Result<Written, CommitError> {
        match self.task.join_next().await {
            Some(Ok(written)) => written,
            Some(Err(why)) if why.is_panic() => std::panic::resume_unwind(why.into_panic()),
            // The runtime ends, and whoever waits here with it.
            _ => std::future::pending().await,
        }
    }

    /// Gives the commit up: when this returns, no statement of it is sent any more.
    pub(super) async fn give_up(mut self) {
        self.task.shutdown().await;
    }
}
