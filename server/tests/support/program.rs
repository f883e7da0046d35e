//! The program itself, in an environment that holds nothing but what the test says.

use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// `dlo` with these arguments, in an empty directory.
fn command(arguments: &[&str], variables: &[(&str, &str)], directory: &std::path::Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dlo"));
    command
        .args(arguments)
        .env_clear()
        .env("PATH", path())
        .envs(variables.iter().copied())
        .current_dir(directory)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

#[expect(
    clippy::disallowed_methods,
    reason = "the sandbox looks for its programs there"
)]
fn path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

/// What a command said, and whether it went well.
pub struct Said {
    /// Exit code 0.
    pub well: bool,
    /// For programs.
    pub out: String,
    /// For people.
    pub err: String,
}

/// Runs a command to its end, with a `dlo.toml` if one is given.
pub async fn run(arguments: &[&str], variables: &[(&str, &str)], file: Option<&str>) -> Said {
    let directory = tempfile::tempdir().expect("a directory");
    if let Some(text) = file {
        std::fs::write(directory.path().join("dlo.toml"), text).expect("written");
    }
    let ending = command(arguments, variables, directory.path()).output();
    let ended = tokio::time::timeout(Duration::from_mins(1), ending).await;
    let Output {
        status,
        stdout,
        stderr,
    } = ended.expect("in time").expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Said {
        well: status.success(),
        out: text(stdout),
        err: text(stderr),
    }
}

/// A command that goes on until it is stopped.
pub struct Running {
    child: Child,
    /// The line of JSON that it printed when it was ready.
    pub ready: Value,
}

impl Running {
    /// Starts it, and waits for its line.
    pub async fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        dlo_server::tls::install_provider();
        let directory = std::env::temp_dir();
        let mut child = command(arguments, variables, &directory)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let out = child.stdout.take().expect("piped");
        let mut lines = BufReader::new(out).lines();
        let line = tokio::time::timeout(Duration::from_mins(1), lines.next_line()).await;
        let line = line.expect("in time").expect("readable").expect("a line");
        let ready = serde_json::from_str(&line).expect("JSON");
        Self { child, ready }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Sends a signal.
    pub async fn signal(&self, name: &str) {
        let pid = self.child.id().expect("it runs").to_string();
        let sent = Command::new("kill").args([name, &pid]).status().await;
        assert!(sent.expect("kill runs").success());
    }

    /// Waits for its end; says whether that was in good order.
    pub async fn ended(mut self, within_secs: u64) -> bool {
        let limit = Duration::from_secs(within_secs);
        let ended = tokio::time::timeout(limit, self.child.wait()).await;
        ended.expect("in time").expect("a status").success()
    }
}
