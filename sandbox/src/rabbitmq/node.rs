//! One private RabbitMQ node and its name service, as two processes. The node answers when
//! its management API says that it listens for clients: a port alone could be a stranger's. The
//! list of listeners is not asked for: a node that collects no figures does not tell it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::sync::Mutex;

use crate::SandboxOptions;
use crate::account;
use crate::data_dir::DataDir;
use crate::error::SandboxError;
use crate::http_client::http_client;
use crate::janitor::Janitor;
use crate::ports::free_ports;
use crate::process::{Goodbye, Launch, Process};
use crate::programs::{self, RabbitPrograms};
use crate::server_log::ServerLog;

use super::SERVER;
use super::settings::{NodeFiles, NodePorts, TlsPorts};

const TRIES: u32 = 5;
const START_PATIENCE: Duration = Duration::from_mins(2);
const STOP_PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
struct Running {
    epmd: Process,
    node: Process,
}

/// A node that the sandbox runs.
#[derive(Debug)]
pub(super) struct Node {
    programs: RabbitPrograms,
    files: NodeFiles,
    ports: NodePorts,
    log: ServerLog,
    janitor: Arc<Janitor>,
    goodbye: Goodbye,
    running: Mutex<Option<Running>>,
}

/// What is read of the management API's overview.
#[derive(Deserialize)]
struct Overview {
    node: String,
}

impl Node {
    pub(super) async fn start(
        data_dir: &DataDir,
        janitor: Arc<Janitor>,
        options: &SandboxOptions,
    ) -> Result<Self, SandboxError> {
        let programs = programs::rabbitmq()?;
        let is_ours = account::running_as_root() && !programs.is_named;
        let account = is_ours.then(|| account::find("rabbitmq")).flatten();
        let files = NodeFiles::open(data_dir.path().join("rabbitmq"), account, options)?;
        let log = ServerLog::new(files.folder.join("server.log"), data_dir.is_kept());
        // Nobody reads a temporary node's data again, and an orderly end takes it 6 s.
        let goodbye = if data_dir.is_kept() { Goodbye::Terminate } else { Goodbye::Kill };
        let (ports, running) = (NodePorts::default(), Mutex::new(None));
        let mut node = Self { programs, files, ports, log, janitor, goodbye, running };
        for tries_left in (0..TRIES).rev() {
            let [amqp, management, distribution, epmd, amqps, https] = free_ports()?;
            node.ports = NodePorts {
                amqp,
                management,
                distribution,
                epmd,
                tls: TlsPorts { amqp: amqps, management: https },
            };
            match node.start_again().await {
                Err(SandboxError::PortTaken { .. }) if tries_left > 0 => {}
                outcome => {
                    outcome?;
                    break;
                }
            }
        }
        Ok(node)
    }

    pub(super) fn ports(&self) -> NodePorts {
        self.ports
    }

    /// Where it is reached over TLS, if it is.
    pub(super) fn tls_ports(&self) -> Option<TlsPorts> {
        self.files.has_certificate().then_some(self.ports.tls)
    }

    pub(super) async fn start_again(&self) -> Result<(), SandboxError> {
        let mut running = self.running.lock().await;
        if let Some(mut previous) = running.take() {
            if previous.node.ended().is_none() {
                *running = Some(previous);
                return Err(SandboxError::AlreadyRunning { server: SERVER });
            }
            previous.end(Goodbye::Kill).await?;
        }
        self.files.configure(self.ports)?;
        let log_before = self.log.length();
        let mut started = self.launch().await?;
        if let Err(error) = self.wait_until_ready(&mut started, log_before).await {
            started.end(Goodbye::Kill).await?;
            return Err(error);
        }
        *running = Some(started);
        Ok(())
    }

    pub(super) async fn end(&self, by: Goodbye) -> Result<(), SandboxError> {
        match self.running.lock().await.take() {
            Some(running) => running.end(by).await,
            None => Ok(()),
        }
    }

    pub(super) async fn stop(&self) -> Result<(), SandboxError> {
        self.end(self.goodbye).await
    }

