//! Looking after workers.

use super::file::Reader;
use super::value::switch;

/// The section `[fleet]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FleetConfig {
    /// Whether this office says which workers fell silent. Heartbeats over HTTP are taken wherever
    /// HTTP is served.
    pub enabled: bool,
    /// Whether this office hears heartbeats that come as messages, from every broker.
    pub heartbeats: bool,
}

impl Default for FleetConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            heartbeats: true,
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> FleetConfig {
    let usual = FleetConfig::default();
    let mut table = reader.table("fleet");
    let enabled = reader.setting(&mut table, "enabled", Some("DLO_FLEET"), switch);
    let heartbeats = Some("DLO_FLEET_HEARTBEATS");
    let heartbeats = reader.setting(&mut table, "heartbeats", heartbeats, switch);
    reader.close(table);
    FleetConfig {
        enabled: enabled.unwrap_or(usual.enabled),
        heartbeats: heartbeats.unwrap_or(usual.heartbeats),
    }
}
