//! Watching the queues of brokers.

use std::time::Duration;

use super::file::Reader;
use super::value::{seconds, switch};

/// The section `[topology]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopologyConfig {
    /// Whether this office reads the queues of brokers, through their management APIs.
    pub enabled: bool,
    /// How often a broker is read, by whichever office.
    pub every: Duration,
    /// How long a queue may be without consumers before that is a finding.
    pub idle_after: Duration,
}

impl Default for TopologyConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            every: Duration::from_secs(30),
            idle_after: Duration::from_secs(dlo_domain::topology::USUAL_PATIENCE_SECONDS.into()),
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> TopologyConfig {
    let usual = TopologyConfig::default();
    let mut table = reader.table("topology");
    let enabled = reader.setting(&mut table, "enabled", Some("DLO_TOPOLOGY"), switch);
    let every = reader.setting(
        &mut table,
        "every_secs",
        Some("DLO_TOPOLOGY_EVERY_SECS"),
        seconds(1, 86_400),
    );
    let idle_after = reader.setting(
        &mut table,
        "idle_after_secs",
        Some("DLO_TOPOLOGY_IDLE_AFTER_SECS"),
        seconds(1, 31_536_000),
    );
    reader.close(table);
    TopologyConfig {
        enabled: enabled.unwrap_or(usual.enabled),
        every: every.unwrap_or(usual.every),
        idle_after: idle_after.unwrap_or(usual.idle_after),
    }
}
