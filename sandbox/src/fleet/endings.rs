//! The executor hears which of its executions were ended without a worker, as a workflow that waits for
//! them would. It only takes note.

use lapin::Connection;
use tokio_util::sync::CancellationToken;

use super::supervision::{Shift, ShiftError, listen};
use super::topology;

/// Listens at the queue of `ExecutionCompleted`.
pub(super) struct Endings;

impl Shift for Endings {
    fn name(&self) -> &'static str {
        "executor-endings"
    }

    async fn ready(&mut self) {}

    async fn work(
        &mut self,
        connection: &Connection,
        stop: &CancellationToken,
    ) -> Result<(), ShiftError> {
        let heed = |told: &[u8]| {
            let told = String::from_utf8_lossy(told);
            tracing::debug!(%told, "an execution was ended");
        };
        listen(connection, (topology::ENDINGS, "executor"), stop, heed).await
    }
}
