//! A private Postgres server on a free port of 127.0.0.1: durable like a real one, and with
//! the faults that tests ask for. Never touches another instance of the machine.

mod cluster;

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::process::Command;
use tokio::sync::Mutex;

use crate::certificate::CertificateFiles;
use crate::data_dir::DataDir;
use crate::error::SandboxError;
use crate::janitor::Janitor;
use crate::ports::free_ports;
use crate::process::{Goodbye, Process};
use crate::{Commits, SandboxOptions};

use cluster::{Cluster, USER};

const SERVER: &str = "PostgreSQL";
const DATABASE: &str = "dlo";
const TRIES: u32 = 5;
const START_PATIENCE: Duration = Duration::from_mins(1);
const STOP_PATIENCE: Duration = Duration::from_secs(30);
/// How long a server that is started again waits for its port.
const PORT_FREE_WITHIN: Duration = Duration::from_secs(10);

/// A Postgres server of the sandbox.
#[derive(Debug)]
pub struct PostgresServer {
    cluster: Cluster,
    /// What it shows over TLS.
    tls: Option<CertificateFiles>,
    commits: Commits,
    port: u16,
    janitor: Arc<Janitor>,
    /// How to end it when its files are not needed any more, or are.
    goodbye: Goodbye,
    running: Mutex<Option<Process>>,
}

impl PostgresServer {
    pub(crate) async fn start(
        data_dir: &DataDir,
        janitor: Arc<Janitor>,
        options: &SandboxOptions,
    ) -> Result<Self, SandboxError> {
        let goodbye = if data_dir.is_kept() { Goodbye::Interrupt } else { Goodbye::Quit };
        let cluster = Cluster::open(data_dir, &janitor).await?;
        let certificate = options.certificate.as_ref();
        let tls = certificate.map(|one| cluster.keep(one)).transpose()?;
        let running = Mutex::new(None);
        let mut server =
            Self { cluster, tls, commits: options.commits, port: 0, janitor, goodbye, running };
        for tries_left in (0..TRIES).rev() {
            [server.port] = free_ports()?;
            match server.start_again().await {
                Err(SandboxError::PortTaken { .. }) if tries_left > 0 => {}
                outcome => {
                    outcome?;
                    break;
                }
            }
        }
        // A sandbox that was killed early left a cluster without it.
        match server.cluster.create_database(server.port, DATABASE).await {
            Err(message) if !message.contains("already exists") => {
                server.stop().await?;
                Err(SandboxError::CreateDatabase { name: DATABASE.to_owned(), message })
            }
            _ => Ok(server),
        }
    }

    /// The address of a database on this server, whether or not it exists.
    pub fn url(&self, database: &str) -> String {
        let Self { cluster, port, .. } = self;
        format!("postgres://{USER}:{}@127.0.0.1:{port}/{database}", cluster.password)
    }

    /// The address of the database that every sandbox has.
    pub(crate) fn default_url(&self) -> String {
        self.url(DATABASE)
    }

    /// Creates a database and returns its address.
    ///
    /// # Errors
    /// When it exists already, or the server is not running.
    pub async fn create_database(&self, name: &str) -> Result<String, SandboxError> {
        match self.cluster.create_database(self.port, name).await {
            Ok(()) => Ok(self.url(name)),
            Err(message) => Err(SandboxError::CreateDatabase { name: name.to_owned(), message }),
        }
    }

    /// Stops the server at once, without a checkpoint (SIGQUIT): it recovers when it is
    /// started again. Nothing that was committed is lost. Does nothing when it is stopped.
    ///
    /// # Errors
    /// When the process cannot be signalled.
    pub async fn stop_immediately(&self) -> Result<(), SandboxError> {
        self.end(Goodbye::Quit).await
    }

    /// Ends every process of the server by SIGKILL. Does nothing when it is stopped.
    ///
    /// # Errors
    /// When a process cannot be signalled.
    pub async fn kill(&self) -> Result<(), SandboxError> {
        self.end(Goodbye::Kill).await
    }

    /// Starts a stopped server with the same port and data; returns when it answers.
    ///
    /// # Errors
    /// When it runs already, or does not come up.
    pub async fn start_again(&self) -> Result<(), SandboxError> {
        let mut running = self.running.lock().await;
        if let Some(mut previous) = running.take() {
            if previous.ended().is_none() {
                *running = Some(previous);
                return Err(SandboxError::AlreadyRunning { server: SERVER });
            }
            previous.end(Goodbye::Kill, STOP_PATIENCE).await?;
        }
        let deadline = Instant::now() + PORT_FREE_WITHIN;
        loop {
            match self.start_process().await {
                // Whoever looks for a free port holds it for a moment.
                Err(SandboxError::PortTaken { .. }) if Instant::now() < deadline => {
                    tokio::time::sleep(PORT_FREE_WITHIN / 20).await;
                }
                Err(error) => return Err(error),
                Ok(process) => {
                    *running = Some(process);
                    return Ok(());
                }
            }
        }
    }

