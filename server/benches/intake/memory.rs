//! How much memory this process takes: an office's intake, and beside it what fills its queue.

use std::error::Error;
use std::fs;

/// Forgets the peak until now.
pub fn forget_peak() -> Result<(), Box<dyn Error>> {
    Ok(fs::write("/proc/self/clear_refs", "5")?)
}

/// The most that was resident at once since then, in MiB.
pub fn peak_mib() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .ok_or("no VmHWM")?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib / 1024)
}
