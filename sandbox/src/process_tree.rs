//! Which processes descend from which, read from `/proc`. Looks only, signals nothing.

use std::collections::HashSet;
use std::fs;

/// A process, told apart from a later one that is given the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessId {
    pub(crate) pid: i32,
    /// When the kernel started it, in clock ticks since boot.
    pub(crate) started: u64,
}

struct Entry {
    id: ProcessId,
    parent: i32,
}

/// The process with this id, unless it is gone or only waits to be collected.
pub(crate) fn find(pid: i32) -> Option<ProcessId> {
    entry(pid).map(|entry| entry.id)
}

/// Whether this very process still runs.
pub(crate) fn is_alive(id: ProcessId) -> bool {
    find(id.pid) == Some(id)
}

/// The process and everything below it, itself first; nothing when it is gone.
pub(crate) fn family(root: ProcessId) -> Vec<ProcessId> {
    if !is_alive(root) {
        return Vec::new();
    }
    let everybody = everybody();
    let mut known = HashSet::from([root.pid]);
    let mut family = vec![root];
    let mut next = 0;
    while let Some(parent) = family.get(next).map(|id| id.pid) {
        let children = everybody.iter().filter(|entry| entry.parent == parent);
        family.extend(children.map(|entry| entry.id).filter(|id| known.insert(id.pid)));
        next += 1;
    }
    family
}

fn everybody() -> Vec<Entry> {
    let Ok(directory) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    directory.filter_map(|found| entry(found.ok()?.file_name().to_str()?.parse().ok()?)).collect()
}

fn entry(pid: i32) -> Option<Entry> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(pid: i32, stat: &str) -> Option<Entry> {
    // The second field is the program's name in parentheses and may hold anything.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    let started = fields.get(19)?.parse().ok()?;
    let parent = fields.get(1)?.parse().ok()?;
    Some(Entry { id: ProcessId { pid, started }, parent })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &str = "4 7 7 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 987654 11 12";

    #[test]
    fn a_name_with_parentheses_and_spaces_is_read() {
        let entry = parse(7, &format!("7 (a) S 1 ) S {FIELDS}")).expect("as the test arranged it");
        assert_eq!(entry.id, ProcessId { pid: 7, started: 987_654 });
        assert_eq!(entry.parent, 4);
    }

    #[test]
    fn a_process_that_waits_to_be_collected_is_gone() {
        assert!(parse(7, &format!("7 (a) Z {FIELDS}")).is_none());
        assert!(parse(7, "").is_none());
    }

    #[test]
    fn our_own_family_begins_with_ourselves() {
        let pid = i32::try_from(std::process::id()).expect("as the test arranged it");
        let ourselves = find(pid).expect("as the test arranged it");
        assert_eq!(family(ourselves).first(), Some(&ourselves));
        assert!(family(ProcessId { pid, started: 0 }).is_empty());
    }
}
