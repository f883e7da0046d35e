//! The executor hears which of its executions were ended without a worker, as a workflow that waits for
//! them would. It only takes note.

use futures_util::StreamExt as _;
use lapin::Connection;
use lapin::options::{BasicAckOptions, BasicConsumeOptions};
use lapin::types::FieldTable;
use tokio_util::sync::CancellationToken;

use super::supervision::{Shift, ShiftError};
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
        let channel = connection.create_channel().await?;
        let mut endings = channel
            .basic_consume(
                topology::ENDINGS.into(),
                "executor".into(),
                BasicConsumeOptions::default(),
                FieldTable::default(),
            )
            .await?;
        loop {
            let ending = tokio::select! {
                ending = endings.next() => ending.ok_or(ShiftError::Cancelled)??,
                () = stop.cancelled() => return Ok(()),
            };
            let told = String::from_utf8_lossy(&ending.data);
            tracing::debug!(%told, "an execution was ended");
            ending.ack(BasicAckOptions::default()).await?;
        }
    }
}
