//! The switch of the fleet: whoever publishes `fixed` or `broken` to its queue says that the bugs in
//! the consumers are mended, or are back. So a person at the demo can mend a consumer and see a
//! replay succeed.

use lapin::Connection;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::supervision::{Shift, ShiftError, listen};
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
        let heed = |word: &[u8]| self.turn(word);
        listen(connection, (topology::SWITCH, "switch"), stop, heed).await
    }
}
