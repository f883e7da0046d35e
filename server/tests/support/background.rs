//! Duties of an office of which there is nothing else, within a test.

use std::sync::Arc;

use dlo_server::clock::SystemClock;
use dlo_server::duty::Duties;
use dlo_server::events::Hub;
use dlo_server::lifecycle::{self, Ending, Outcome, SOFT_LIMIT};
use futures_util::stream;

/// Duties under way.
pub struct Background {
    pub duties: Duties,
    ending: Ending,
}

impl Background {
    pub fn new() -> Self {
        let (lifecycle, ending) = lifecycle::begin(SOFT_LIMIT);
        let duties = Duties::new(lifecycle, Hub::default(), Arc::new(SystemClock));
        Self { duties, ending }
    }

    /// Ends them in order.
    pub async fn stop(self) {
        let outcome = self.ending.wait(stream::iter([()])).await;
        assert_eq!(outcome, Outcome::Done, "no panic, and an orderly end");
    }
}
