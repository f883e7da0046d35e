//! One process of the sandbox: started only after the janitor knows it, signalled by its id,
//! ended with everything below it. Knows nothing of Postgres or RabbitMQ.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::account::Account;
use crate::environment;
use crate::error::SandboxError;
use crate::janitor::Janitor;
use crate::process_tree::{self, ProcessId};

/// Waits for a line and then becomes the program, under the same id. Where we die before
/// the janitor was told, the line never comes and nothing is started.
const GATE: &str = r#"read -r go && exec "$@" </dev/null"#;

/// How a process is asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goodbye {
    /// SIGINT: Postgres ends its sessions, writes a checkpoint and stops.
    Interrupt,
    /// SIGQUIT: Postgres stops at once and recovers at the next start.
    Quit,
    /// SIGTERM: RabbitMQ stops in good order.
    Terminate,
    /// SIGKILL
    Kill,
}

impl Goodbye {
    /// The signal's name for `kill -s`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "INT",
            Self::Quit => "QUIT",
            Self::Terminate => "TERM",
            Self::Kill => "KILL",
        }
    }

    fn signal(self) -> Signal {
        match self {
            Self::Interrupt => Signal::INT,
            Self::Quit => Signal::QUIT,
            Self::Terminate => Signal::TERM,
            Self::Kill => Signal::KILL,
        }
    }
}

/// What to start, and how.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// The whole environment besides the search path and the locale: what the person who
    /// started us has set for other servers must not reach this one.
    pub(crate) environment: Vec<(&'static str, String)>,
    pub(crate) account: Option<Account>,
    pub(crate) directory: PathBuf,
    pub(crate) log: File,
}

impl Launch {
    fn command(self) -> io::Result<Command> {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", GATE, "gate"])
            .arg(&self.program)
            .args(&self.arguments)
            .env_clear()
            .env("PATH", environment::search_path())
            .env("LANG", "C.UTF-8")
            .envs(self.environment)
            .current_dir(&self.directory)
            .stdin(Stdio::piped())
            .stderr(self.log.try_clone()?)
            .stdout(self.log)
            // Ctrl-C in the terminal is for us alone: we stop the servers in order.
            .process_group(0);
        if let Some(account) = self.account {
            command.uid(account.uid).gid(account.gid);
        }
        Ok(command)
    }
}

/// A running process that the janitor watches.
#[derive(Debug)]
pub(crate) struct Process {
    name: String,
    child: Child,
    id: ProcessId,
    janitor: Arc<Janitor>,
}

impl Process {
    /// Starts a process. `by` is how the janitor is to end it.
    pub(crate) async fn start(
        launch: Launch,
        janitor: &Arc<Janitor>,
        by: Goodbye,
    ) -> Result<Self, SandboxError> {
        let name = file_name(&launch.program);
        let directory = launch.directory.clone();
        let failed = |source| SandboxError::Launch { program: name.clone(), directory, source };
        let spawned = launch.command().and_then(|mut command| command.spawn());
        let (mut child, id) = match spawned.and_then(identify) {
            Ok(found) => found,
            Err(source) => return Err(failed(source)),
        };
        janitor.watch(id, by).await?;
        let mut gate = child.stdin.take().expect("the input was asked to be a pipe");
        if let Err(source) = gate.write_all(b"go\n").await {
            return Err(failed(source));
        }
        Ok(Self { name, child, id, janitor: Arc::clone(janitor) })
    }

    pub(crate) fn pid(&self) -> i32 {
        self.id.pid
    }

    /// How the process ended, when it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits for the process to end by itself; `None` when it takes longer than `patience`.
    pub(crate) async fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        timeout(patience, self.child.wait()).await.ok()?.ok()
    }

    /// Stops the process and all below it where they stand (SIGSTOP).
    pub(crate) fn pause(&self) -> Result<(), SandboxError> {
        self.signal_family(Signal::STOP)
    }

    /// Lets them go on (SIGCONT).
    pub(crate) fn resume(&self) -> Result<(), SandboxError> {
        self.signal_family(Signal::CONT)
    }

    /// Asks the process to end, and ends it and all below it by force when `patience` is
    /// over. When this returns nothing of it runs.
    pub(crate) async fn end(mut self, by: Goodbye, patience: Duration) -> Result<(), SandboxError> {
        let family = process_tree::family(self.id);
        if by != Goodbye::Kill {
            // A paused process would not act on the signal.
            self.resume()?;
            self.signal(self.id, by.signal())?;
            if self.wait(patience).await.is_none() {
                tracing::warn!(program = self.name, "did not end when asked to and is killed");
            }
        }
        // Also those that outlived their parent: they hold its files and memory.
        family.iter().try_for_each(|id| self.signal(*id, Signal::KILL))?;
        let _ = self.wait(patience).await;
        let deadline = Instant::now() + patience;
        while family.iter().any(|id| process_tree::is_alive(*id)) && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.janitor.forget(self.id).await;
        Ok(())
    }

    fn signal_family(&self, signal: Signal) -> Result<(), SandboxError> {
        let family = process_tree::family(self.id);
        family.into_iter().try_for_each(|id| self.signal(id, signal))
    }

    fn signal(&self, id: ProcessId, signal: Signal) -> Result<(), SandboxError> {
        let Some(pid) = Pid::from_raw(id.pid).filter(|_| process_tree::is_alive(id)) else {
            return Ok(());
        };
        match kill_process(pid, signal) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(errno) => {
                Err(SandboxError::Signal { program: self.name.clone(), source: errno.into() })
            }
        }
    }
}

fn identify(child: Child) -> io::Result<(Child, ProcessId)> {
    // The child waits at the gate, so it is there to be looked at.
    let id = child
        .id()
        .and_then(|pid| i32::try_from(pid).ok())
        .and_then(process_tree::find)
        .ok_or_else(|| io::Error::other("it ended at once"))?;
    Ok((child, id))
}

fn file_name(program: &Path) -> String {
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
