//! Looking after workers.

use super::file::Reader;
use super::value::{networks, switch};
use crate::outbound::Allowed;

/// The section `[fleet]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetConfig {
    /// Whether this office says which workers fell silent. Heartbeats over HTTP are taken wherever
    /// HTTP is served.
    pub enabled: bool,
    /// Whether this office hears heartbeats that come as messages, from every broker.
    pub heartbeats: bool,
    /// Whether this office asks the addresses that workers name.
    pub probes: bool,
    /// Addresses that are asked although they are not public.
    pub probe_allow: Allowed,
}

impl Default for FleetConfig {
    fn default() -> Self {
        Self { enabled: true, heartbeats: true, probes: true, probe_allow: Allowed::default() }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> FleetConfig {
    let usual = FleetConfig::default();
    let mut table = reader.table("fleet");
    let enabled = reader.setting(&mut table, "enabled", Some("DLO_FLEET"), switch);
    let heartbeats = Some("DLO_FLEET_HEARTBEATS");
    let heartbeats = reader.setting(&mut table, "heartbeats", heartbeats, switch);
    let probes = reader.setting(&mut table, "probes", Some("DLO_FLEET_PROBES"), switch);
    let allow = Some("DLO_FLEET_PROBE_ALLOW");
    let allow = reader.setting(&mut table, "probe_allow", allow, networks);
    reader.close(table);
    FleetConfig {
        enabled: enabled.unwrap_or(usual.enabled),
        heartbeats: heartbeats.unwrap_or(usual.heartbeats),
        probes: probes.unwrap_or(usual.probes),
        probe_allow: allow.unwrap_or(usual.probe_allow),
    }
}
