//! Offices as processes of their own, which can be killed and looked into.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;
use std::time::Duration;

use dlo_server::broker::Brokers;
use tempfile::NamedTempFile;
use tokio::process::{Child, Command};

use crate::support::until_within;

/// Lines of the log that a failed test shows.
const SHOWN_LINES: usize = 25;

/// Where the offices of one test run, and what they all say: a test that fails shows the end of it.
pub struct Premises {
    database: String,
    brokers: Brokers,
    log: NamedTempFile,
}

impl Premises {
    /// Offices that work on this database and broker.
    pub fn new(database: String, brokers: &Brokers) -> Self {
        let log = NamedTempFile::new().expect("a file");
        Self { database, brokers: brokers.clone(), log }
    }

    /// Starts `dlo serve` without HTTP.
    pub fn open(&self) -> Serve {
        self.open_with(&[])
    }

    /// The same with more variables.
    pub fn open_with(&self, variables: &[(&str, &str)]) -> Serve {
        let broker = self.brokers.get("main").expect("the main broker");
        let log = std::fs::File::options().append(true).open(self.log.path());
        let child = Command::new(env!("CARGO_BIN_EXE_dlo"))
            .arg("serve")
            .env("DLO_DATABASE_URL", &self.database)
            .env("DLO_BROKER_URL", &broker.amqp)
            .env("DLO_MANAGEMENT_URL", broker.management.as_deref().unwrap_or_default())
            .env("DLO_HTTP", "off")
            .env("DLO_LOG", "warn,dlo_server=debug")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.expect("opened"))
            .kill_on_drop(true)
            .spawn()
            .expect("dlo starts");
        Serve(child)
    }

    /// The last lines of what the offices said.
    pub fn last_words(&self) -> String {
        let said = std::fs::read_to_string(self.log.path()).unwrap_or_default();
        let lines: Vec<&str> = said.lines().collect();
        lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
    }
}

/// `dlo serve` without HTTP.
pub struct Serve(Child);

impl Serve {
    /// kill -9.
    pub async fn kill(mut self) {
        self.0.kill().await.expect("killed");
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("a child of ours").is_some()
    }

    /// Waits until it kills itself as kill -9 would.
    pub async fn killed_itself(mut self) {
        let ended = tokio::time::timeout(Duration::from_mins(1), self.0.wait()).await;
        let status = ended.expect("it comes to its failpoint within 60 s").expect("a status");
        assert_eq!(status.signal(), Some(9), "dlo ended with {status}");
    }

    /// The most memory that it ever had, in KiB, as Linux tells (`VmHWM` of proc(5)).
    pub fn most_memory_kib(&self) -> u64 {
        let pid = self.0.id().expect("it runs").to_string();
        memory_kib(&pid, "VmHWM:")
    }

    /// Asks it to end, and waits.
    ///
    /// An office that has only just been opened does not listen yet, and the signal would end it as
    /// any program: it is asked once it listens.
    pub async fn stop(mut self) {
        let pid = self.0.id().expect("it runs").to_string();
        until_within("dlo listens to SIGTERM", Duration::from_secs(30), || async {
            catches_sigterm(&pid)
        })
        .await;
        let told = Command::new("kill").args(["-TERM", &pid]).status().await;
        assert!(told.expect("kill runs").success());
        let ended = tokio::time::timeout(Duration::from_secs(30), self.0.wait()).await;
        let status = ended.expect("it ends within 30 s").expect("a status");
        assert!(status.success(), "dlo ended with {status}");
    }
}

/// Whether a process has a handler for SIGTERM, as Linux tells (`SigCgt` of proc(5)).
fn catches_sigterm(pid: &str) -> bool {
    const SIGTERM: u64 = 1 << (15 - 1);
    u64::from_str_radix(&told(pid, "SigCgt:"), 16).expect("hex") & SIGTERM != 0
}

/// A figure of the memory of a process, in KiB, by its name in proc(5).
pub fn memory_kib(pid: &str, name: &str) -> u64 {
    let told = told(pid, name);
    told.trim_end_matches("kB").trim().parse().expect("KiB")
}

/// What Linux tells of a process.
fn told(pid: &str, what: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let mut lines = status.lines();
    let told = lines.find_map(|line| line.strip_prefix(what));
    told.expect("Linux tells").trim().to_owned()
}
