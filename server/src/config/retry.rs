//! Carrying out retry policies.

use super::file::Reader;
use super::value::switch;

/// The section `[retry]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryConfig {
    /// Whether this office asks policies of letters, and plans and makes their tries. Publishing is
    /// the replay engine's, of this office or another.
    pub enabled: bool,
}

impl Default for RetryConfig {
    fn default() -> Self {
        Self { enabled: true }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> RetryConfig {
    let usual = RetryConfig::default();
    let mut table = reader.table("retry");
    let enabled = reader.setting(&mut table, "enabled", Some("DLO_RETRY"), switch);
    reader.close(table);
    RetryConfig { enabled: enabled.unwrap_or(usual.enabled) }
}