    pub(super) async fn pause(&self) -> Result<(), SandboxError> {
        let running = self.running.lock().await;
        running.as_ref().ok_or(SandboxError::NotRunning { server: SERVER })?.node.pause()
    }

    pub(super) async fn resume(&self) -> Result<(), SandboxError> {
        let running = self.running.lock().await;
        running.as_ref().ok_or(SandboxError::NotRunning { server: SERVER })?.node.resume()
    }

    async fn launch(&self) -> Result<Running, SandboxError> {
        let epmd_arguments = ["-address", "127.0.0.1", "-port", &self.ports.epmd.to_string()];
        let epmd = self.prepare(
            &self.programs.epmd,
            epmd_arguments.map(str::to_owned).to_vec(),
            self.files.epmd_environment(),
        )?;
        let environment = self.files.environment(self.ports);
        let node = self.prepare(&self.programs.server, Vec::new(), environment)?;
        let epmd = Process::start(epmd, &self.janitor, Goodbye::Terminate).await?;
        match Process::start(node, &self.janitor, self.goodbye).await {
            Ok(node) => Ok(Running { epmd, node }),
            Err(error) => {
                epmd.end(Goodbye::Kill, STOP_PATIENCE).await?;
                Err(error)
            }
        }
    }

    fn prepare(
        &self,
        program: &Path,
        arguments: Vec<String>,
        environment: Vec<(&'static str, String)>,
    ) -> Result<Launch, SandboxError> {
        Ok(Launch {
            program: program.to_owned(),
            arguments,
            environment,
            account: self.files.account,
            directory: self.files.folder.clone(),
            log: self.log.open()?,
        })
    }

    async fn wait_until_ready(
        &self,
        started: &mut Running,
        log_before: usize,
    ) -> Result<(), SandboxError> {
        let client = http_client().build().expect("plain HTTP needs nothing of the machine");
        let deadline = Instant::now() + START_PATIENCE;
        while !self.is_ready(&client).await {
            let (epmd, node) = (started.epmd.ended(), started.node.ended());
            if epmd.is_some() || node.is_some_and(|_| self.found_port_taken(log_before)) {
                return Err(SandboxError::PortTaken { server: SERVER, log: self.log.ending() });
            }
            if let Some(status) = node {
                let (status, log) = (status.to_string(), self.log.ending());
                return Err(SandboxError::Ended { server: SERVER, status, log });
            }
            if Instant::now() >= deadline {
                let (within, log) = (START_PATIENCE, self.log.ending());
                return Err(SandboxError::TooSlow { server: SERVER, within, log });
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    fn found_port_taken(&self, log_before: usize) -> bool {
        let said = self.log.since(log_before);
        ["eaddrinuse", "already in use", "in use by"].iter().any(|words| said.contains(words))
    }

    /// Whether our node, and no other, listens on our port for clients.
    async fn is_ready(&self, client: &reqwest::Client) -> bool {
        let Some(answer) = self.ask(client, "overview").await else {
            return false;
        };
        let overview = answer.json::<Overview>().await;
        let listens = format!("health/checks/port-listener/{}", self.ports.amqp);
        overview.is_ok_and(|overview| overview.node == self.files.name)
            && self.ask(client, &listens).await.is_some()
    }

    /// What the management API answers, unless that is a failure.
    async fn ask(&self, client: &reqwest::Client, path: &str) -> Option<reqwest::Response> {
        let address = format!("http://127.0.0.1:{}/api/{path}", self.ports.management);
        let request =
            client.get(address).basic_auth("guest", Some("guest")).timeout(Duration::from_secs(5));
        request.send().await.ok()?.error_for_status().ok()
    }
}

impl Running {
    async fn end(self, by: Goodbye) -> Result<(), SandboxError> {
        let node = self.node.end(by, STOP_PATIENCE).await;
        // Last: the node takes its name back from it in an orderly end.
        let epmd = self.epmd.end(Goodbye::Kill, STOP_PATIENCE).await;
        node.and(epmd)
    }
}
