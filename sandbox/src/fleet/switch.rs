//! The switch of the fleet: whoever publishes `fixed` or `broken` to its queue says that the bugs in
//! the consumers are mended, or are back. So a person at the demo can mend a consumer and see a
//! replay succeed.

use futures_util::StreamExt as _;
use lapin::Connection;
use lapin::options::{BasicAckOptions, BasicConsumeOptions};
use lapin::types::FieldTable;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::supervision::{Shift, ShiftError};
use super::topology;

/// Listens at the queue.
pub(super) struct Switch {
    fixed: watch::Sender<bool>,
}

impl Switch {
    pub(super) fn new(fixed: watch::Sender<bool>) -> Self {
        Self { fixed }
    }

    /// Does what a message says; other words are passed over.
    fn turn(&self, word: &[u8]) {
        match word.trim_ascii() {
            b"fixed" => drop(self.fixed.send_replace(true)),
            b"broken" => drop(self.fixed.send_replace(false)),
            other => {
                let word = String::from_utf8_lossy(other);
                tracing::warn!(%word, "the switch of the fleet knows `fixed` and `broken`");
            }
        }
    }
}

impl Shift for Switch {
    fn name(&self) -> &'static str {
        "fleet-switch"
    }

    async fn ready(&mut self) {}

    async fn work(
        &mut self,
        connection: &Connection,
        stop: &CancellationToken,
    ) -> Result<(), ShiftError> {
        let channel = connection.create_channel().await?;
        let mut words = channel
            .basic_consume(
                topology::SWITCH.into(),
                "switch".into(),
                BasicConsumeOptions::default(),
                FieldTable::default(),
            )
            .await?;
        loop {
            let word = tokio::select! {
                word = words.next() => word.ok_or(ShiftError::Cancelled)??,
                () = stop.cancelled() => return Ok(()),
            };
            self.turn(&word.data);
            word.ack(BasicAckOptions::default()).await?;
        }
    }
}
