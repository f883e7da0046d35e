//! Takes messages out of sources into Postgres.
//!
//! One task a source. A source's life is a row of sessions, each on a connection of its own; a
//! session that fails is followed by the next, after a pause that grows. Within a session:
//!
//! 1. `stint`s consume, or fetch where a consumer could delete the queue (`queue_lifetime`): batches are read, and committed in one transaction each;
//! 2. a stint ends with a fence: everything in flight is committed, and all of it acknowledged at once;
//! 3. in a batch that holds messages which were delivered before, `comparison` finds those that are
//!    stored, by what sessions left unsettled that ended; `recovery` finds out which did.
//!
//! Nothing is acknowledged before its commit, and nothing is ever rejected. Nothing is taken from a queue that
//! drops what comes back too often (`limit`), until that is lifted or somebody accepts what can be lost; and
//! whatever is in hand when a session ends is given back before its channel is closed.

mod acknowledgement;
mod buffer;
mod commit;
mod comparison;
mod condition;
mod leftovers;
mod limit;
mod memory;
mod mirror;
mod naming;
mod queue_lifetime;
mod receipts;
mod recovery;
mod reported;
mod session;
mod source;
mod stint;
mod strays;
mod supervisor;
mod undecodable;
mod window;

use std::sync::Arc;
use std::time::Duration;

use dlo_domain::ids::OfficeId;
use sqlx::PgPool;

use crate::broker::Brokers;
use crate::clock::SharedClock;
use crate::config::Patience;
use crate::duty::Duties;
use crate::judging::Judges;

/// Takes messages.
#[derive(Debug, Clone)]
pub struct Intake {
    /// Connections to Postgres.
    pub pool: PgPool,
    /// The brokers.
    pub brokers: Arc<Brokers>,
    /// Tells the time.
    pub clock: SharedClock,
    /// This office.
    pub office_id: OfficeId,
    /// Who judges what is taken.
    pub judges: Arc<Judges>,
    /// Its settings.
    pub settings: Settings,
}

/// How intake goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Messages of a source that may be unacknowledged at any time.
    pub prefetch: u16,
    /// Messages in one transaction, at most.
    pub batch: usize,
    /// How long a batch waits for more messages.
    pub linger: Duration,
    /// How long a management API may take to say what a queue is.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            prefetch: 2_000,
            batch: 150,
            linger: Duration::from_millis(50),
            patience: Patience::default().broker,
        }
    }
}

impl Intake {
    /// Has intake begin.
    pub fn begin(&self, duties: &Duties) {
        let supervisor = supervisor::Supervisor::new(self.clone());
        duties.every("taking letters", supervisor::LOOK_AGAIN, supervisor);
        let pause = leftovers::LOOK_AGAIN;
        let leftovers = leftovers::Leftovers { intake: self.clone(), pause };
        duties.every("deleting mirror queues", leftovers::LOOK_AGAIN, leftovers);
    }
}
