//! Queues that confirm letters and keep none of them, as the topology was read last. What is confirmed there
//! is not known to be delivered.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::time::Instant;

use super::halt::{Halt, persist};
use super::lane::Line;
use crate::store::topology::{self, Place};

/// How often a lane looks whether its vhost was read anew.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The queues of a vhost that keep nothing, each with what it does.
#[derive(Debug, Default)]
pub(super) struct KeepingNothing {
    queues: BTreeMap<String, String>,
    read_at: Option<DateTime<Utc>>,
    looked_at: Option<Instant>,
}

impl KeepingNothing {
    /// What a queue does that keeps nothing; `None` for any other.
    pub(super) fn says(&self, queue: &str) -> Option<&str> {
        self.queues.get(queue).map(String::as_str)
    }
}

impl Line<'_> {
    /// Takes up what was read of the vhost since the last look.
    pub(super) async fn look_at_capacity(&self, known: &mut KeepingNothing) -> Result<(), Halt> {
        let since = known.looked_at.map(|at| at.elapsed());
        if since.is_some_and(|since| since < LOOK_EVERY) {
            return Ok(());
        }
        let (engine, read_at) = (self.engine, known.read_at);
        let place = Place { broker: &self.lane.broker, vhost: &self.lane.vhost };
        let found = persist!(engine, conn => topology::one_other_than(conn, place, read_at).await);
        match found {
            Ok(Some(kept)) => {
                let queues = kept.vhost.keeping_nothing();
                known.queues = queues.map(|(name, says)| (name.to_owned(), says)).collect();
                known.read_at = Some(kept.read_at);
            }
            Ok(None) => {}
            Err(Halt::Store(why)) => {
                tracing::debug!(%why, "it is not known which queues keep nothing");
            }
            Err(halt) => return Err(halt),
        }
        known.looked_at = Some(Instant::now());
        Ok(())
    }
}
