//! How much memory an office takes.

use std::error::Error;
use std::fs;

/// The most that was resident at once in a process, in MiB (`VmHWM` of proc(5)).
pub fn peak_mib(pid: &str) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib / 1024)
}
