//! `dlo sandbox`: private servers, for developing, tests and benchmarks.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use dlo_sandbox::fleet::{Fleet, FleetOptions};
use dlo_sandbox::{Sandbox, SandboxOptions};
use futures_util::{Stream, StreamExt as _};

use super::environment::variable;
use super::ready::Ready;
use crate::config::LogConfig;
use crate::lifecycle::signals;
use crate::telemetry;

/// Private servers.
#[derive(Debug, clap::Args)]
pub(super) struct SandboxCommand {
    #[command(flatten)]
    servers: Servers,
    /// Run the simulated company too
    #[arg(long)]
    fleet: bool,
    /// Print one line of JSON with the addresses when they answer
    #[arg(long)]
    json: bool,
}

/// What the sandbox and the demo have in common.
#[derive(Debug, clap::Args)]
pub(super) struct Servers {
    /// Keep the servers' files here, and use what is there; else all is gone at the end
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Decides what the simulated company publishes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Dead letters that the simulated company makes at once, before it goes on at a slow rate
    #[arg(long, default_value_t = 300, value_name = "LETTERS")]
    burst: u32,
}

/// Running servers, perhaps with the simulated company on them.
pub(super) struct Stage {
    pub(super) sandbox: Sandbox,
    pub(super) fleet: Option<Fleet>,
}

impl Servers {
    pub(super) async fn start(&self, with_fleet: bool) -> anyhow::Result<Stage> {
        eprintln!("Starting a private Postgres and RabbitMQ …");
        let options = SandboxOptions {
            data_dir: self.data.clone(),
            ..SandboxOptions::default()
        };
        let sandbox = Sandbox::start(options).await?;
        let mut stage = Stage {
            sandbox,
            fleet: None,
        };
        if with_fleet {
            eprintln!("Starting the simulated company …");
            let options = FleetOptions {
                seed: self.seed,
                burst: self.burst,
                ..FleetOptions::new(stage.sandbox.endpoints())
            };
            stage.fleet = Some(Fleet::start(options).await?);
        }
        Ok(stage)
    }
}

impl Stage {
    /// Ends everything. A signal in the meantime ends the process: the sandbox's janitor then
    /// clears up.
    pub(super) async fn stop(
        self,
        signals: &mut (impl Stream<Item = ()> + Unpin),
    ) -> anyhow::Result<()> {
        let stopping = async {
            if let Some(fleet) = self.fleet {
                fleet.stop().await?;
            }
            anyhow::Ok(self.sandbox.stop().await?)
        };
        tokio::select! {
            stopped = stopping => stopped.context("the servers did not end in good order"),
            _ = signals.next() => Ok(()),
        }
    }
}

impl SandboxCommand {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        telemetry::log_to_stderr(&LogConfig::of_variables(&variable)?);
        let stage = self.servers.start(self.fleet).await?;
        let mut signals = signals()?;
        Ready::of_servers(stage.sandbox.endpoints()).print(self.json)?;
        signals.next().await;
        eprintln!("Stopping …");
        stage.stop(&mut signals).await?;
        Ok(ExitCode::SUCCESS)
    }
}
