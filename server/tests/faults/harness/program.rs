//! A command that goes on until it is stopped.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::support::program::command;

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
