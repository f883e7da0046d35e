//! The log file of one server: where it writes, and what it said last when it failed.

use std::fs::{self, File, OpenOptions};
use std::path::PathBuf;

use crate::error::{SandboxError, at};

const LAST_LINES: usize = 20;

/// A log file that grows with every start of its server.
#[derive(Clone, Debug)]
pub(crate) struct ServerLog {
    path: PathBuf,
    kept: bool,
}

impl ServerLog {
    /// `kept` says whether the file outlives the sandbox.
    pub(crate) fn new(path: PathBuf, kept: bool) -> Self {
        Self { path, kept }
    }

    /// Opens the file for a server to write to.
    pub(crate) fn open(&self) -> Result<File, SandboxError> {
        OpenOptions::new().create(true).append(true).open(&self.path).map_err(at(&self.path))
    }

    /// How long the file is now, in bytes: what comes later is the next start's.
    pub(crate) fn length(&self) -> usize {
        fs::read(&self.path).map_or(0, |text| text.len())
    }

    /// What was written after the first `offset` bytes.
    pub(crate) fn since(&self, offset: usize) -> String {
        let text = fs::read(&self.path).unwrap_or_default();
        String::from_utf8_lossy(text.get(offset..).unwrap_or_default()).into_owned()
    }

    /// The last lines and the file's place, for an error text.
    pub(crate) fn ending(&self) -> String {
        let text = self.since(0);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default();
        let path = self.path.display();
        let place = if self.kept {
            format!("Its log is {path}")
        } else {
            format!(
                "Its log {path} was removed with the temporary directory \
                 (name a data directory to keep it)"
            )
        };
        if last.is_empty() {
            return format!("{place}; it is empty.");
        }
        format!("{place}; it ends with:\n{}", last.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_are_told() {
        let path = std::env::temp_dir().join(format!("dlo-log-{}", uuid::Uuid::new_v4()));
        let lines: Vec<String> = (1..=50).map(|number| format!("line {number}.")).collect();
        fs::write(&path, lines.join("\n")).expect("as the test arranged it");
        let log = ServerLog::new(path.clone(), true);
        let ending = log.ending();
        let offset = log.length() - "line 50.".len();
        let since = log.since(offset);
        fs::remove_file(&path).expect("as the test arranged it");
        assert!(ending.contains("line 31.") && ending.ends_with("line 50."), "{ending}");
        assert!(!ending.contains("line 30."), "{ending}");
        assert_eq!(since, "line 50.");
    }

    #[test]
    fn a_log_that_does_not_exist_is_empty() {
        let log = ServerLog::new(PathBuf::from("/nonexistent/log"), false);
        assert_eq!(log.length(), 0);
        assert!(log.ending().ends_with("it is empty."));
    }
}
