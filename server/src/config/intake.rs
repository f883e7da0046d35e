//! Taking letters out of sources.

use std::time::Duration;

use super::file::Reader;
use super::value::{millis, number, switch};

/// The section `[intake]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeConfig {
    /// Whether this office takes letters.
    pub enabled: bool,
    /// Deliveries that a source may have open at once.
    pub prefetch: u16,
    /// At most this many letters in one transaction.
    pub batch: u16,
    /// How long a batch waits to be filled.
    pub linger: Duration,
}

impl Default for IntakeConfig {
    fn default() -> Self {
        Self { enabled: true, prefetch: 2_000, batch: 150, linger: Duration::from_millis(50) }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> IntakeConfig {
    let usual = IntakeConfig::default();
    let mut table = reader.table("intake");
    let enabled = reader.setting(&mut table, "enabled", Some("DLO_INTAKE"), switch);
    let prefetch = number(1, u16::MAX);
    let prefetch = reader.setting(&mut table, "prefetch", Some("DLO_INTAKE_PREFETCH"), prefetch);
    let batch = reader.setting(&mut table, "batch", Some("DLO_INTAKE_BATCH"), number(1, 5_000));
    let linger = Some("DLO_INTAKE_LINGER_MS");
    let linger = reader.setting(&mut table, "linger_ms", linger, millis(10_000));
    reader.close(table);
    IntakeConfig {
        enabled: enabled.unwrap_or(usual.enabled),
        prefetch: prefetch.unwrap_or(usual.prefetch),
        batch: batch.unwrap_or(usual.batch),
        linger: linger.unwrap_or(usual.linger),
    }
}
