//! Publishing letters again.

use std::time::Duration;

use super::file::Reader;
use super::value::{number, seconds, switch};

/// The section `[replay]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayConfig {
    /// Whether this office publishes.
    pub enabled: bool,
    /// At most this many letters are on their way at once.
    pub window: u16,
    /// A replayed letter that has not come back for so long is resolved.
    pub settle_after: Duration,
}

impl Default for ReplayConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            window: 100,
            settle_after: Duration::from_hours(24),
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> ReplayConfig {
    let usual = ReplayConfig::default();
    let mut table = reader.table("replay");
    let enabled = reader.setting(&mut table, "enabled", Some("DLO_REPLAY"), switch);
    let window = reader.setting(
        &mut table,
        "window",
        Some("DLO_REPLAY_WINDOW"),
        number(1, 1_000),
    );
    let settle_after = reader.setting(
        &mut table,
        "settle_after_secs",
        Some("DLO_REPLAY_SETTLE_AFTER_SECS"),
        seconds(1, 31_536_000),
    );
    reader.close(table);
    ReplayConfig {
        enabled: enabled.unwrap_or(usual.enabled),
        window: window.unwrap_or(usual.window),
        settle_after: settle_after.unwrap_or(usual.settle_after),
    }
}
