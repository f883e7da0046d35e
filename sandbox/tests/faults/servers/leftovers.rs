//! What a sandbox has on the machine: its directory, its processes, its ports.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dlo_sandbox::Endpoints;
use reqwest::Url;

/// Everything that a sandbox must take with it.
#[derive(Debug)]
pub struct Belongings {
    pub directory: PathBuf,
    pub ports: Vec<u16>,
}

impl Belongings {
    pub fn of(endpoints: &Endpoints, directory: &Path) -> Self {
        let addresses = [&endpoints.database, &endpoints.amqp, &endpoints.management];
        let ports = addresses.map(|address| port_of(address)).to_vec();
        Self { directory: directory.to_owned(), ports }
    }

    /// What is still there, in words; empty when nothing is.
    pub fn remaining(&self) -> Vec<String> {
        let mut remaining: Vec<String> = self
            .ports
            .iter()
            .filter(|port| std::net::TcpStream::connect(("127.0.0.1", **port)).is_ok())
            .map(|port| format!("port {port} is open"))
            .collect();
        remaining.extend(processes_of(&self.directory));
        if self.directory.exists() {
            remaining.push(format!("{} exists", self.directory.display()));
        }
        remaining
    }

    pub async fn assert_gone_within(&self, patience: Duration) {
        assert_none_within(patience, || self.remaining()).await;
    }
}

/// No process of the directory runs any more. Erlang's helper for child processes ends by itself, a
/// moment after the node that was killed.
pub async fn assert_idle(directory: &Path) {
    assert_none_within(Duration::from_secs(5), || processes_of(directory)).await;
}

async fn assert_none_within(patience: Duration, remaining: impl Fn() -> Vec<String>) {
    let deadline = Instant::now() + patience;
    loop {
        let found = remaining();
        if found.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "left behind: {found:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

pub fn port_of(address: &str) -> u16 {
    Url::parse(address).unwrap().port().unwrap()
}

/// The processes that name the directory in their command line or environment, or work in it.
fn processes_of(directory: &Path) -> Vec<String> {
    let wanted = directory.as_os_str().as_bytes();
    let names = |text: &[u8]| text.windows(wanted.len()).any(|part| part == wanted);
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let process = entry.path();
        let is_ourselves = entry.file_name().to_str() == Some(&std::process::id().to_string());
        if is_ourselves || !process.join("environ").exists() {
            continue;
        }
        let read = |name: &str| fs::read(process.join(name)).unwrap_or_default();
        let works_there =
            fs::read_link(process.join("cwd")).is_ok_and(|folder| folder.starts_with(directory));
        if works_there || names(&read("cmdline")) || names(&read("environ")) {
            let line = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
            found.push(format!("{}: {line}", process.display()));
        }
    }
    found
}