    /// Starts the server on its port, once.
    async fn start_process(&self) -> Result<Process, SandboxError> {
        let log_before = self.cluster.log.length();
        let launch = self.cluster.launch(&self.cluster.programs.postgres, self.arguments())?;
        let mut process = Process::start(launch, &self.janitor, self.goodbye).await?;
        if let Err(error) = self.wait_until_ready(&mut process, log_before).await {
            process.end(Goodbye::Quit, STOP_PATIENCE).await?;
            return Err(error);
        }
        Ok(process)
    }

    /// Stops every process of the server where it stands (SIGSTOP): connections stay open
    /// and nothing answers.
    ///
    /// # Errors
    /// When the server is not running or cannot be signalled.
    pub async fn pause(&self) -> Result<(), SandboxError> {
        let running = self.running.lock().await;
        running.as_ref().ok_or(SandboxError::NotRunning { server: SERVER })?.pause()
    }

    /// Lets a paused server go on.
    ///
    /// # Errors
    /// When the server is not running or cannot be signalled.
    pub async fn resume(&self) -> Result<(), SandboxError> {
        let running = self.running.lock().await;
        running.as_ref().ok_or(SandboxError::NotRunning { server: SERVER })?.resume()
    }

    pub(crate) async fn stop(&self) -> Result<(), SandboxError> {
        self.end(self.goodbye).await
    }

    async fn end(&self, by: Goodbye) -> Result<(), SandboxError> {
        let Some(process) = self.running.lock().await.take() else {
            return Ok(());
        };
        process.end(by, STOP_PATIENCE).await?;
        self.remove_shared_memory().await;
        Ok(())
    }

    /// A killed Postgres leaves a small System V memory segment behind, which nothing else
    /// would ever remove. It names the segment in its lock file.
    async fn remove_shared_memory(&self) {
        let Some(lines) = self.lock_file() else {
            return;
        };
        let Some(segment) = lines.get(6).and_then(|line| line.split_whitespace().nth(1)) else {
            return;
        };
        // Refused when it is gone already, which is what is wanted.
        let _ = Command::new("ipcrm").args(["-m", segment]).output().await;
    }

    async fn wait_until_ready(
        &self,
        process: &mut Process,
        log_before: usize,
    ) -> Result<(), SandboxError> {
        let log = &self.cluster.log;
        let deadline = Instant::now() + START_PATIENCE;
        while !self.is_ready(process.pid()) {
            if let Some(status) = process.ended() {
                let log_now = log.ending();
                let taken = log.since(log_before).contains("Address already in use");
                return Err(if taken {
                    SandboxError::PortTaken { server: SERVER, log: log_now }
                } else {
                    SandboxError::Ended { server: SERVER, status: status.to_string(), log: log_now }
                });
            }
            if Instant::now() >= deadline {
                let (within, log) = (START_PATIENCE, log.ending());
                return Err(SandboxError::TooSlow { server: SERVER, within, log });
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Postgres writes its id and, once it accepts connections, "ready" into its lock file.
    fn is_ready(&self, pid: i32) -> bool {
        self.lock_file().is_some_and(|lines| {
            lines.first().is_some_and(|line| line.trim() == pid.to_string())
                && lines.get(7).is_some_and(|line| line.trim() == "ready")
        })
    }

    fn lock_file(&self) -> Option<Vec<String>> {
        let text = fs::read_to_string(self.cluster.files().join("postmaster.pid")).ok()?;
        Some(text.lines().map(str::to_owned).collect())
    }

    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["-D".to_owned(), self.cluster.files().display().to_string()];
        let durable = match self.commits {
            Commits::Durable => "on",
            Commits::Relaxed => "off",
        };
        let settings = [
            ("listen_addresses", "127.0.0.1".to_owned()),
            ("port", self.port.to_string()),
            // A socket's path may have 107 bytes only, and a data directory has any length.
            ("unix_socket_directories", String::new()),
            ("max_connections", "200".to_owned()),
            // Unless asked otherwise, commits are as durable, and cost as much, as in production.
            ("fsync", durable.to_owned()),
            ("full_page_writes", durable.to_owned()),
            ("synchronous_commit", durable.to_owned()),
            // Kept in the data directory: in /dev/shm it would outlive a killed server.
            ("dynamic_shared_memory_type", "mmap".to_owned()),
            ("logging_collector", "off".to_owned()),
            ("log_destination", "stderr".to_owned()),
        ];
        let tls = self.tls.iter().flat_map(|files| {
            [
                ("ssl", "on".to_owned()),
                ("ssl_cert_file", files.chain.display().to_string()),
                ("ssl_key_file", files.key.display().to_string()),
            ]
        });
        for (name, value) in settings.into_iter().chain(tls) {
            arguments.extend(["-c".to_owned(), format!("{name}={value}")]);
        }
        arguments
    }
}
