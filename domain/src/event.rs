//! What the server tells open pages and programs as it happens.

use serde::{Deserialize, Serialize};

use crate::ids::{LetterId, ReplayId, SourceId};

/// Something happened. Events are hints: the list itself is the truth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LiveEvent {
    /// New letters were stored.
    Arrived {
        /// From this source.
        source_id: SourceId,
        /// So many new letters.
        letters: u32,
        /// So many that were replayed and died again.
        died_again: u32,
    },
    /// Letters changed their state.
    Changed {
        /// Some of them.
        letters: Vec<LetterId>,
    },
    /// A replay went on.
    Replay {
        /// The replay.
        replay_id: ReplayId,
    },
    /// A source's condition changed.
    Source {
        /// The source.
        source_id: SourceId,
    },
    /// The rules changed, or stored letters were judged again by them.
    Rules,
    /// A retry policy changed, or went on: it took letters, planned tries, made some, or stopped.
    Policies,
    /// The queues of a broker were read again, or somebody took note of a finding.
    Topology,
    /// A retry policy gave up on letters: they wait for somebody.
    Exhausted {
        /// Some of them.
        letters: Vec<LetterId>,
    },
    /// Workers fell silent, came back, or were told to drain.
    Workers,
    /// Executions were failed, cancelled or handed to another worker here. Reports of workers tell nothing:
    /// there are too many.
    Executions,
    /// Alerts began, changed or ended, or somebody took note of one.
    Alerts,
    /// A channel was changed, took a message, or refused one.
    Channels,
    /// Events may have been missed: load again what is shown.
    Missed,
}
