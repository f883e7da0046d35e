//! The process that ends the servers when ours is gone. It is a shell script in a session of
//! its own that reads a pipe which only we hold: the pipe closes when we close it and when we
//! die, by whatever signal. It ends exactly the processes that it was told about.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::Mutex;

use crate::error::SandboxError;
use crate::process::Goodbye;
use crate::process_tree::ProcessId;

const SCRIPT: &str = include_str!("janitor.sh");

/// Longer than the script itself waits for the processes that it ends.
const PATIENCE: Duration = Duration::from_secs(30);

/// The janitor of one sandbox. Dropping it sets the script to work.
#[derive(Debug)]
pub(crate) struct Janitor {
    child: Child,
    pipe: Mutex<ChildStdin>,
}

impl Janitor {
    /// Starts the script. It will remove `directory` at the end, and holds `lock` until then.
    pub(crate) fn start(
        directory: Option<&Path>,
        lock: Option<File>,
    ) -> Result<Self, SandboxError> {
        let mut child = Command::new("setsid")
            .args(["/bin/sh", "-c", SCRIPT, "dlo-sandbox-janitor"])
            .args(directory)
            .current_dir("/")
            .stdin(Stdio::piped())
            // An open file with a lock on it is handed over the way any open file is.
            .stdout(lock.map_or_else(Stdio::null, Stdio::from))
            .stderr(Stdio::null())
            .spawn()
            .map_err(SandboxError::Janitor)?;
        let pipe = child.stdin.take().expect("the input was asked to be a pipe");
        Ok(Self { child, pipe: Mutex::new(pipe) })
    }

    /// The janitor ends this process, and all below it, when we are gone.
    pub(crate) async fn watch(&self, id: ProcessId, by: Goodbye) -> Result<(), SandboxError> {
        self.tell(&format!("watch {} {} {}\n", id.pid, id.started, by.name())).await
    }

    /// The process has ended; its id may be given to a stranger.
    pub(crate) async fn forget(&self, id: ProcessId) {
        // A janitor that is gone has forgotten as well.
        let _ = self.tell(&format!("forget {}\n", id.pid)).await;
    }

    /// Lets the script end what still runs and remove the directory, and waits for it.
    pub(crate) async fn finish(mut self) -> Result<(), SandboxError> {
        drop(self.pipe);
        match tokio::time::timeout(PATIENCE, self.child.wait()).await {
            Ok(ended) => ended.map(drop).map_err(SandboxError::Janitor),
            Err(late) => Err(SandboxError::Janitor(late.into())),
        }
    }

    async fn tell(&self, line: &str) -> Result<(), SandboxError> {
        let mut pipe = self.pipe.lock().await;
        pipe.write_all(line.as_bytes()).await.map_err(SandboxError::Janitor)?;
        pipe.flush().await.map_err(SandboxError::Janitor)
    }
}
